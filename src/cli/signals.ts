const ENDINGS = ['SIGTERM', 'SIGINT'] as const

let asked: NodeJS.Signals | undefined
/** The signal that asked us to end, if one did. */
export const endingAsked = (): NodeJS.Signals | undefined => asked

/** Calls back once for a signal that asks us to end; the second such signal ends at once, as it would without us. */
export function onSignals(end: () => void): () => void {
  const release = (): void => ENDINGS.forEach((signal) => process.removeListener(signal, heard))
  const heard = (signal: NodeJS.Signals): void => {
    asked = signal
    release()
    end()
  }
  for (const signal of ENDINGS) process.on(signal, heard)
  return release
}

/** Calls back each time. */
export function onSignal(signal: NodeJS.Signals, heard: () => void): () => void {
  process.on(signal, heard)
  return () => void process.removeListener(signal, heard)
}
