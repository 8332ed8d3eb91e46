import { type Address, FAMILIES, type Family, FAMILY_NAMES } from '../../shared/base/address.ts'
import { isHolding, type UpdateRequest } from '../../shared/protocol/request.ts'
import { pacedIn, type SightingsByName, sightingsOf, stopOf, type WorldView } from '../decide/next-action.ts'
import type { Observation } from '../decide/observation.ts'
import { accountOf, type AccountState, hostOf, NEW_STATE, type State, type Stop } from '../decide/state.ts'
import type { Agent, LoopState } from './agent.ts'
import type { AgentEvent } from './events.ts'
import { actionOf, isReplyWord, PLAIN_NOUNS, remedyFor } from '../../shared/protocol/reply.ts'
import { unechoedOf } from '../decide/confirmation.ts'
import { type Duration, type Instant, minutes, seconds } from '../../shared/base/time.ts'
import { saidText, waitText } from '../../shared/protocol/said-text.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import type { Sighting, Sightings } from '../../shared/base/sighting.ts'
import { PENDING } from './look.ts'

/** By subject: the causes of an unknown address or a lost family that were reported since the address was last known. */
export type ReportedCauses = Readonly<Record<string, readonly string[]>>

interface AddressEvents {
  readonly reported: ReportedCauses
  readonly events: readonly AgentEvent[]
}

interface Context {
  readonly world: WorldView
  readonly state: State
  readonly desiredStates: readonly DesiredState[]
}

/** For each subject: an unstable connection fails for many causes. */
const MAX_CAUSES = 3
/**
 * A new address is not usable at once (RFC 4862 §5.4), and a line reconnects
 * within seconds: shorter gaps are not reported.
 */
const UNKNOWN_AFTER = seconds(10)
const GONE_AFTER = minutes(1)

/** The events of a look: an address became unknown, is known again, or a published family is gone. */
export function addressEvents(
  reported: ReportedCauses,
  { world, state, desiredStates }: Context,
): AddressEvents {
  const { sightings, lastLook = world.nextLook } = world
  const groups = desiredStates
    .filter(({ isOffline, reliesOnConnection }) => !isOffline && !reliesOnConnection)
    .flatMap((desired) =>
      groupsOf(desired, { state, byName: sightings?.[desired.account] ?? {}, at: lastLook }),
    )
  return groups.reduce<AddressEvents>((known, group) => groupEvents(known, group), { reported, events: [] })
}

/** Hostnames of one account that learn their addresses from the same source. */
interface ObservedGroup {
  readonly account: string
  readonly hostnames: readonly string[]
  readonly families: readonly Family[]
  readonly seen: Sightings
  readonly confirmed: (family: Family) => Address | undefined
  /** A family that is unknown and was never confirmed holds all requests. */
  readonly isHeld: boolean
  readonly at: Instant
}

interface Look extends Pick<Context, 'state'> {
  readonly byName: SightingsByName
  readonly at: Instant
}

/** Hostnames with the same source share one `Sightings` object. */
function groupsOf(desired: DesiredState, { state, byName, at }: Look): readonly ObservedGroup[] {
  const namesBySightings = new Map<Sightings, string[]>()
  for (const hostname of desired.hostnames) {
    const seen = sightingsOf(byName, hostname)
    const names = namesBySightings.get(seen)
    if (names === undefined) namesBySightings.set(seen, [hostname])
    else names.push(hostname)
  }
  const { account } = desired
  const known = accountOf(state, account)
  return [...namesBySightings].map(([seen, hostnames]) => ({
    account,
    hostnames,
    families: FAMILIES.filter((family) => desired.families.includes(family) && seen[family] !== undefined),
    seen,
    confirmed: (family) =>
      hostnames.map((name) => hostOf(known, name).confirmed[family]).find((address) => address !== undefined),
    isHeld: isHolding(desired.form.absentFamily),
    at,
  }))
}

function groupEvents(known: AddressEvents, group: ObservedGroup): AddressEvents {
  const { families, seen, confirmed } = group
  const isAnySeen = families.some((family) => seen[family]?.kind === 'seen')
  const isAnyConfirmed = families.some((family) => confirmed(family) !== undefined)
  if (families.length > 0 && !isAnySeen && !isAnyConfirmed) return nothingKnown(known, group)
  const next = forget(known, subjectKey(group, 'any'))
  return families.reduce((events, family) => familyEvents(events, group, family), next)
}

/** No family was seen, and none is published. */
function nothingKnown(known: AddressEvents, group: ObservedGroup): AddressEvents {
  const { account, hostnames, families, seen } = group
  if (families.some((family) => seen[family] === PENDING)) return known
  const because = families.flatMap((family) => reasonOf(seen[family], family) ?? []).join('; ')
  return because === ''
    ? known
    : report(
        known,
        { key: subjectKey(group, 'any'), cause: families.map((family) => causeOf(seen[family])).join('; ') },
        { kind: 'addressUnknown', account, hostnames, because },
      )
}

function familyEvents(known: AddressEvents, group: ObservedGroup, family: Family): AddressEvents {
  const { account, hostnames, seen, confirmed, isHeld, at } = group
  const sighting = seen[family]
  if (sighting === undefined) return known
  if (sighting.kind === 'seen') return familySeen(known, group, { family, address: sighting.address })
  const address = confirmed(family)
  if (address === undefined && !(isHeld && sighting.kind === 'unknown')) return known
  const sinceKey = subjectKey(group, `${family} since`)
  const [since = String(at)] = known.reported[sinceKey] ?? []
  const next = { ...known, reported: { ...known.reported, [sinceKey]: [since] } }
  const span = (at - Number(since)) as Duration
  const about = { account, hostnames, family }
  if (sighting.kind === 'unknown') {
    // The line watch reports a held line.
    const isHeld = sighting.isHeld === true || (sighting.lineHeld !== undefined && address !== undefined)
    const isReported = !isHeld && span >= UNKNOWN_AFTER
    const { because } = sighting
    return isReported
      ? report(
          next,
          { key: subjectKey(group, family), cause: causeOf(sighting) },
          { kind: 'addressUnknown', ...about, because },
        )
      : next
  }
  return address !== undefined && !sighting.isLeft && span >= GONE_AFTER
    ? report(
        next,
        { key: subjectKey(group, `${family} gone`), cause: 'gone' },
        { kind: 'familyGone', ...about, address },
      )
    : next
}

function familySeen(
  known: AddressEvents,
  group: ObservedGroup,
  { family, address }: { readonly family: Family; readonly address: Address },
): AddressEvents {
  const { account, hostnames } = group
  const wasUnknown = (known.reported[subjectKey(group, family)] ?? []).length > 0
  const next = ['', ' gone', ' since']
    .map((kind) => subjectKey(group, `${family}${kind}`))
    .reduce(forget, known)
  const event = { kind: 'addressKnown', account, hostnames, family, address } as const
  return wasUnknown ? { ...next, events: [...next.events, event] } : next
}

const subjectKey = ({ account, hostnames }: ObservedGroup, subject: string): string =>
  `${account} ${hostnames[0] ?? ''} ${subject}`

/** Why a family is not seen; undefined where a known address is held until it is stable. */
function reasonOf(sighting: Sighting | undefined, family: Family): string | undefined {
  if (sighting?.kind === 'none')
    return sighting.isLeft ? undefined : `${FAMILY_NAMES[family]}: no source sees a public address`
  return sighting?.kind === 'unknown' && !sighting.isHeld
    ? `${FAMILY_NAMES[family]}: ${sighting.because}`
    : undefined
}

/** What a sighting reports once. */
const causeOf = (sighting: Sighting | undefined): string =>
  sighting?.kind === 'unknown' ? (sighting.cause ?? normalized(sighting.because)) : ''

interface ReportedCause {
  readonly key: string
  readonly cause: string
}

/** Adds the event, unless its cause was reported before. */
function report(known: AddressEvents, { key, cause }: ReportedCause, event: AgentEvent): AddressEvents {
  const causes = known.reported[key] ?? []
  if (causes.includes(cause) || causes.length >= MAX_CAUSES) return known
  return {
    reported: { ...known.reported, [key]: [...causes, cause] },
    events: [...known.events, event],
  }
}

const forget = ({ reported, events }: AddressEvents, key: string): AddressEvents => {
  const { [key]: _removed, ...others } = reported
  return { reported: others, events }
}

/** The same cause comes with other addresses and numbers, and with its parts in another order. */
const normalized = (because: string): string =>
  because
    .replace(/[0-9a-f]*[.:][0-9a-f.:]+|\d+/gi, '#')
    .split(/[;:] /)
    .toSorted()
    .join('; ')

/** By account key: the end of the delay that was reported last. */
type ReportedDelays = Readonly<Record<string, Instant>>

/** The updates that the pace delays: one event for each end of a delay, even if the address changes several times. */
function paceEvents(
  reported: ReportedDelays,
  { state, world, jobs, action }: LoopState,
  now: Instant,
): { readonly reported: ReportedDelays; readonly events: readonly AgentEvent[] } {
  const events = jobs.flatMap(({ desired }) => {
    // What is sent next is not delayed.
    if (action.kind === 'send' && action.account === desired.account) return []
    const delay = pacedIn(state, desired, { world, now })
    return delay === undefined || delay.until === reported[desired.account]
      ? []
      : [{ kind: 'paced', account: desired.account, ...delay } as const]
  })
  const delays = Object.fromEntries(events.map(({ account, until }) => [account, until]))
  return { reported: { ...reported, ...delays }, events }
}

/** The stops, waits and retries that are new in the second state. */
function stateEvents(
  before: State,
  current: State,
  { desiredStates, now }: { readonly desiredStates: readonly DesiredState[]; readonly now: Instant },
): readonly AgentEvent[] {
  return desiredStates.flatMap((desired): readonly AgentEvent[] => {
    const change = {
      desired,
      was: accountOf(before, desired.account),
      is: accountOf(current, desired.account),
    }
    const stop = stopOf(change.is, desired)
    if (stop === undefined) return [...hostStops(change), ...offlineRefusal(change), ...delays(change, now)]
    return stopOf(change.was, desired) === undefined ? [stopped(desired, stop)] : []
  })
}

interface AccountChange {
  readonly desired: DesiredState
  readonly was: AccountState
  readonly is: AccountState
}

function stopped({ account, nouns = PLAIN_NOUNS }: DesiredState, stop: Stop) {
  const { because, since, said } = stop
  const remedy = remedyFor(because, said, nouns)
  return {
    kind: 'stopped',
    account,
    because,
    since,
    ...(said !== undefined && { said }),
    text: saidText(stop, nouns),
    ...(remedy !== undefined && { remedy }),
  } as const
}

/** Where a stop of one hostname stops the account, `stopOf` has found none. */
const hostStops = ({ desired, was, is }: AccountChange): readonly AgentEvent[] =>
  desired.nohostStops === 'account'
    ? []
    : desired.hostnames.flatMap((hostname) => {
        const stop = hostOf(is, hostname).stopped
        return stop === undefined || hostOf(was, hostname).stopped !== undefined
          ? []
          : [{ ...stopped(desired, stop), hostname }]
      })

const offlineRefusal = ({ desired, was, is }: AccountChange): readonly AgentEvent[] =>
  is.offlineRefused !== undefined && was.offlineRefused === undefined
    ? [{ kind: 'offlineRefused', account: desired.account }]
    : []

function delays({ desired, was, is }: AccountChange, now: Instant): readonly AgentEvent[] {
  const { account, nouns = PLAIN_NOUNS } = desired
  const { status } = is
  if (status === was.status) return []
  if (status.kind === 'waiting') {
    const { until, because, detail } = status
    const text = isReplyWord(because) ? waitText(because, detail, nouns) : undefined
    return [{ kind: 'waiting', account, until, because, detail, ...(text !== undefined && { text }) }]
  }
  // The next endpoint is tried immediately: that is no delay.
  if (status.kind !== 'retrying' || status.until <= now) return []
  return [{ kind: 'retrying', account, until: status.until, because: status.detail }]
}

type Answered = Extract<Observation, { kind: 'answered' }>

/** The events of one exchange: what was sent, and what came back. `before` is the state before the reply. */
export function exchangeEvents(
  observation: Observation,
  sent: UpdateRequest,
  before: State,
): readonly AgentEvent[] {
  const moved =
    'isMoved' in observation ? [{ kind: 'movedToHttps', account: observation.account } as const] : []
  if (observation.kind === 'answered')
    return [
      ...moved,
      ...observation.replies.flatMap((_, at) => replyEvents(observation, { sent, before, at })),
    ]
  if (observation.kind === 'unreached')
    return [...moved, { kind: 'unreached', account: observation.account, because: observation.because, sent }]
  if (observation.kind !== 'notUnderstood') return []
  const { account, because, looksLikePortal } = observation
  const portal = looksLikePortal ? [{ kind: 'captivePortal', account, because } as const] : []
  return [...moved, { kind: 'notUnderstood', account, because, sent }, ...portal]
}

interface ReplyContext {
  readonly sent: UpdateRequest
  readonly before: State
  readonly at: number
}

/** The events of the reply to the hostname at this index. */
function replyEvents(
  { account, replies }: Answered,
  { sent, before, at }: ReplyContext,
): readonly AgentEvent[] {
  const reply = replies[at]
  if (reply === undefined) return []
  const hostname = sent.hostnames[at] ?? ''
  const about = { account, hostname, reply, sent }
  if (actionOf(reply.word).kind !== 'settled') return [{ kind: 'refused', ...about }]
  const previous = hostOf(accountOf(before, account), hostname).confirmed
  const isDifferent = 'addresses' in reply && namesOther(reply.addresses, sent)
  return [
    { kind: isDifferent ? 'confirmedDifferent' : 'settled', previous, ...about },
    ...unechoedOf(sent.addresses, reply).map((family) => ({ kind: 'unechoed', family, ...about }) as const),
  ]
}

/** Whether an answer names an address that was not sent. A request without addresses leaves the choice to the service. */
const namesOther = (answered: readonly string[], { addresses }: UpdateRequest): boolean =>
  answered.some((address) => !FAMILIES.some((family) => addresses[family] === address)) &&
  FAMILIES.some((family) => addresses[family] !== undefined)

/** Emits what changed, and remembers what it has reported so that each change causes one event. */
export class ChangeReporter {
  readonly #agent: Pick<Agent, 'clock' | 'emit'>
  #state: State
  #causes: ReportedCauses = {}
  #delays: ReportedDelays = {}
  #hasAnswered = false
  /** Accounts whose service sent a page. */
  readonly #pages = new Set<string>()

  constructor(agent: Pick<Agent, 'clock' | 'emit'>, state: State) {
    this.#agent = agent
    this.#state = state
  }

  /** Stops and waits that were saved by an earlier process are new to the user who starts this one. */
  forgetState(): void {
    this.#state = NEW_STATE
  }

  /** Reports new stops, waits and delays. A request that is being sent is not delayed by itself. */
  reportState(loop: LoopState, isSending = false): void {
    const now = this.#agent.clock.now()
    const desiredStates = loop.jobs.map(({ desired }) => desired)
    const changes = stateEvents(this.#state, loop.state, { desiredStates, now })
    const pace = isSending ? { reported: this.#delays, events: [] } : paceEvents(this.#delays, loop, now)
    this.#state = loop.state
    this.#delays = pace.reported
    this.#emit([...changes, ...pace.events])
  }

  /** Reports what the last look saw. */
  reportAddresses({ jobs, state, world }: LoopState): void {
    const desiredStates = jobs.map(({ desired }) => desired)
    const { reported, events } = addressEvents(this.#causes, { world, state, desiredStates })
    this.#causes = reported
    this.#emit(events)
  }

  /** Reports the result of a request. `world` is the view that the request was based on. */
  reportExchange(observation: Observation, request: UpdateRequest, world: WorldView): void {
    const events = exchangeEvents(observation, request, this.#state)
    for (const event of events) if (event.kind === 'captivePortal') this.#pages.add(event.account)
    // One place alone may only be down, or not be a service.
    const places = this.#pages.size + (isPageSeen(world) ? 1 : 0)
    const mayBePortal = !this.#hasAnswered && places > 1
    this.#emit(events.filter(({ kind }) => kind !== 'captivePortal' || mayBePortal))
    this.#hasAnswered ||= observation.kind === 'answered'
  }

  #emit(events: readonly AgentEvent[]): void {
    for (const event of events) this.#agent.emit(event)
  }
}

/** Whether an address source answered with a page too. */
const isPageSeen = ({ sightings }: WorldView): boolean =>
  Object.values(sightings ?? {})
    .flatMap((byName) => Object.values(byName))
    .some((seen) =>
      FAMILIES.some((family) => {
        const sighting = seen[family]
        return sighting !== undefined && sighting.kind !== 'none' && sighting.isPage === true
      }),
    )
