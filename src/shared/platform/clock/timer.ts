/** Calls back after this many milliseconds, unless the result is called before. Does not keep the process alive. */
export function later(span: number, work: () => void): () => void {
  const timer = setTimeout(work, span).unref()
  return () => clearTimeout(timer)
}

/** Resolves after this many milliseconds. Keeps the process alive. */
export const resolvedLater = async (span: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, span)
  })

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
