import { after, between, formatInstant, type Instant, LAST_INSTANT } from '../../shared/base/time.ts'
import { type Addresses, FAMILIES, FAMILY_NAMES, listed } from '../../shared/base/address.ts'
import { natMeaning, NATS } from '../../shared/base/nat.ts'
import type { Sighting, Sightings } from '../../shared/base/sighting.ts'
import { withQuote } from '../../shared/protocol/said-text.ts'
import { isAddressedWord, meaningOfWord, type ServiceNouns } from '../../shared/protocol/reply.ts'
import type { LoopState } from '../agent/agent.ts'
import { wordRemark } from '../agent/wording.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { heldUntil, isRequestDue, pacedIn, sightingsOf } from '../decide/next-action.ts'
import { accountOf, type AccountState, hostOf, type HostState } from '../decide/state.ts'
import { HIDDEN_BY_SERVICE, type Publication } from '../verify/publication.ts'
import {
  causeOf,
  firstStop,
  type Outcome,
  outcomeOf,
  remedyOf,
  reportSeen,
  saidBy,
  type SeenReport,
  stoppedAloneOf,
} from './cause.ts'
import type { ClientTime } from '../agent/memory/client-time.ts'
import { formatReply, type Reply } from '../../shared/protocol/reply-codec.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import type { AgentEvent } from '../agent/events.ts'

/** The last request for a hostname, and the reply to it. */
interface LoggedExchange {
  readonly sent: UpdateRequest
  readonly reply?: Reply
  /** The addresses that were confirmed before a reply that confirms others. */
  readonly previous?: Addresses
}

export interface ExchangeView {
  get(account: string, hostname: string): LoggedExchange | undefined
}

/** The last exchange of each hostname in this run, from the events. */
export class ExchangeLog implements ExchangeView {
  readonly #exchanges = new Map<string, LoggedExchange>()

  record(event: AgentEvent): void {
    if ('reply' in event)
      this.#exchanges.set(hostnameKey(event.account, event.hostname), {
        sent: event.sent,
        reply: event.reply,
        ...('previous' in event && { previous: event.previous }),
      })
    else if ('sent' in event && wasSent(event))
      for (const hostname of event.sent.hostnames)
        this.#exchanges.set(hostnameKey(event.account, hostname), { sent: event.sent })
  }

  get(account: string, hostname: string): LoggedExchange | undefined {
    return this.#exchanges.get(hostnameKey(account, hostname))
  }

  /** A view of the exchanges that are recorded after this call. */
  fromNow(): ExchangeView {
    const before = new Map(this.#exchanges)
    return {
      get: (account, hostname) => {
        const last = this.get(account, hostname)
        return last === before.get(hostnameKey(account, hostname)) ? undefined : last
      },
    }
  }
}

/** One hostname of an account, as a key. */
export const hostnameKey = (account: string, hostname: string): string => `${account} ${hostname}`

/** A request is not sent before there is a connection. */
const wasSent = (event: AgentEvent): boolean =>
  event.kind !== 'unreached' || !/^(look-up|connect|TLS):/.test(event.because)

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
  /** The reply word is Holdfast's, not the service's. Missing in reports of earlier versions. */
  readonly isOwnWord?: true
  readonly confirmed: Addresses
  readonly isOffline: boolean
  /** RFC 3339: when these addresses were first and last confirmed. */
  readonly since: string | null
  readonly lastConfirmed: string | null
  /** RFC 3339: since when updates of this hostname alone are stopped. Missing in reports of earlier versions. */
  readonly stoppedSince?: string | null
  /** What the service answered in the place of an address that was sent. Missing in reports of earlier versions. */
  readonly different?: Addresses
  /** The DNS gives addresses of the service. Missing in reports of earlier versions. */
  readonly isProxied?: true
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
  /** What the service is called. Missing where only its address is known. */
  readonly service?: string
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
  /** The same cause for a person, where the service said it: with its own words. Missing in reports of earlier versions. */
  readonly said?: string | null
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
    ...(desired.nouns?.service !== undefined && { service: desired.nouns.service }),
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
      const published = publications?.get(desired.account, hostname) ?? hiddenOf(host)
      return {
        hostname,
        ...reportExchange(exchanges.get(desired.account, hostname), desired.nouns),
        confirmed: host.confirmed,
        isOffline: host.isOffline,
        different: host.answered ?? {},
        since: time(host.since ?? host.touched),
        lastConfirmed: time(host.touched),
        stoppedSince: time(host.stopped?.since),
        // What was published may be another address by now.
        published: host.unanswered === undefined ? published : null,
        ...(host.isProxied === true && { isProxied: true as const }),
        seen: FAMILIES.flatMap((family) => reportSeen(family, seen[family]) ?? []),
        remarks: remarksOn(host, seen, desired.nouns),
      }
    }),
    because:
      stop === undefined ? causeOf(account, { outcome, seen: seenFirst, paced, isLooking }) : stop.because,
    said: saidBy(stop, account, { outcome, nouns: desired.nouns }),
    since: time(stop?.since ?? sinceOf(account, outcome, world.unknownSince?.[desired.account])),
    remedy:
      remedyOf(account, { outcome, stop, desired, hasLooked: isLooking || seenFirst !== undefined }) ?? null,
    nextAttempt: hasAttempt ? time(heldUntil(account, now) ?? paced?.until ?? now) : null,
    lastLook: time(world.lastLook),
    nextLook: world.lastLook === undefined ? null : time(world.nextLook),
  }
}

const hiddenOf = ({ isProxied }: HostState): Publication | null =>
  isProxied === true ? HIDDEN_BY_SERVICE : null

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

function remarksOn(
  { confirmed, isOffline, unechoed, unanswered, answered, stopped }: HostState,
  seen: Sightings,
  nouns: ServiceNouns | undefined,
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
    ...(stopped?.said === undefined || nouns?.speaksWords === false
      ? []
      : [wordRemark(stopped.because, stopped.said)]),
  ]
}

const saidIn = (reply: Reply): string | undefined => ('said' in reply ? reply.said : undefined)

const natRemarks = ({ v4 }: Sightings): readonly string[] =>
  v4?.kind === 'seen' && v4.nat !== undefined
    ? [`${natMeaning(v4.nat)}. What helps: ${NATS[v4.nat.kind].remedy}`]
    : []

function reportExchange(
  exchange: LoggedExchange | undefined,
  nouns: ServiceNouns | undefined,
): Pick<HostReport, 'sent' | 'answered' | 'meaning' | 'isOwnWord'> {
  if (exchange === undefined) return { sent: null, answered: null, meaning: null }
  const { addresses, offline } = exchange.sent
  const previous = exchange.previous ?? {}
  const sent = { addresses: listed(addresses), offline: offline === 'YES', previous }
  if (exchange.reply === undefined) return { sent, answered: null, meaning: null }
  const isOwnWord = nouns?.speaksWords === false && !isAddressedWord(exchange.reply.word)
  return {
    sent,
    answered: formatReply(exchange.reply),
    ...(isOwnWord && { isOwnWord }),
    meaning: withQuote(meaningOfWord(exchange.reply.word, saidIn(exchange.reply), nouns), exchange.reply),
  }
}

/** The present moment for reports. The clocks are read once: a report shows several moments for each of many hostnames. */
export function clockView(time: ClientTime): ClockView {
  const now = time.now()
  const wall = time.wallAt(now)
  return { now, wallAt: (at) => after(wall, between(now, at)) }
}
