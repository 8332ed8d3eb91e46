import type { Clock, Entropy } from '../../shared/ports/clock.ts'
import type { QuestionPorts } from '../../shared/ports/system.ts'

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
