import type { DnsRecord } from '../../shared/dns/types.ts'
import { APEX, canonicalName, fqdnOf, parentOf, relativeTo } from '../model/dns-name.ts'
import type { StoredState } from '../store/published.ts'
import type { StoreWrites } from '../store/store.ts'
import { SOA_ALONE, type ZoneFlush } from './batch.ts'
import { MAX_CHAIN } from './chain.ts'
import { ownerKey } from './owner.ts'
import { rendered, type RenderContext } from './render.ts'

/** A name may have hundreds of records, and an ALIAS has those of its target. Each zone has its share. */
const RECORDS_PER_FLUSH = 4000
const RECORDS_PER_ZONE = 50

export interface OwnerRecords {
  readonly owner: string
  readonly records: readonly DnsRecord[]
}

/** What the names of a zone have from now on, with those that follow them. */
export async function zoneRecords(w: StoreWrites, flushed: ZoneFlush): Promise<readonly OwnerRecords[]> {
  const { zone, settings, onNameFault, names } = flushed
  const context: RenderContext = {
    apex: zone.apex,
    settings,
    stateAt: onceFor(async (name) => w.storedState(zone.id, name)),
    zoneOf: async (fqdn) => highestZone(w, fqdn, zone.apex),
  }
  const own = [...new Set([...names.changed, ...names.deferred])].filter((name) => name !== SOA_ALONE)
  const ownStates = await w.storedStates(zone.id, own)
  const weights = await withinShare(flushed, { own, stateOf: ownStates, context })
  const aliases = await aliasesAmong(w, flushed, weights)
  const aliasStates = aliases.length === 0 ? ownStates : await w.storedStates(zone.id, aliases)
  const recordsAt = async (name: string): Promise<readonly OwnerRecords[]> => {
    try {
      const state = weights.has(name) ? ownStates(name) : aliasStates(name)
      return [{ owner: ownerKey(name), records: await rendered(name, state, context) }]
    } catch (error) {
      onNameFault({ zoneId: zone.id, name, fqdn: fqdnOf(name, zone.apex), error })
      return []
    }
  }
  return (await Promise.all([...weights.keys(), ...aliases].map(recordsAt))).flat()
}

/** Names with the same target read it once. */
function onceFor<V>(read: (name: string) => Promise<V>): (name: string) => Promise<V> {
  const found = new Map<string, Promise<V>>()
  return async (name) => {
    const value = found.get(name) ?? read(name)
    found.set(name, value)
    return value
  }
}

interface Weighed {
  readonly own: readonly string[]
  readonly stateOf: (name: string) => StoredState | undefined
  readonly context: RenderContext
}

/** The names that are flushed now, with their records; those beyond the share of the zone are left to the next flush. */
async function withinShare(
  { zone, names, batch }: ZoneFlush,
  { own, stateOf, context }: Weighed,
): Promise<ReadonlyMap<string, number>> {
  const weights = new Map<string, number>()
  const left = new Set<string>()
  let room = Math.max(RECORDS_PER_ZONE, RECORDS_PER_FLUSH / batch.zones.size)
  for (const name of own) {
    if (room <= 0 && !names.added.has(name)) {
      left.add(name)
      continue
    }
    const weight = weightOf(name, stateOf)
    weights.set(name, typeof weight === 'number' ? weight : await aliasWeight(weight, context))
    room -= weights.get(name) ?? 0
  }
  if (left.size > 0) {
    batch.isOver = true
    batch.left.set(zone.id, left)
    for (const name of left) {
      names.changed.delete(name)
      names.deferred.delete(name)
    }
  }
  return weights
}

/** A name that cannot be read fails when it is rendered. */
function weightOf(name: string, stateOf: Weighed['stateOf']): number | StoredState {
  try {
    const state = stateOf(name)
    const isAlias = state?.records.some(({ dnsType }) => dnsType === 'ALIAS') === true
    return isAlias ? state : 1 + (state?.records.length ?? 0)
  } catch {
    return 1
  }
}

/** The records at the end of the chain. */
async function aliasWeight(
  state: StoredState | undefined,
  context: RenderContext,
  depth = 0,
): Promise<number> {
  let weight = 1
  for (const { dnsType, value } of state?.records ?? []) {
    const isAlias = dnsType === 'ALIAS' && depth < MAX_CHAIN
    const target = isAlias ? relativeTo(canonicalName(value), context.apex) : undefined
    weight += target === undefined ? 1 : await aliasWeight(await context.stateAt(target), context, depth + 1)
  }
  return weight
}

/** The highest published zone beneath this one that this name is in; without one, this zone. */
export async function highestZone(w: StoreWrites, fqdn: string, apex: string): Promise<string> {
  let highest = apex
  for (let name = fqdn; name !== apex && name.includes('.'); name = parentOf(name))
    if ((await w.publishedZone(name)) !== undefined) highest = name
  return highest
}

/** The names that have the addresses of the changed ones: an ALIAS follows its target, over others too. */
async function aliasesAmong(
  w: StoreWrites,
  flushed: ZoneFlush,
  weights: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const { changed } = flushed.names
  const all = new Set(weights.keys())
  const followed = new Map([...weights].filter(([name]) => changed.has(name)))
  for (let wave = [...followed.keys()]; wave.length > 0; ) {
    const known = followed.size
    await follow(w, flushed, { wave, all, followed })
    wave = [...followed.keys()].slice(known)
  }
  return [...all].slice(weights.size)
}

interface Following {
  readonly wave: readonly string[]
  readonly all: Set<string>
  /** With the records of each, which its aliases have too. */
  readonly followed: Map<string, number>
}

/** Adds the aliases of these names. */
async function follow(
  w: StoreWrites,
  { zone, batch, maxNames }: ZoneFlush,
  { wave, all, followed }: Following,
): Promise<void> {
  const fqdns = new Map(wave.map((name) => [fqdnOf(name, zone.apex), name]))
  const aliased = [...(await w.aliased(zone.id, [...fqdns.keys()]))]
  const found = await Promise.all(aliased.map(async (fqdn) => w.aliasesOf(zone.id, fqdn, maxNames + 1)))
  for (const [at, fqdn] of aliased.entries()) {
    const [name = APEX, aliases = []] = [fqdns.get(fqdn), found[at]]
    const added = aliases.filter((alias) => !all.has(alias))
    const weight = followed.get(name) ?? 1
    const isHeavy = added.length * weight > RECORDS_PER_FLUSH / batch.zones.size
    if (added.length > batch.room || aliases.length > maxNames || isHeavy) {
      batch.isOver = true
      await w.deferAliases(zone, name)
      continue
    }
    batch.room -= added.length
    for (const alias of added) all.add(alias)
    for (const alias of aliases) followed.set(alias, Math.max(weight, followed.get(alias) ?? 0))
  }
}
