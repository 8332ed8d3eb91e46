import type { Writable } from 'node:stream'
import type { Exit } from './exit-codes.ts'

const gone = new AbortController()

/** Fires when standard output is closed, so that a command that only shows something can end. */
export const outputGone: AbortSignal = gone.signal

const handled = new WeakSet<Writable>()

/** Node throws stream errors that have no listener: a closed pipe or a full disk must not end a command. */
function guarded(stream: Writable, onError: (error: NodeJS.ErrnoException) => void): Writable {
  if (!handled.has(stream)) {
    handled.add(stream)
    stream.on('error', onError)
  }
  return stream
}

let isLost = false
const standardOutput = (): Writable =>
  guarded(process.stdout, (error) => {
    // A reader that closes its end has what it wants.
    if (error.code !== 'EPIPE') isLost = true
    gone.abort()
  })

/** Writes to standard output. Text that cannot be written is lost; the exit code is the same. */
export const writeOut = (text: string): void => void standardOutput().write(text)

/** The same; resolves with the error if not all of the text was written. */
export const tryToWriteOut = async (text: string): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((done) => standardOutput().write(text, (error) => done(error ?? undefined)))

/** Whether output was lost so far, as on a full disk. */
async function isOutputLost(): Promise<boolean> {
  await tryToWriteOut('')
  return isLost
}

/** Without its output, a command that only shows something has not done its work. */
export const withOutput = async (exit: Exit): Promise<Exit> =>
  exit === 'settled' && (await isOutputLost()) ? 'unwritten' : exit

/** Writes to standard error, likewise. */
export const writeError = (text: string): void => void guarded(process.stderr, () => undefined).write(text)
