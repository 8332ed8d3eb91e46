import type { Instant } from '../../shared/base/time.ts'
import type { Address, Addresses, Family } from '../../shared/base/address.ts'
import type { Sightings } from '../../shared/base/sighting.ts'
import type { ReplyWord } from '../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import type { PaceDelay } from '../decide/pace.ts'
import type { WaitCause } from '../decide/state.ts'
import type { DetectionEvent } from '../detect/address-detection.ts'
import type { MemoryProblem } from './memory/memory.ts'
import type { Publication } from '../verify/publication.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

interface PublicationOfHost {
  readonly account: string
  readonly hostname: string
  readonly publication: Publication
}

/** Everything that the client reports. Events hold facts; the English text is in `wording.ts` only. */
export type AgentEvent =
  | {
      readonly kind: 'looked'
      readonly account: string
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
  /** The service answers requests over http with a redirect to https, which was followed. */
  | { readonly kind: 'movedToHttps'; readonly account: string }
  | {
      readonly kind: 'settled'
      readonly account: string
      readonly hostname: string
      /** The addresses that were confirmed before. */
      readonly previous: Addresses
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'confirmedDifferent'
      readonly account: string
      readonly hostname: string
      readonly previous: Addresses
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
  /** Both families were sent, and the answer names only the other one. */
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
      /** What the service said, as a clause for a person; without it, its answer has no word. */
      readonly text?: string
    }
  /** An update is due, but the pace delays it. */
  | ({ readonly kind: 'paced'; readonly account: string } & PaceDelay)
  | { readonly kind: 'retrying'; readonly account: string; readonly until: Instant; readonly because: string }
  /** No source sees an address for these hostnames; reported once for each cause. */
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
  /** This host lost its address of the family, and the service still publishes one. */
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
      /** What the service wrote, where that is another word with the same meaning. */
      readonly said?: string
      /** What the service said, as a clause for a person, and what to do. */
      readonly text: string
      readonly remedy?: string
      readonly since: Instant
      /** Without it, the whole account is stopped. */
      readonly hostname?: string
    }
  | { readonly kind: 'offlineRefused'; readonly account: string }
  /** The name servers give the confirmed addresses. */
  | ({ readonly kind: 'published' } & PublicationOfHost)
  /** After minutes, some name servers still do not. */
  | ({ readonly kind: 'notPublished' } & PublicationOfHost)
  /** No name server of the zone could be asked; reported once until one answers again. */
  | ({ readonly kind: 'unverified' } & PublicationOfHost)
  | DetectionEvent
  | { readonly kind: 'sleeping'; readonly until: Instant }
  | { readonly kind: 'ended' }
  | MemoryProblem
