/**
 * The publication of a zone or a name: the same word in `/v1`, the console, `holdfast admin` and the metrics. `published`
 * means that the service or all secondaries answer with the stored state; every other word gives the reason (decision 0064).
 */

/** The stored state of a zone; see `zoneStatesOf` in the store. */
export type ZoneState = 'published' | 'pending' | 'unproved'

/** The stored states of a name, by precedence. */
const NAME_STATES = ['blocked', 'unproved', 'stuck', 'offline', 'no_address', 'pending', 'published'] as const
export type NameState = (typeof NAME_STATES)[number]

/** The publications of a zone. */
export const ZONE_PUBLICATIONS = ['published', 'pending', 'behind', 'unserved', 'unproved'] as const
export type ZonePublication = (typeof ZONE_PUBLICATIONS)[number]

/** The publications of a name, worst first. */
export const NAME_PUBLICATIONS = [
  'unserved',
  'unproved',
  'stuck',
  'blocked',
  'behind',
  'pending',
  'offline',
  'no_address',
  'published',
] as const
export type NamePublication = (typeof NAME_PUBLICATIONS)[number]

/** Who answers queries, from the settings dns_listen, answer_queries and secondaries. */
export type Answerer = 'service' | 'secondaries' | 'nobody'

export function answererOf(settings: {
  readonly dnsListen: readonly unknown[]
  readonly answerQueries: boolean
  readonly secondaries: readonly unknown[]
}): Answerer {
  // Without a listener, secondaries cannot fetch a zone either.
  if (settings.dnsListen.length === 0) return 'nobody'
  if (settings.answerQueries) return 'service'
  return settings.secondaries.length > 0 ? 'secondaries' : 'nobody'
}

/** `isBehind`: a secondary has not fetched the zone, or this is unknown. */
interface GivenBy {
  readonly answerer: Answerer
  readonly isBehind: boolean
}

const given = <S extends 'pending' | 'published'>(
  state: S,
  { answerer, isBehind }: GivenBy,
): S | 'unserved' | 'behind' => {
  if (answerer === 'nobody') return 'unserved'
  return state === 'published' && answerer === 'secondaries' && isBehind ? 'behind' : state
}

export const zonePublication = (state: ZoneState, by: GivenBy): ZonePublication =>
  state === 'unproved' ? state : given(state, by)

export function namePublication(state: NameState, by: GivenBy): NamePublication {
  if (state === 'pending' || state === 'published') return given(state, by)
  // `unserved` takes precedence over `no_address`, `offline` and `stuck`.
  return by.answerer === 'nobody' && !ALWAYS_SAID.has(state) ? 'unserved' : state
}

const ALWAYS_SAID: ReadonlySet<NameState> = new Set(['blocked', 'unproved'])

/** Names in one of these states, optionally only inside or outside these zones. */
export interface StateFilter {
  readonly states: readonly NameState[]
  readonly zones?: { readonly ids: readonly number[]; readonly areIn: boolean }
}

/** The zones that are behind; before the first comparison has ended, the zones that are not. */
export interface LateZones<Z> {
  readonly zones: readonly Z[]
  readonly areBehind: boolean
}

/** The stored states that correspond to these publications. */
export function storedStates(
  words: readonly NamePublication[],
  { answerer, late }: { readonly answerer: Answerer; readonly late: LateZones<number> },
): readonly StateFilter[] {
  const { zones: ids, areBehind } = late
  const wordOf = (state: NameState, isBehind: boolean): NamePublication =>
    namePublication(state, { answerer, isBehind })
  const statesOf = (isBehind: boolean): readonly NameState[] =>
    NAME_STATES.filter((state) => words.includes(wordOf(state, isBehind)))
  const [listed, others] = [statesOf(areBehind), statesOf(!areBehind)]
  return ids.length === 0
    ? [{ states: others }]
    : [
        { states: listed, zones: { ids, areIn: true } },
        { states: others, zones: { ids, areIn: false } },
      ]
}

/** Zones per publication. `changed`: zones with unpublished changes. */
export function zonesByPublication(
  totals: { readonly zones: number; readonly unproved: number; readonly changed: readonly number[] },
  { answerer, late }: { readonly answerer: Answerer; readonly late: LateZones<number> },
): Readonly<Record<ZonePublication, number>> {
  const proved = totals.zones - totals.unproved
  const none = { published: 0, pending: 0, behind: 0, unserved: 0, unproved: totals.unproved }
  if (answerer === 'nobody') return { ...none, unserved: proved }
  const pending = totals.changed.length
  if (answerer === 'service') return { ...none, pending, published: proved - pending }
  const changed = new Set(totals.changed)
  const listed = late.zones.filter((id) => !changed.has(id)).length
  const behind = Math.max(0, late.areBehind ? listed : proved - pending - listed)
  return { ...none, pending, behind, published: Math.max(0, proved - pending - behind) }
}
