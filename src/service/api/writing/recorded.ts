import { fqdnOf } from '../../model/dns-name.ts'
import type { Name, Zone } from '../../model/tree.ts'
import { type TrailChange, trailOf } from '../../model/trail.ts'
import type { ZonePolicy } from '../../store/records.ts'
import type { StoreWrites } from '../../store/store.ts'

/** What was changed through a recording store. */
export interface Recording {
  readonly store: StoreWrites
  /** Each changed RRSet, and names and zones that come and go; `subject` stands for a change of anything else. */
  changes(subject: string): readonly TrailChange[]
}

/** Writes that have no RRSets; the operation and its subject tell what was changed. */
const OTHERS = [
  'addZone',
  'setZoneMetadata',
  'addKey',
  'changeKey',
  'removeKey',
  'setTargets',
  'addApiKey',
  'changeApiKey',
  'removeApiKey',
  'addTsigKey',
  'changePassword',
  'removeTsigKey',
  'removeSession',
  'addFactor',
  'useFactor',
  'removeFactor',
  'removeAccount',
  'changeAccount',
  'changePlan',
  'addPlan',
  'addCode',
  'removeCode',
  'removeFactors',
  'blockKey',
  'blockName',
  'unblock',
  'putFailures',
] as const

/** The same store; what is changed through it is noted, so that no operation can forget it. */
export function recorded(store: StoreWrites): Recording {
  const noted: TrailChange[] = []
  const zoneNames = new Map<number, string>()
  let hasOthers = false
  const note = async (zoneId: number, before: Name | undefined, after: Name | undefined): Promise<void> => {
    const zoneName = zoneNames.get(zoneId) ?? (await store.zoneRules(zoneId))?.name ?? ''
    zoneNames.set(zoneId, zoneName)
    const changes = trailOf(zoneName, before, after)
    noted.push(...changes)
    const name = after ?? before
    if (changes.length === 0 && name !== undefined && stateOf(before) !== stateOf(after))
      noted.push({ subject: fqdnOf(name.name, zoneName) })
  }
  const methods: Partial<StoreWrites> = {
    async saveName(name, now, before) {
      const stored =
        before ?? (name.id === undefined ? undefined : await store.nameAt(name.zoneId, name.name))
      await store.saveName(name, now, before)
      await note(name.zoneId, stored, name)
    },
    async renameName(name, to, now) {
      await store.renameName(name, to, now)
      await note(name.zoneId, name, undefined)
      await note(name.zoneId, undefined, { ...name, name: to })
    },
    async removeName(name, now) {
      await store.removeName(name, now)
      await note(name.zoneId, name, undefined)
    },
    async changeZone(zoneId, values) {
      const rules = await store.zoneRules(zoneId)
      const zone = rules && (await store.zoneNamed(rules.name))
      await store.changeZone(zoneId, values)
      const isOwners = values.description !== undefined || values.defaultTtl !== undefined
      if (zone !== undefined && isOwners) noted.push(zoneChanged(zone, values))
    },
    async removeZone(zoneId) {
      const [zone, names] = [await store.zoneRules(zoneId), await store.countNames(zoneId)]
      const stored = zone && (await store.zoneNamed(zone.name))
      await store.removeZone(zoneId)
      if (stored !== undefined) noted.push(zoneGone(stored, names))
    },
  }
  const others = OTHERS.map((method): [string, unknown] => [
    method,
    (...args: readonly unknown[]): unknown => {
      hasOthers = true
      return (store[method] as (...all: readonly unknown[]) => unknown)(...args)
    },
  ])
  return {
    store: { ...store, ...(Object.fromEntries(others) as Partial<StoreWrites>), ...methods },
    changes: (subject) => (noted.length > 0 ? noted : hasOthers ? [{ subject }] : []),
  }
}

/** A removal of a zone, with all of its names, is one entry. */
export const zoneGone = ({ name, serial }: Zone, names: number): TrailChange => ({
  subject: name,
  before: `${names} names, serial ${serial}`,
})

/** What its owner sets of a zone. */
function zoneChanged(zone: Zone, values: Partial<ZonePolicy>): TrailChange {
  const textOf = ({ description, defaultTtl }: Partial<ZonePolicy>): string =>
    JSON.stringify({
      ...(values.description !== undefined && { description }),
      ...(values.defaultTtl !== undefined && { default_ttl: defaultTtl }),
    })
  return { subject: zone.name, before: textOf(zone), after: textOf(values) }
}

/** What a name has besides its records. */
const stateOf = (name: Name | undefined): string =>
  JSON.stringify([
    name === undefined,
    name?.isOffline,
    name?.offlineSettings,
    name?.metadata,
    name?.updateGroup,
    name?.rrsets.map(({ dnsType, metadata, rdata }) => [dnsType, metadata, rdata]),
  ])
