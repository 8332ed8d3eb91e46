import { type Instant, minutes, seconds } from '../../base/time.ts'
import { FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting, Sightings } from '../../net/sighting.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { sightingsOf, type WorldView } from '../decide/next-action.ts'
import { accountOf, hostOf, type State } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'
import { PENDING } from './look.ts'

/** What was told of unknown addresses and lost families, by subject; each is told once until it is over. */
export type ReportedCauses = Readonly<Record<string, readonly string[]>>

export interface AddressNews {
  readonly told: ReportedCauses
  readonly events: readonly AgentEvent[]
}

/** Causes that are told of one subject before it is known again: a line that comes and goes has many. */
const MAX_CAUSES = 3
/** A new address is not usable at once (RFC 4862 §5.4), and a line is redialled in seconds: only what lasts is told. */
const [UNKNOWN_AFTER, GONE_AFTER] = [seconds(10), minutes(1)]

/** What a look showed that its operator should know: that an address cannot be told, that it can again, that one is gone. */
export function addressNews(
  told: ReportedCauses,
  world: WorldView,
  state: State,
  desiredStates: readonly DesiredState[],
): AddressNews {
  const { sightings, lastLook = world.nextLook } = world
  let news: AddressNews = { told, events: [] }
  for (const desired of desiredStates.filter(
    ({ isOffline, reliesOnConnection }) => !isOffline && !reliesOnConnection,
  ))
    for (const [seen, hostnames] of groupsOf(desired, sightings?.[desired.account] ?? {}))
      news = groupNews(news, { desired, hostnames, seen, at: lastLook }, state)
  return news
}

interface Group {
  readonly desired: DesiredState
  readonly hostnames: readonly string[]
  readonly seen: Sightings
  readonly at: Instant
}

/** Names that learn their address from the same source share one object. */
function groupsOf(
  desired: DesiredState,
  byName: Parameters<typeof sightingsOf>[0],
): Map<Sightings, string[]> {
  const groups = new Map<Sightings, string[]>()
  for (const hostname of desired.hostnames) {
    const seen = sightingsOf(byName, hostname)
    groups.set(seen, [...(groups.get(seen) ?? []), hostname])
  }
  return groups
}

function groupNews(news: AddressNews, group: Group, state: State): AddressNews {
  const { desired, hostnames, seen, at } = group
  const account = accountOf(state, desired.account)
  const families = FAMILIES.filter(
    (family) => desired.families.includes(family) && seen[family] !== undefined,
  )
  const confirmed = (family: Family) =>
    hostnames.map((name) => hostOf(account, name).confirmed[family]).find((address) => address !== undefined)
  const isAnySeen = families.some((family) => seen[family]?.kind === 'seen')
  const isNoneConfirmed = families.every((family) => confirmed(family) === undefined)
  const about = { account: desired.account, hostnames } as const
  const key = (subject: string): string => `${desired.account} ${hostnames[0] ?? ''} ${subject}`
  let next = news
  if (families.length > 0 && !isAnySeen && isNoneConfirmed) {
    if (families.some((family) => seen[family] === PENDING)) return next
    const because = families.flatMap((family) => reasonOf(seen[family], family) ?? []).join('; ')
    return because === ''
      ? next
      : tell(next, key('any'), because, { kind: 'addressUnknown', ...about, because })
  }
  next = forget(next, key('any'))
  for (const family of families) {
    const sighting = seen[family]
    const address = confirmed(family)
    if (sighting?.kind === 'seen') {
      const wasUnknown = (next.told[key(family)] ?? []).length > 0
      next = ['', ' gone', ' since'].map((of) => key(`${family}${of}`)).reduce(forget, next)
      const known = { kind: 'addressKnown', ...about, family, address: sighting.address } as const
      if (wasUnknown) next = { ...next, events: [...next.events, known] }
    } else if (address !== undefined && sighting !== undefined) {
      const [since = String(at)] = next.told[key(`${family} since`)] ?? []
      next = { ...next, told: { ...next.told, [key(`${family} since`)]: [since] } }
      const span = at - Number(since)
      if (sighting.kind === 'none' && !sighting.isLeft && span >= GONE_AFTER)
        next = tell(next, key(`${family} gone`), 'gone', { kind: 'familyGone', ...about, family, address })
      if (sighting.kind === 'unknown' && !sighting.isHeld && span >= UNKNOWN_AFTER) {
        const { because } = sighting
        next = tell(next, key(family), because, { kind: 'addressUnknown', ...about, family, because })
      }
    }
  }
  return next
}

const NAMES = { v4: 'IPv4', v6: 'IPv6' } as const

/** Why a family is not seen; undefined where an address is known and held back. */
function reasonOf(sighting: Sighting | undefined, family: Family): string | undefined {
  if (sighting?.kind === 'none')
    return sighting.isLeft ? undefined : `${NAMES[family]}: no source sees a public address`
  return sighting?.kind === 'unknown' && !sighting.isHeld
    ? `${NAMES[family]}: ${sighting.because}`
    : undefined
}

function tell({ told, events }: AddressNews, key: string, because: string, event: AgentEvent): AddressNews {
  const causes = told[key] ?? []
  const cause = essenceOf(because)
  if (causes.includes(cause) || causes.length >= MAX_CAUSES) return { told, events }
  return { told: { ...told, [key]: [...causes, cause] }, events: [...events, event] }
}

const forget = ({ told, events }: AddressNews, key: string): AddressNews => {
  const { [key]: _over, ...rest } = told
  return { told: rest, events }
}

/** The same cause is worded with other addresses, and its parts come in another order. */
const essenceOf = (because: string): string =>
  because
    .replace(/[0-9a-f]*[.:][0-9a-f.:]+|\d+/gi, '#')
    .split(/[;:] /)
    .toSorted()
    .join('; ')
