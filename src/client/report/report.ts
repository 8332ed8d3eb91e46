import { formatInstant, type Instant } from '../../base/time.ts'
import { type Addresses, FAMILIES, type Family, listed } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import { remedyForAnswer } from '../../protocol/answer-remedy.ts'
import { REPLIES, remedyFor } from '../../protocol/reply.ts'
import { formatReply, type Reply } from '../../protocol/reply-codec.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { AgentEvent } from '../agent/events.ts'
import type { LoopState } from '../agent/loop-state.ts'
import { FAMILY_NAMES, formatObeyedWord } from '../agent/wording.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { heldUntil, pacedIn, sightingsOf, stopOf, type WorldView } from '../decide/next-action.ts'
import type { PaceDelay } from '../decide/pace.ts'
import { isWordlessWait } from '../decide/reduce.ts'
import { type AccountState, accountOf, type HostState, hostOf, type Stop } from '../decide/state.ts'
import { type Outcome, outcomeOf } from './outcome.ts'

/** What one family looks like now: the address and the sources that say so, or why there is none. */
export interface SeenReport {
  readonly family: Family
  readonly address: string | null
  readonly by: string | null
  readonly because: string | null
}

/** What is said of one hostname: what was sent in this run, what came back, what it means, what is confirmed. */
export interface HostReport {
  readonly hostname: string
  readonly sent: { readonly addresses: readonly string[]; readonly offline: boolean } | null
  readonly answered: string | null
  readonly meaning: string | null
  readonly confirmed: Addresses
  /** RFC 3339: since when these addresses are confirmed, and when they were last. */
  readonly since: string | null
  readonly lastConfirmed: string | null
  readonly seen: readonly SeenReport[]
  /** What is worth knowing, and no reason to wait or to stop. */
  readonly remarks: readonly string[]
}

export interface AccountReport {
  readonly account: string
  /** What the user calls it. */
  readonly name: string | null
  readonly outcome: Outcome
  readonly addresses: Readonly<Record<string, string | null>>
  readonly hostnames: readonly HostReport[]
  /** Why nothing more is done: the reply word, or what went wrong. */
  readonly because: string | null
  readonly since: string | null
  readonly remedy: string | null
  /** RFC 3339; null where nothing is to be sent, or only the user's act permits another attempt. */
  readonly nextAttempt: string | null
  /** RFC 3339; null where nothing has looked, or nothing will. */
  readonly lastLook: string | null
  readonly nextLook: string | null
}

interface Exchanged {
  readonly sent: UpdateRequest
  readonly reply?: Reply
}

/** What was exchanged about a hostname. */
export interface ExchangeLog {
  readonly of: (account: string, hostname: string) => Exchanged | undefined
}

export interface Collector extends ExchangeLog {
  readonly hear: (event: AgentEvent) => void
  /** Only what is heard from now on. */
  readonly fromNow: () => ExchangeLog
}

/** Keeps what the events of a run said of each hostname; the last word wins. */
export function collector(): Collector {
  const heard = new Map<string, Exchanged>()
  const key = (account: string, hostname: string): string => `${account} ${hostname}`
  return {
    hear: (event) => {
      if ('reply' in event)
        heard.set(key(event.account, event.hostname), { sent: event.sent, reply: event.reply })
      else if ('sent' in event && wasSent(event))
        for (const name of event.sent.hostnames) heard.set(key(event.account, name), { sent: event.sent })
    },
    of: (account, hostname) => heard.get(key(account, hostname)),
    fromNow: () => {
      const before = new Map(heard)
      const of: ExchangeLog['of'] = (account, hostname) => {
        const last = heard.get(key(account, hostname))
        return last === before.get(key(account, hostname)) ? undefined : last
      }
      return { of }
    },
  }
}

/** Before there is a connection nothing was sent. */
const wasSent = (event: AgentEvent): boolean =>
  event.kind !== 'unreached' || !/^(look-up|connect|TLS):/.test(event.because)

/** Our own time, and how to show a moment of it by the wall clock. */
export interface ClockView {
  readonly now: Instant
  readonly wallAt: (at: Instant) => Instant
}

/** How things stand: the one view that status, explain, the one-shot and programs get. */
export const viewOf = (rest: LoopState, heard: ExchangeLog, when: ClockView): readonly AccountReport[] =>
  rest.jobs.map(({ desired }) => reportOn(desired, rest, heard, when))

/** How one account stands after a run. `addresses` are those seen for its first hostname. */
export function reportOn(
  desired: DesiredState,
  { state, world }: LoopState,
  heard: ExchangeLog,
  { now, wallAt }: ClockView,
): AccountReport {
  const account = accountOf(state, desired.account)
  const seen = world.sightings?.[desired.account]
  const [first = ''] = desired.hostnames
  const outcome = outcomeOf(state, desired, seen, now)
  const paced = pacedIn(state, desired, world, now)
  const stop = outcome === 'stopped' ? stopIn(account, desired) : undefined
  const shown = (at: Instant | undefined): string | null =>
    at === undefined || wallAt(at) > LAST_MOMENT ? null : formatInstant(wallAt(at))
  return {
    account: desired.account,
    name: desired.name ?? null,
    outcome,
    addresses: Object.fromEntries(
      Object.entries(sightingsOf(seen ?? {}, first)).map(([family, sighting]) => [
        family,
        sighting.kind === 'seen' ? sighting.address : null,
      ]),
    ),
    hostnames: desired.hostnames.map((hostname) => {
      const host = hostOf(account, hostname)
      const sightings = sightingsOf(seen ?? {}, hostname)
      return {
        hostname,
        ...exchangeOf(heard.of(desired.account, hostname)),
        confirmed: host.confirmed,
        since: shown(host.since ?? host.touched),
        lastConfirmed: shown(host.touched),
        seen: FAMILIES.flatMap((family) => seenReport(family, sightings[family]) ?? []),
        remarks: remarksOn(host, sightings),
      }
    }),
    because:
      stop === undefined
        ? becauseOf(account, { outcome, seen: seen && sightingsOf(seen, first), paced })
        : stop.because,
    since: shown(stop?.since ?? sinceOf(account, desired, { outcome, world })),
    remedy: remedyOf(account, outcome, stop) ?? null,
    nextAttempt:
      outcome === 'stopped' || outcome === 'settled' || outcome === 'addressUnknown'
        ? null
        : shown(heldUntil(account, now) ?? paced?.until ?? now),
    lastLook: shown(world.lastLook),
    nextLook: world.lastLook === undefined ? null : shown(world.nextLook),
  }
}

const sinceOf = (
  { status }: AccountState,
  { account }: DesiredState,
  { outcome, world }: { readonly outcome: Outcome; readonly world: WorldView },
): Instant | undefined => {
  if (outcome === 'addressUnknown') return world.unknownSince?.[account]
  return 'since' in status ? status.since : undefined
}

/** The last that a Date can hold (ECMA-262 §21.4.1.1): a one-shot looks again at none. */
const LAST_MOMENT = 8_640_000_000_000_000

/** The stop that speaks for the account: its own, the one of a name, or the one of an option. */
const stopIn = (account: AccountState, desired: DesiredState): Stop | undefined =>
  stopOf(account, desired) ??
  desired.hostnames.map((name) => hostOf(account, name).stopped).find((stop) => stop !== undefined) ??
  account.offlineRefused

interface Cause {
  readonly outcome: Outcome
  readonly seen: Readonly<Partial<Record<Family, Sighting>>> | undefined
  readonly paced: PaceDelay | undefined
}

function becauseOf({ status }: AccountState, { outcome, seen, paced }: Cause): string | null {
  if (outcome === 'waiting' && status.kind === 'waiting') {
    const cause = status.because === 'unrecognized-reply' ? 'reply not recognized' : status.because
    return status.detail === '' ? cause : `${cause}: ${status.detail}`
  }
  if (outcome === 'waiting' && paced !== undefined)
    return `the pace: no more than ${paced.most} ${paced.limit} in five minutes`
  if (outcome === 'unreached')
    return status.kind === 'retrying' ? status.detail : 'ended before the service was asked'
  if (outcome !== 'addressUnknown') return null
  const reasons = FAMILIES.flatMap((family) => {
    const report = seenReport(family, seen?.[family])
    return report?.because === undefined || report.because === null
      ? []
      : [`${FAMILY_NAMES[family]}: ${report.because}`]
  })
  if (seen === undefined) return 'no look at the address sources has been made yet'
  return `no source could tell the public address${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}`
}

function remedyOf({ status }: AccountState, outcome: Outcome, stop: Stop | undefined): string | undefined {
  if (stop !== undefined) return remedyFor(stop.because)
  if (outcome === 'addressUnknown')
    return 'holdfast detect shows what each source says, holdfast doctor what is wrong with the network'
  return outcome === 'waiting' && status.kind === 'waiting' && isWordlessWait(status)
    ? remedyForAnswer(status.detail)
    : undefined
}

const NO_ADDRESS = 'this host has no public address of this family'

function seenReport(family: Family, sighting: Sighting | undefined): SeenReport | undefined {
  if (sighting === undefined || (sighting.kind === 'none' && sighting.isLeft)) return undefined
  if (sighting.kind === 'seen') return { family, address: sighting.address, by: sighting.by, because: null }
  return {
    family,
    address: null,
    by: null,
    because: sighting.kind === 'none' ? NO_ADDRESS : sighting.because,
  }
}

function remarksOn(
  { confirmed, unechoed, stopped }: HostState,
  seen: Readonly<Partial<Record<Family, Sighting>>>,
): readonly string[] {
  const isGone = (sighting: Sighting | undefined): boolean => sighting?.kind === 'none' && !sighting.isLeft
  const lost = FAMILIES.filter((family) => confirmed[family] !== undefined && isGone(seen[family]))
  return [
    ...lost.map(
      (family) =>
        `this host has no ${FAMILY_NAMES[family]} address now, and ${confirmed[family]} is still published; the protocol cannot take it away`,
    ),
    ...listed(unechoed ?? {}).map(
      (address) => `${address} was sent, and the service did not name it in its answer: it is not confirmed`,
    ),
    ...(stopped?.said === undefined
      ? []
      : [`the service answered ${formatObeyedWord(stopped.because, stopped.said)}`]),
  ]
}

function exchangeOf(heard: Exchanged | undefined): Pick<HostReport, 'sent' | 'answered' | 'meaning'> {
  if (heard === undefined) return { sent: null, answered: null, meaning: null }
  const sent = { addresses: listed(heard.sent.addresses), offline: heard.sent.offline === 'YES' }
  if (heard.reply === undefined) return { sent, answered: null, meaning: null }
  return { sent, answered: formatReply(heard.reply), meaning: REPLIES[heard.reply.word].meaning }
}
