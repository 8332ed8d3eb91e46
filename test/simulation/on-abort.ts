/** Of each signal that something waits for. */
const WAITING = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when the signal aborts; returns what cancels it. The clients wait for the same few signals a thousand times in a
 * minute of virtual time, and each real listener costs more than the wait.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const waiting = WAITING.get(signal) ?? listenTo(signal)
  waiting.add(listener)
  return () => void waiting.delete(listener)
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>()
  WAITING.set(signal, waiting)
  signal.addEventListener('abort', () => {
    for (const listener of waiting) listener()
  })
  return waiting
}
