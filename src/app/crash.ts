import type { Log } from '../ports/log.ts'
import { ABOUT } from './about.ts'
import { EXITS } from './exit-codes.ts'
import { writeError } from './streams.ts'

/** What a program that runs for long still does when a bug ends it. */
interface LastAct {
  readonly log: Log
  readonly save: () => Promise<unknown>
}

let lastAct: LastAct | undefined
export const onCrash = (act: LastAct): void => void (lastAct = act)

/** A disk that hangs must not keep a broken program alive. */
const SAVE_TIMEOUT = 1000

const REPORT = `this is a bug in Holdfast ${ABOUT.version}; please report it with these lines`

/** Reports an error that nothing else handles, with its stack; gives the exit code. */
export function bug(error: unknown): number {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (lastAct === undefined) writeError(`holdfast: ${REPORT}\n${trace}\n`)
  else lastAct.log('error', REPORT, { fields: { error: trace } })
  return EXITS.bug.code
}

let isEnding = false

/** For an error outside of every call: what can still be saved is saved, and the process ends. */
export async function crash(thrown: unknown): Promise<never> {
  const code = bug(thrown)
  if (isEnding) process.exit(code)
  isEnding = true
  const saved = lastAct?.save().catch(() => undefined)
  await Promise.race([saved, new Promise((late) => setTimeout(late, SAVE_TIMEOUT))])
  process.exit(code)
}
