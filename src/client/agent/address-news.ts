import { type Instant, minutes, seconds } from '../../base/time.ts'
import { FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting, Sightings } from '../../net/sighting.ts'
import { type View, sightingsOf } from '../decide/next.ts'
import type { Plan } from '../decide/plan.ts'
import { type State, accountOf, hostOf } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'
import { PENDING } from './look.ts'

/** What was told of unknown addresses and lost families, by subject; each is told once until it is over. */
export type Told = Readonly<Record<string, readonly string[]>>

export interface News {
  readonly told: Told
  readonly events: readonly AgentEvent[]
}

/** Causes that are told of one subject before it is known again: a line that comes and goes has many. */
const MAX_CAUSES = 3
/** A new address is not usable at once (RFC 4862 §5.4), and a line is redialled in seconds: only what lasts is told. */
const [UNKNOWN_AFTER, GONE_AFTER] = [seconds(10), minutes(1)]

/** What a look showed that its operator should know: that an address cannot be told, that it can again, that one is gone. */
export function addressNews(told: Told, view: View, state: State, plans: readonly Plan[]): News {
  const { sightings, lastLook = view.nextLook } = view
  let news: News = { told, events: [] }
  for (const plan of plans.filter(({ isOffline, reliesOnConnection }) => !isOffline && !reliesOnConnection))
    for (const [seen, hostnames] of groupsOf(plan, sightings?.[plan.account] ?? {}))
      news = groupNews(news, { plan, hostnames, seen, at: lastLook }, state)
  return news
}

interface Group {
  readonly plan: Plan
  readonly hostnames: readonly string[]
  readonly seen: Sightings
  readonly at: Instant
}

/** Names that learn their address from the same source share one object. */
function groupsOf(plan: Plan, byName: Parameters<typeof sightingsOf>[0]): Map<Sightings, string[]> {
  const groups = new Map<Sightings, string[]>()
  for (const hostname of plan.hostnames) {
    const seen = sightingsOf(byName, hostname)
    groups.set(seen, [...(groups.get(seen) ?? []), hostname])
  }
  return groups
}

function groupNews(news: News, group: Group, state: State): News {
  const { plan, hostnames, seen, at } = group
  const account = accountOf(state, plan.account)
  const families = FAMILIES.filter((family) => plan.families.includes(family) && seen[family] !== undefined)
  const confirmed = (family: Family) =>
    hostnames.map((name) => hostOf(account, name).confirmed[family]).find((address) => address !== undefined)
  const isAnySeen = families.some((family) => seen[family]?.kind === 'seen')
  const isNoneConfirmed = families.every((family) => confirmed(family) === undefined)
  const about = { account: plan.account, hostnames } as const
  const key = (subject: string): string => `${plan.account} ${hostnames[0] ?? ''} ${subject}`
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

function tell({ told, events }: News, key: string, because: string, event: AgentEvent): News {
  const causes = told[key] ?? []
  const cause = essenceOf(because)
  if (causes.includes(cause) || causes.length >= MAX_CAUSES) return { told, events }
  return { told: { ...told, [key]: [...causes, cause] }, events: [...events, event] }
}

const forget = ({ told, events }: News, key: string): News => {
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
