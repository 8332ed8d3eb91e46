const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

let received: NodeJS.Signals | undefined
/** The stop signal that this process received, if any. */
export const stopSignal = (): NodeJS.Signals | undefined => received

/** Calls back once, for the first stop signal; a second one ends the process immediately, which is Node's default. */
export function onStopSignal(stop: () => void): () => void {
  const release = (): void => STOP_SIGNALS.forEach((signal) => process.removeListener(signal, handle))
  const handle = (signal: NodeJS.Signals): void => {
    received = signal
    release()
    stop()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, handle)
  return release
}

/** Calls back each time the signal arrives. Returns the function that removes the listener. */
export function onSignal(signal: NodeJS.Signals, handle: () => void): () => void {
  process.on(signal, handle)
  return () => void process.removeListener(signal, handle)
}
