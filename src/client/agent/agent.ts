import type { Duration } from '../../shared/base/time.ts'
import type { Clock, Random, Schedule } from '../../shared/ports/clock.ts'
import type { ServiceHttp } from '../../shared/ports/http.ts'
import type { DnsSending } from './send/dns-exchange.ts'
import type { Memory } from './memory/memory.ts'
import type { AgentEvent } from './events.ts'
import type { Inbox } from './inbox.ts'
import type { AccountJob, LoopState } from './loop-state.ts'

/** What the loop works with: its accounts and settings, its ports and its listeners. */
export interface Agent {
  readonly clock: Clock
  readonly random: Random
  readonly schedule: Schedule
  readonly memory: Memory
  readonly http: ServiceHttp
  readonly dns: DnsSending
  readonly jobs: readonly AccountJob[]
  readonly inbox: Inbox
  /** When every account is stopped: end, or wait for requests. */
  readonly whenStopped: 'exit' | 'idle'
  /**
   * How long a new address waits for the other family, so that one request can
   * carry both; without it, until all sources answered.
   */
  readonly familyTimeout?: Duration
  /** For a process that ends after its run: send nothing while the state cannot be saved, because a stop would be lost. */
  readonly mustSave: boolean
  readonly emit: (event: AgentEvent) => void
  /** This host may have slept: what the sources answered last is in doubt. */
  readonly onInterruption: () => void
  /** Called after every change. */
  readonly onState: (loop: LoopState) => void
  /** `end` ends the loop after the request under way; `abandon` aborts that request too. */
  readonly end: AbortSignal
  readonly abandon: AbortSignal
}

export type EndCondition = (loop: LoopState, agent: Agent) => boolean
