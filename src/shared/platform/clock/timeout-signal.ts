/**
 * A signal that aborts after this many milliseconds, like AbortSignal.timeout(). Node 20 collects the signal of that
 * function as garbage while a signal of AbortSignal.any() waits for it, and then neither ever aborts. Here the timer
 * holds it.
 */
export function timeoutSignal(span: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(EXPIRED), span).unref()
  return controller.signal
}

/** Made once: each exception has a stack. */
const EXPIRED = new DOMException('The operation took too long', 'TimeoutError')
