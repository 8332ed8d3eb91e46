import type { Duration } from '../../base/time.ts'
import type { Clock, Random, Schedule } from '../../ports/clock.ts'
import type { Http } from '../../ports/http.ts'
import type { Memory } from '../memory/memory.ts'
import type { AgentEvent } from './events.ts'
import type { Inbox } from './inbox.ts'
import type { AccountJob, LoopState } from './loop-state.ts'

/** What the loop works with: its settings, its ports, and what listens to it. */
export interface Agent {
  readonly clock: Clock
  readonly random: Random
  readonly schedule: Schedule
  readonly memory: Memory
  readonly http: Http
  readonly jobs: readonly AccountJob[]
  readonly inbox: Inbox
  /** With nothing left to do: end, or stay up and wait for orders. */
  readonly whenStopped: 'exit' | 'idle'
  /** How long a family that is known waits for one that is not, so that both can go in one request; without it, to the end. */
  readonly familyTimeout?: Duration
  /** Nothing is sent that could not be remembered: for a process that ends, and would forget a stop. */
  readonly mustRemember: boolean
  readonly tell: (event: AgentEvent) => void
  /** Shown where the loop stands, after every change. */
  readonly showState: (rest: LoopState) => void
  /** `end` asks the loop to stop after what is under way; `abandon` breaks that off too. */
  readonly end: AbortSignal
  readonly abandon: AbortSignal
}

export type StopCondition = (rest: LoopState, agent: Agent) => boolean
