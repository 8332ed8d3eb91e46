import type { Instant } from '../../base/time.ts'
import type { Address, Family } from '../../net/address.ts'
import type { Sightings } from '../../net/sighting.ts'
import type { ReplyWord } from '../../protocol/reply.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { PaceDelay } from '../decide/pace.ts'
import type { WaitCause } from '../decide/state.ts'
import type { Finding } from '../detect/finding.ts'
import type { MemoryProblem } from '../memory/memory.ts'
import type { Hint } from '../watch/hint.ts'
import type { WatcherFinding } from '../watch/watcher.ts'

/** Everything the agent can tell its operator. The code speaks in facts; only `wording.ts` knows English. */
export type AgentEvent =
  | {
      readonly kind: 'looked'
      readonly account: string
      /** The names that this is about. */
      readonly hostnames: readonly string[]
      readonly sightings: Sightings
    }
  | {
      readonly kind: 'sending'
      readonly account: string
      readonly request: UpdateRequest
      readonly to: string
    }
  | { readonly kind: 'keyInClear'; readonly account: string; readonly to: string }
  | {
      readonly kind: 'settled'
      readonly account: string
      readonly hostname: string
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'confirmedDifferent'
      readonly account: string
      readonly hostname: string
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'refused'
      readonly account: string
      readonly hostname: string
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'notUnderstood'
      readonly account: string
      readonly because: string
      readonly sent: UpdateRequest
    }
  /** A family was sent, and the answer names only the other one. */
  | {
      readonly kind: 'unechoed'
      readonly account: string
      readonly hostname: string
      readonly family: Family
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | { readonly kind: 'captivePortal'; readonly account: string; readonly because: string }
  | {
      readonly kind: 'unreached'
      readonly account: string
      readonly because: string
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'waiting'
      readonly account: string
      readonly until: Instant
      readonly because: WaitCause
      readonly detail: string
    }
  /** What is due is held back, so that the service is not asked too often. */
  | ({ readonly kind: 'paced'; readonly account: string } & PaceDelay)
  | { readonly kind: 'retrying'; readonly account: string; readonly until: Instant; readonly because: string }
  /** No address can be told for names of this account; told once for each cause. */
  | {
      readonly kind: 'addressUnknown'
      readonly account: string
      readonly hostnames: readonly string[]
      readonly family?: Family
      readonly because: string
    }
  | {
      readonly kind: 'addressKnown'
      readonly account: string
      readonly hostnames: readonly string[]
      readonly family: Family
      readonly address: Address
    }
  /** This host has no address of the family any more, and the service still publishes one. */
  | {
      readonly kind: 'familyGone'
      readonly account: string
      readonly hostnames: readonly string[]
      readonly family: Family
      readonly address: Address
    }
  | {
      readonly kind: 'stopped'
      readonly account: string
      readonly because: ReplyWord
      /** What the service wrote, where it is another word that is obeyed like this one. */
      readonly said?: string
      readonly since: Instant
      /** Only this name is stopped; without it, the account. */
      readonly hostname?: string
    }
  | { readonly kind: 'offlineRefused'; readonly account: string }
  | Finding
  | WatcherFinding
  | { readonly kind: 'hinted'; readonly because: Hint }
  | { readonly kind: 'sleeping'; readonly until: Instant }
  | { readonly kind: 'ended' }
  | MemoryProblem
