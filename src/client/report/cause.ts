import { FAMILIES, type Family, FAMILY_NAMES, listed } from '../../shared/base/address.ts'
import type { Sighting, Sightings } from '../../shared/base/sighting.ts'
import { remedyForAnswer } from '../../shared/protocol/answer-remedy.ts'
import { isReplyWord, PLAIN_NOUNS, remedyFor, type ServiceNouns } from '../../shared/protocol/reply.ts'
import { saidText, waitText } from '../../shared/protocol/said-text.ts'
import { formatPace, waitCauseName } from '../agent/wording.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import {
  heldUntil,
  isHeldBack,
  isRequestDue,
  pacedIn,
  sightingsOf,
  stopOf,
  type WorldView,
} from '../decide/next-action.ts'
import type { PaceDelay } from '../decide/pace.ts'
import { isWordlessWait } from '../decide/step.ts'
import {
  accountOf,
  type AccountState,
  hostOf,
  type HostState,
  type State,
  type Stop,
} from '../decide/state.ts'
import type { Instant } from '../../shared/base/time.ts'

/** The result of an account, the one that needs the user most first. */
export const OUTCOMES = ['stopped', 'waiting', 'unreached', 'addressUnknown', 'settled'] as const
export type Outcome = (typeof OUTCOMES)[number]

interface Context {
  readonly state: State
  readonly world: WorldView
  readonly now: Instant
}

/** Hostnames that are stopped, where the account is not. */
export const stoppedAloneOf = (account: AccountState, desired: DesiredState): readonly string[] =>
  stopOf(account, desired) === undefined
    ? desired.hostnames.filter((name) => hostOf(account, name).stopped !== undefined)
    : []

export function outcomeOf(desired: DesiredState, { state, world, now }: Context): Outcome {
  const account = accountOf(state, desired.account)
  const hosts = desired.hostnames.map((name) => hostOf(account, name))
  const isRefused = desired.isOffline && account.offlineRefused !== undefined
  const isStopped =
    stopOf(account, desired) !== undefined || hosts.some(({ stopped }) => stopped !== undefined)
  if (isStopped || isRefused) return 'stopped'
  if (heldUntil(account, now) !== undefined)
    return account.status.kind === 'waiting' ? 'waiting' : 'unreached'
  const seen = world.sightings?.[desired.account]
  // The next attempt is under way, or the process that would make it has ended.
  const isRetried = seen === undefined || isRequestDue(state, desired, { world, now })
  if (account.status.kind === 'retrying' && isRetried) return 'unreached'
  // Nothing is known of the line; of the last request it is known that it was not confirmed.
  if (seen === undefined && hosts.some(isUnanswered)) return 'unreached'
  if (pacedIn(state, desired, { world, now }) !== undefined) return 'waiting'
  const isIncomplete = hosts.some(({ touched }) => touched === undefined)
  const needsAddress = !desired.isOffline && !desired.reliesOnConnection
  // Before the first look, addresses that were confirmed earlier are still valid.
  const isKnown = desired.hostnames.some((name) =>
    isAnyKnown(sightingsOf(seen ?? {}, name), hostOf(account, name)),
  )
  if (needsAddress && !isKnown && (seen !== undefined || isIncomplete)) return 'addressUnknown'
  const isHeld = desired.hostnames.some((name) =>
    isHeldBack(desired, sightingsOf(seen ?? {}, name), hostOf(account, name)),
  )
  if (needsAddress && isHeld) return 'addressUnknown'
  return isIncomplete ? 'unreached' : 'settled'
}

/** A request for it was sent, and not confirmed. */
const isUnanswered = ({ unanswered }: HostState): boolean =>
  unanswered !== undefined && listed(unanswered.addresses).length > 0

/** While another line is held, the confirmed address is assumed to be right. */
const isAnyKnown = (seen: Sightings, { confirmed }: HostState): boolean =>
  FAMILIES.some((family) => {
    const sighting = seen[family]
    return sighting?.kind === 'seen' || (heldBy(sighting) !== undefined && confirmed[family] !== undefined)
  })

const heldBy = (sighting: Sighting | undefined): string | undefined =>
  sighting === undefined || sighting.kind === 'none' ? undefined : sighting.lineHeld

/** The outcome of several accounts. */
export const worstOutcome = (outcomes: readonly Outcome[]): Outcome =>
  OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'settled'

/** One family at the last look: the address and its sources, or the cause why it is not seen. */
export interface SeenReport {
  readonly family: Family
  readonly address: string | null
  readonly by: string | null
  readonly because: string | null
  /** Traffic leaves by this line, and the address is of another one. */
  readonly held?: string
}

/** The stop to report: of the account, of a hostname, or of the offline option. */
export const firstStop = (account: AccountState, desired: DesiredState): Stop | undefined =>
  stopOf(account, desired) ??
  desired.hostnames.map((name) => hostOf(account, name).stopped).find((stop) => stop !== undefined) ??
  account.offlineRefused

interface CauseContext {
  readonly outcome: Outcome
  readonly seen: Sightings | undefined
  readonly paced: PaceDelay | undefined
  readonly isLooking: boolean
}

export function causeOf(
  { status, hosts }: AccountState,
  { outcome, seen, paced, isLooking }: CauseContext,
): string | null {
  if (outcome === 'waiting' && status.kind === 'waiting') {
    const cause = waitCauseName(status.because)
    return status.detail === '' ? cause : `${cause}: ${status.detail}`
  }
  if (outcome === 'waiting' && paced !== undefined) return `the update is delayed by ${formatPace(paced)}`
  if (outcome === 'unreached')
    return status.kind === 'retrying'
      ? status.detail
      : Object.values(hosts).some(isUnanswered)
        ? 'the last request was not confirmed'
        : 'the run ended before a request was sent'
  return outcome === 'addressUnknown' ? unknownCause(seen, isLooking) : null
}

function unknownCause(seen: Sightings | undefined, isLooking: boolean): string {
  if (seen === undefined && isLooking) return 'the first look at the addresses is under way'
  if (seen === undefined) return 'nothing has been sent for it yet, and no process is looking up its address'
  const reasons = FAMILIES.flatMap((family) => {
    const because = reportSeen(family, seen[family])?.because
    return because === undefined || because === null ? [] : [`${FAMILY_NAMES[family]}: ${because}`]
  })
  const detail = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
  const isAnySeen = FAMILIES.some((family) => seen[family]?.kind === 'seen')
  return isAnySeen
    ? `one address is unknown${detail}, and the service would delete what a request omits`
    : `no source reported a public address${detail}`
}

interface RemedyContext {
  readonly outcome: Outcome
  readonly stop: Stop | undefined
  readonly desired: DesiredState
  /** In this process. */
  readonly hasLooked: boolean
}

export function remedyOf(
  { status }: AccountState,
  { outcome, stop, desired, hasLooked }: RemedyContext,
): string | undefined {
  if (outcome === 'unreached' && status.kind === 'retrying') return desired.ifUnreached
  if (stop !== undefined) return remedyFor(stop.because, stop.said, desired.nouns)
  if (!hasLooked && outcome === 'addressUnknown')
    return 'run holdfast update, or start the daemon; holdfast detect shows what each source reports'
  if (!hasLooked && outcome === 'unreached') return 'run holdfast update, or start the daemon'
  if (outcome === 'addressUnknown')
    return 'run holdfast detect to see the answer of each source, or holdfast doctor to check the network'
  if (outcome !== 'waiting') return undefined
  return status.kind === 'waiting' && !isWordlessWait(status)
    ? 'nothing; this is up to the service, and Holdfast tries again by itself'
    : isWordlessWait(status)
      ? remedyForAnswer(status.detail)
      : undefined
}

/** What the service said, by which the account is stopped or waits. */
export function saidBy(
  stop: Stop | undefined,
  { status }: AccountState,
  { outcome, nouns = PLAIN_NOUNS }: { readonly outcome: Outcome; readonly nouns: ServiceNouns | undefined },
): string | null {
  if (stop !== undefined) return saidText(stop, nouns)
  if (outcome !== 'waiting' || status.kind !== 'waiting' || !isReplyWord(status.because)) return null
  return waitText(status.because, status.detail, nouns)
}

/** Undefined for a family without a sighting, or one that the user left unset. */
export function reportSeen(family: Family, sighting: Sighting | undefined): SeenReport | undefined {
  if (sighting === undefined || (sighting.kind === 'none' && sighting.isLeft)) return undefined
  const line = heldBy(sighting)
  const held = line === undefined ? {} : { held: line }
  if (sighting.kind === 'seen')
    return { family, address: sighting.address, by: sighting.by, because: null, ...held }
  const because = sighting.kind === 'none' ? 'this host has none' : sighting.because
  return { family, address: null, by: null, because, ...held }
}
