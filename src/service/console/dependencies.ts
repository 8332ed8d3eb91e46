import type { Instant } from '../../shared/base/time.ts'
import type { Secret } from '../../shared/base/secret.ts'
import type { Rendered } from '../api/answer/render.ts'
import type { FollowedLink, LinkForm } from '../auth/links.ts'
import type { Browser, Session } from '../auth/sessions.ts'
import type { IncomingRequest } from '../http/request.ts'
import type { ConsolePlace } from './access.ts'
import type { ConsoleApiRequest } from './context.ts'
import type { Asset } from './assets.ts'
import type { CostCache } from './cost-cache.ts'
import type { SignIn } from './pages/entry/sign-in.ts'

/** Who is signed in, with what they may do. */
export type SignedIn = Session['caller']

/** Nothing was checked: the seconds to wait. */
interface NotChecked {
  readonly retryAfter: number
}

/** A person who was identified; undefined if what was given is wrong. */
type Identified = SignedIn | NotChecked | undefined

export interface ConsoleDependencies {
  readonly place: ConsolePlace
  /** The script of its pages. */
  readonly script: Asset
  readonly now: () => Instant
  readonly cached: CostCache
  readonly identify: (given: SignIn, request: IncomingRequest) => Promise<Identified>
  /** Undefined if the password was changed meanwhile. */
  readonly openSession: (caller: SignedIn, browser: Browser) => Promise<Secret | undefined>
  readonly sessionOf: (secret: Secret) => Promise<Session | undefined>
  readonly renewSession: (id: number, given: { readonly hasFactor: boolean }) => Promise<Secret>
  readonly endSession: (session: Session) => Promise<unknown>
  /** Whether the code of the second factor is right. */
  readonly checkFactor: (
    given: { readonly account: SignedIn['account']; readonly code: string },
    request: IncomingRequest,
  ) => Promise<boolean | NotChecked>
  /** What a browser needs to use a passkey, as JSON; undefined if this account has none. Without an account: of anybody. */
  readonly passkeyOptions: (account?: SignedIn['account']) => Promise<string | undefined>
  /** The person of a passkey that a browser has used. */
  readonly checkPasskey: (credential: string, request: IncomingRequest) => Promise<Identified>
  /** The zone of an invitation; undefined if the code is invalid or has no zone. */
  readonly invitedZone: (code: Secret) => Promise<string | undefined>
  /** Does what a link is for, once. */
  readonly followLink: (form: LinkForm, request: IncomingRequest) => Promise<FollowedLink>
  /** Sends a link for another password, if the account has an address; undefined without a mail server. */
  readonly sendResetLink:
    | ((account: string, request: IncomingRequest) => Promise<NotChecked | undefined>)
    | undefined
  /** A request to `/v1` of this caller. */
  readonly api: (request: ConsoleApiRequest, caller: SignedIn, outer: IncomingRequest) => Promise<Rendered>
  /** Whether a failure is of the store, and passes. */
  readonly isPassing: (error: unknown) => boolean
  readonly reportError: (error: unknown) => void
}
