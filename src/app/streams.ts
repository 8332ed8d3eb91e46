import type { Writable } from 'node:stream'

const gone = new AbortController()

/** Fires when standard output is closed, so that a command that only shows something can end. */
export const outputGone: AbortSignal = gone.signal

const handled = new WeakSet<Writable>()

/** Node throws stream errors that have no listener: a closed pipe or a full disk must not end a command. */
function write(stream: Writable, text: string, onError: () => void): void {
  if (!handled.has(stream)) {
    handled.add(stream)
    stream.on('error', onError)
  }
  stream.write(text)
}

/** Writes to standard output. Text that cannot be written is lost; the exit code is the same. */
export const writeOut = (text: string): void => write(process.stdout, text, () => gone.abort())

/** Writes to standard error, likewise. */
export const writeError = (text: string): void => write(process.stderr, text, () => undefined)
