/**
 * A signal that aborts after this many milliseconds, like AbortSignal.timeout(). Node 20 collects the signal of that
 * function as garbage while a signal of AbortSignal.any() waits for it, and then neither ever aborts. Here the timer
 * holds it.
 */
export function timeoutSignal(span: number): AbortSignal {
  const controller = new AbortController()
  const expire = (): void => controller.abort(new DOMException('The operation took too long', 'TimeoutError'))
  setTimeout(expire, span).unref()
  return controller.signal
}
