import { formatInstant, type Instant, LAST_INSTANT } from '../../base/time.ts'
import { type Addresses, FAMILIES, type Family, FAMILY_NAMES, listed } from '../../net/address.ts'
import { natMeaning, NATS } from '../../net/nat.ts'
import type { Sighting, Sightings } from '../../net/sighting.ts'
import { remedyForAnswer } from '../../protocol/answer-remedy.ts'
import { meaningOfWord, remedyFor } from '../../protocol/reply.ts'
import { formatReply, type Reply } from '../../protocol/reply-codec.ts'
import type { LoopState } from '../agent/loop-state.ts'
import { formatPace, waitCauseName, wordRemark } from '../agent/wording.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { heldUntil, isRequestDue, pacedIn, sightingsOf, stopOf } from '../decide/next-action.ts'
import type { PaceDelay } from '../decide/pace.ts'
import { isWordlessWait } from '../decide/reduce.ts'
import { type AccountState, accountOf, type HostState, hostOf, type Stop } from '../decide/state.ts'
import type { Publication } from '../verify/publication.ts'
import type { ExchangeView, LoggedExchange } from './exchange-log.ts'
import { isUnanswered, type Outcome, outcomeOf, stoppedAloneOf } from './outcome.ts'

/** One family at the last look: the address and its sources, or the cause why it is not seen. */
export interface SeenReport {
  readonly family: Family
  readonly address: string | null
  readonly by: string | null
  readonly because: string | null
}

/** The request of this run for one hostname. `previous`: the addresses that were confirmed before its reply. */
interface SentReport {
  readonly addresses: readonly string[]
  readonly offline: boolean
  readonly previous: Addresses
}

/** One hostname: the request of this run, the reply to it and its meaning, and the confirmed addresses. */
export interface HostReport {
  readonly hostname: string
  readonly sent: SentReport | null
  readonly answered: string | null
  readonly meaning: string | null
  readonly confirmed: Addresses
  readonly isOffline: boolean
  /** RFC 3339: when these addresses were first and last confirmed. */
  readonly since: string | null
  readonly lastConfirmed: string | null
  /** RFC 3339: since when updates of this hostname alone are stopped. Missing in reports of earlier versions. */
  readonly stoppedSince?: string | null
  /** What the service answered in the place of an address that was sent. Missing in reports of earlier versions. */
  readonly different?: Addresses
  /** What the name servers give; null where they were not asked. */
  readonly published: Publication | null
  readonly seen: readonly SeenReport[]
  /** Facts that neither delay nor stop updates. */
  readonly remarks: readonly string[]
}

export interface AccountReport {
  readonly account: string
  /** The name in the configuration. */
  readonly name: string | null
  readonly outcome: Outcome
  /** A request is on its way, or follows in a moment. Missing in reports of earlier versions. */
  readonly isDue?: boolean
  /** These hostnames are stopped, and the others go on. Missing in reports of earlier versions. */
  readonly stoppedAlone?: readonly string[]
  /** At the last look, for the first hostname. */
  readonly addresses: Readonly<Record<string, string | null>>
  readonly hostnames: readonly HostReport[]
  /** The cause of the outcome: a reply word, or what failed. */
  readonly because: string | null
  readonly since: string | null
  readonly remedy: string | null
  /** RFC 3339; null where nothing is due, or where the user must act first. */
  readonly nextAttempt: string | null
  /** RFC 3339; null where there was none, or will be none. */
  readonly lastLook: string | null
  readonly nextLook: string | null
}

/** The current moment of client time, and what the wall clock shows at a moment of client time. */
export interface ClockView {
  readonly now: Instant
  readonly wallAt: (at: Instant) => Instant
}

/** The last result for a hostname, in this run. */
export interface PublicationView {
  get(account: string, hostname: string): Publication | undefined
}

interface ReportContext {
  readonly exchanges: ExchangeView
  /** Without it, no name server was asked. */
  readonly publications?: PublicationView
  readonly clock: ClockView
  /** This process looks at the addresses. */
  readonly isLooking?: boolean
}

/** One report for each account: the data of status, explain and the one-shot command, and of their JSON. */
export const reportAccounts = (loop: LoopState, context: ReportContext): readonly AccountReport[] =>
  loop.jobs.map(({ desired }) => reportAccount(desired, loop, context))

function reportAccount(
  desired: DesiredState,
  loop: LoopState,
  { exchanges, publications, clock, isLooking = false }: ReportContext,
): AccountReport {
  const { state, world } = loop
  const { now } = clock
  const account = accountOf(state, desired.account)
  const byName = world.sightings?.[desired.account]
  const seenFirst = byName && sightingsOf(byName, desired.hostnames[0] ?? '')
  const outcome = outcomeOf(desired, { state, world, now })
  const paced = pacedIn(state, desired, { world, now })
  const stop = outcome === 'stopped' ? firstStop(account, desired) : undefined
  const time = (at: Instant | undefined): string | null => wallTime(at, clock)
  const hasAttempt = outcome === 'waiting' || outcome === 'unreached'
  return {
    account: desired.account,
    name: desired.name ?? null,
    outcome,
    isDue: isRequestDue(state, desired, { world, now }),
    stoppedAlone: stoppedAloneOf(account, desired),
    addresses: Object.fromEntries(
      Object.entries(seenFirst ?? {}).map(([family, sighting]) => [
        family,
        sighting.kind === 'seen' ? sighting.address : null,
      ]),
    ),
    hostnames: desired.hostnames.map((hostname) => {
      const host = hostOf(account, hostname)
      const seen = sightingsOf(byName ?? {}, hostname)
      return {
        hostname,
        ...reportExchange(exchanges.get(desired.account, hostname)),
        confirmed: host.confirmed,
        isOffline: host.isOffline,
        different: host.answered ?? {},
        since: time(host.since ?? host.touched),
        lastConfirmed: time(host.touched),
        stoppedSince: time(host.stopped?.since),
        // What was published may be another address by now.
        published:
          host.unanswered === undefined ? (publications?.get(desired.account, hostname) ?? null) : null,
        seen: FAMILIES.flatMap((family) => reportSeen(family, seen[family]) ?? []),
        remarks: remarksOn(host, seen),
      }
    }),
    because:
      stop === undefined ? causeOf(account, { outcome, seen: seenFirst, paced, isLooking }) : stop.because,
    since: time(stop?.since ?? sinceOf(account, outcome, world.unknownSince?.[desired.account])),
    remedy:
      remedyOf(account, { outcome, stop, desired, hasLooked: isLooking || seenFirst !== undefined }) ?? null,
    nextAttempt: hasAttempt ? time(heldUntil(account, now) ?? paced?.until ?? now) : null,
    lastLook: time(world.lastLook),
    nextLook: world.lastLook === undefined ? null : time(world.nextLook),
  }
}

/** RFC 3339 by the wall clock. A one-shot has no next look: its moment is beyond the range of a Date. */
const wallTime = (at: Instant | undefined, { wallAt }: ClockView): string | null =>
  at === undefined || wallAt(at) > LAST_INSTANT ? null : formatInstant(wallAt(at))

function sinceOf(
  { status }: AccountState,
  outcome: Outcome,
  unknownSince: Instant | undefined,
): Instant | undefined {
  if (outcome === 'addressUnknown') return unknownSince
  return 'since' in status ? status.since : undefined
}

/** The stop to report: of the account, of a hostname, or of the offline option. */
const firstStop = (account: AccountState, desired: DesiredState): Stop | undefined =>
  stopOf(account, desired) ??
  desired.hostnames.map((name) => hostOf(account, name).stopped).find((stop) => stop !== undefined) ??
  account.offlineRefused

interface CauseContext {
  readonly outcome: Outcome
  readonly seen: Sightings | undefined
  readonly paced: PaceDelay | undefined
  readonly isLooking: boolean
}

function causeOf(
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
  if (seen === undefined) return 'nothing was sent for it yet, and no process looks for its address now'
  const reasons = FAMILIES.flatMap((family) => {
    const because = reportSeen(family, seen[family])?.because
    return because === undefined || because === null ? [] : [`${FAMILY_NAMES[family]}: ${because}`]
  })
  const detail = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
  const isAnySeen = FAMILIES.some((family) => seen[family]?.kind === 'seen')
  return isAnySeen
    ? `one address is unknown${detail}, and the service would delete what a request does not name`
    : `no source reported a public address${detail}`
}

interface RemedyContext {
  readonly outcome: Outcome
  readonly stop: Stop | undefined
  readonly desired: DesiredState
  /** In this process. */
  readonly hasLooked: boolean
}

function remedyOf(
  { status }: AccountState,
  { outcome, stop, desired, hasLooked }: RemedyContext,
): string | undefined {
  if (outcome === 'unreached' && status.kind === 'retrying') return desired.ifUnreached
  if (stop !== undefined) return remedyFor(stop.because, stop.said)
  if (!hasLooked && outcome === 'addressUnknown')
    return 'run holdfast update, or start the daemon; holdfast detect shows what each source reports'
  if (!hasLooked && outcome === 'unreached') return 'run holdfast update, or start the daemon'
  if (outcome === 'addressUnknown')
    return 'run holdfast detect to see the answer of each source, or holdfast doctor to check the network'
  return outcome === 'waiting' && isWordlessWait(status) ? remedyForAnswer(status.detail) : undefined
}

/** Undefined for a family without a sighting, or one that the user left unset. */
function reportSeen(family: Family, sighting: Sighting | undefined): SeenReport | undefined {
  if (sighting === undefined || (sighting.kind === 'none' && sighting.isLeft)) return undefined
  if (sighting.kind === 'seen') return { family, address: sighting.address, by: sighting.by, because: null }
  const because = sighting.kind === 'none' ? 'this host has none' : sighting.because
  return { family, address: null, by: null, because }
}

function remarksOn(
  { confirmed, isOffline, unechoed, unanswered, answered, stopped }: HostState,
  seen: Sightings,
): readonly string[] {
  const isGone = (sighting: Sighting | undefined): boolean =>
    sighting?.kind === 'none' && !sighting.isLeft && !isOffline
  const lost = FAMILIES.filter((family) => confirmed[family] !== undefined && isGone(seen[family]))
  return [
    ...lost.map(
      (family) =>
        `this host has no ${FAMILY_NAMES[family]} address now, ` +
        `but ${confirmed[family]} is still published; the update protocol cannot delete it`,
    ),
    ...natRemarks(seen),
    ...listed(unechoed ?? {}).map(
      (address) => `${address} was sent, but the answer of the service does not name it: it is not confirmed`,
    ),
    ...FAMILIES.filter(
      (family) => confirmed[family] !== undefined && unanswered?.addresses[family] !== undefined,
    ).map((family) => `${unanswered?.addresses[family]} was sent, and the service has not confirmed it`),
    ...FAMILIES.filter((family) => answered?.[family] !== undefined).map(
      (family) =>
        `${confirmed[family]} was sent, but the service answered ${answered?.[family]}: look at the record there`,
    ),
    ...(stopped?.said === undefined ? [] : [wordRemark(stopped.because, stopped.said)]),
  ]
}

const saidIn = (reply: Reply): string | undefined => ('said' in reply ? reply.said : undefined)

const natRemarks = ({ v4 }: Sightings): readonly string[] =>
  v4?.kind === 'seen' && v4.nat !== undefined
    ? [`${natMeaning(v4.nat)}. What helps: ${NATS[v4.nat.kind].remedy}`]
    : []

function reportExchange(
  exchange: LoggedExchange | undefined,
): Pick<HostReport, 'sent' | 'answered' | 'meaning'> {
  if (exchange === undefined) return { sent: null, answered: null, meaning: null }
  const { addresses, offline } = exchange.sent
  const previous = exchange.previous ?? {}
  const sent = { addresses: listed(addresses), offline: offline === 'YES', previous }
  if (exchange.reply === undefined) return { sent, answered: null, meaning: null }
  return {
    sent,
    answered: formatReply(exchange.reply),
    meaning: meaningOfWord(exchange.reply.word, saidIn(exchange.reply)),
  }
}
