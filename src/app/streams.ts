import type { Writable } from 'node:stream'

const gone = new AbortController()

/** Fires when standard output takes no more: what only goes on to show something can end. */
export const outputGone: AbortSignal = gone.signal

const heard = new WeakSet<Writable>()

/** Without a listener, Node throws the error of a stream: a reader that is gone or a full disk must not end a command. */
function write(stream: Writable, text: string, failed: () => void): void {
  if (!heard.has(stream)) {
    heard.add(stream)
    stream.on('error', failed)
  }
  stream.write(text)
}

/** Standard output. Text that cannot be written is lost; the exit code tells how it went all the same. */
export const writeOut = (text: string): void => write(process.stdout, text, () => gone.abort())

/** Standard error, under the same rule. */
export const writeError = (text: string): void => write(process.stderr, text, () => undefined)
