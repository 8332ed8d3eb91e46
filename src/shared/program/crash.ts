import { resolvedLater } from '../platform/clock/timer.ts'
import type { Log } from '../ports/log.ts'
import { ABOUT } from './about.ts'
import { EXITS } from './exit-codes.ts'
import { writeError } from './streams.ts'

/** What a long-running program does before a bug ends it. */
interface CrashHandler {
  readonly log: Log
  readonly save: () => Promise<unknown>
}

let handler: CrashHandler | undefined
export const onCrash = (crashHandler: CrashHandler): void => void (handler = crashHandler)

/** In milliseconds. A disk that hangs must not keep a broken program alive. */
const SAVE_TIMEOUT = 1000

const REPORT = `this is a bug in Holdfast ${ABOUT.version}; please report it with these lines`

/** Reports an unhandled error with its stack. Returns the exit code. */
export function bug(error: unknown): number {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (handler === undefined) writeError(`holdfast: ${REPORT}\n${trace}\n`)
  else handler.log('error', REPORT, { fields: { error: trace } })
  return EXITS.bug.code
}

let isEnding = false

/** Handles an uncaught exception: saves the state if possible, then ends the process. */
export async function crash(thrown: unknown): Promise<never> {
  const code = bug(thrown)
  // A second error during the save must not wait for it.
  if (isEnding) process.exit(code)
  isEnding = true
  const saved = handler?.save().catch(() => undefined)
  await Promise.race([saved, resolvedLater(SAVE_TIMEOUT)])
  process.exit(code)
}
