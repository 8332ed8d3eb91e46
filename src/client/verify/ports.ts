import type { Clock, Entropy } from '../../ports/clock.ts'
import type { QuestionPorts } from '../../ports/system.ts'

/** What verification needs of the network and the system. */
export interface VerifyPorts extends QuestionPorts {
  readonly clock: Clock
  readonly entropy: Entropy
}

/** What every question needs. */
export interface VerifyContext {
  readonly ports: VerifyPorts
  /** Ends all questions. */
  readonly signal: AbortSignal
}
