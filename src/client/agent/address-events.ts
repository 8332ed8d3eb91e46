import { type Duration, type Instant, minutes, seconds } from '../../shared/base/time.ts'
import { type Address, FAMILIES, type Family, FAMILY_NAMES } from '../../shared/base/address.ts'
import type { Sighting, Sightings } from '../../shared/base/sighting.ts'
import { isHolding } from '../../shared/protocol/request-form.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { type SightingsByName, sightingsOf, type WorldView } from '../decide/next-action.ts'
import { accountOf, hostOf, type State } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'
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
    const isReported = !sighting.isHeld && span >= UNKNOWN_AFTER
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
