import type { Exit } from './exit-codes.ts'

/** Why a command cannot do its work: the exit code, and a line for each problem. */
export interface Failure {
  readonly exit: Exit
  readonly messages: readonly string[]
}
