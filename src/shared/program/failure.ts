import { err, type Result } from '../base/result.ts'
import type { Exit } from './exit-codes.ts'

/** Why a command cannot start: its exit, and one message for each problem. */
export interface Failure {
  readonly exit: Exit
  readonly messages: readonly string[]
}

/** The operator must change the configuration, the store or the host. */
export const configurationFailure = (...messages: readonly string[]): Result<never, Failure> =>
  err({ exit: 'configuration', messages })

/** The command line is wrong. */
export const usageFailure = (...messages: readonly string[]): Result<never, Failure> =>
  err({ exit: 'usage', messages })
