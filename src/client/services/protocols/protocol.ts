import type { Duration, Instant } from '../../../shared/base/time.ts'
import type { Secret } from '../../../shared/base/secret.ts'
import type { HttpOutcome, OutgoingRequest } from '../../../shared/ports/http.ts'
import type { Action } from '../../decide/observation.ts'
import type { Reply } from '../../../shared/protocol/reply-codec.ts'

/** An update request, and the index of the base URL that it goes to. */
export type OutgoingUpdate = Pick<Extract<Action, { kind: 'send' }>, 'request' | 'endpoint'>

/** Where `isCut`, the time limit or a lost connection ended it early. */
export type ServiceAnswer = Extract<HttpOutcome, { kind: 'answered' }>

/** A request without what all requests of an account have: timeouts, certificate authorities. */
export type StepRequest = Omit<OutgoingRequest, 'connectTimeout' | 'responseTimeout' | 'authorities'>

/** One request of an exchange, and what its answer means. */
export interface Step {
  readonly request: StepRequest
  /** It may be sent again to https on the same host, where the answer is a redirect. */
  readonly mayMove?: true
  /** What the service gave for this exchange, such as a session: an answer may repeat it. */
  readonly secrets?: readonly Secret[]
  /** Of the first request that changes something: what was found before, for a person. */
  readonly found?: string
  readonly read: (answer: ServiceAnswer) => Step | StepOutcome
}

/** Where DNS updates go. */
export interface NameServer {
  readonly host: string
  readonly port: number
}

/** What messages need when they are sent: a signature has the time of day, and identifiers are random. */
export interface DnsMoment {
  readonly now: Instant
  readonly newId: () => number
}

/** Messages to a name server, all on one connection, and what the answers mean. */
export interface DnsStep {
  readonly nameServer: NameServer
  /** What is asked, for a person. */
  readonly shown: readonly string[]
  /** As of `Step`. */
  readonly found?: string
  readonly compose: (moment: DnsMoment) => {
    readonly messages: readonly Uint8Array[]
    /** As many answers, in any order. */
    readonly read: (answers: readonly Uint8Array[], now: Instant) => DnsStep | StepOutcome
  }
}

/** What an exchange has come to. */
export type StepOutcome =
  /** A reply for each hostname, in the order of the request. */
  | { readonly kind: 'answered'; readonly replies: readonly Reply[]; readonly found?: string }
  | {
      readonly kind: 'notUnderstood'
      readonly because: string
      readonly looksLikePortal: boolean
      /** The HTTP status, where it alone means that the service cannot answer now: 429, 5xx. */
      readonly status?: number
    }
  /** What arrived of an answer neither confirms nor forbids. */
  | { readonly kind: 'incomplete' }

/** How one service takes updates, as steps without effects: each answer says what to send next, or what came of it. */
export interface UpdateProtocol {
  readonly begin: (update: OutgoingUpdate) => Step | DnsStep
  /** What a service had may be otherwise now: an answer was lost, or not understood. */
  readonly forget?: () => void
  /** The least time between two requests, where the service has a limit for each second. */
  readonly gap?: Duration
}

export const isStep = (next: Step | DnsStep | StepOutcome): next is Step => 'request' in next
export const isDnsStep = (next: Step | DnsStep | StepOutcome): next is DnsStep => 'nameServer' in next

/** What is known of an account when its requests are made. */
interface ProtocolParts {
  readonly password: Secret
  readonly apiKey: Secret | undefined
  readonly userAgent: string
}

export type MakeProtocol = (parts: ProtocolParts) => UpdateProtocol

/** An account of a service that manages records. */
export interface ServiceAccount {
  /** Scheme, host and port. */
  readonly server: string
  readonly username: string
  readonly password: Secret
  readonly apiKey: Secret | undefined
  readonly userAgent: string
  /** As it is set. */
  readonly zone: string | undefined
  /** In seconds, of records that are made. */
  readonly ttl: number | undefined
  /** Whether a missing record is made. */
  readonly create: boolean
}
