import type { Exit } from './exit-codes.ts'

/** Why a command cannot start: its exit, and one message for each problem. */
export interface Failure {
  readonly exit: Exit
  readonly messages: readonly string[]
}
