import { createHash } from 'node:crypto'
import { trailText } from '../../model/trail.ts'
import { type Name, type RRSet, rrsetOf } from '../../model/tree.ts'
import { hasSameRecords } from './imported-names.ts'
import { type Pause, withPauses } from './zone-file.ts'

/** A name that differs; without `after` it goes. */
export interface ChangedName {
  readonly name: string
  readonly before: Name | undefined
  readonly after: Name | undefined
}

/** An RRSet that differs. */
export interface ChangedRRSet {
  readonly name: string
  readonly dnsType: string
  readonly before: RRSet | undefined
  readonly after: RRSet | undefined
}

/** What an import changes. */
export interface ZoneDifference {
  readonly names: readonly ChangedName[]
  readonly rrsets: readonly ChangedRRSet[]
  /** RRSets that stay as they are. */
  readonly same: number
  /** Of all that differs, with its whole values. */
  readonly digest: string
}

/** By the names, which are in the order of their spelling. */
export async function differenceOf(
  stored: readonly Name[],
  names: readonly Name[],
  pause?: Pause,
): Promise<ZoneDifference> {
  const before = new Map(stored.map((name) => [name.name, name]))
  const after = new Map(names.map((name) => [name.name, name]))
  const changed: ChangedName[] = []
  const rrsets: ChangedRRSet[] = []
  const digest = createHash('sha256')
  let same = 0
  await withPauses([...new Set([...before.keys(), ...after.keys()])].toSorted(), pause, (name) => {
    const change = { name, before: before.get(name), after: after.get(name) }
    const own = rrsetsOf(change)
    const differing = own.filter((one) => kindOf(one) !== 'same')
    same += own.length - differing.length
    rrsets.push(...differing)
    for (const { dnsType, before: was, after: is } of differing)
      digest.update(JSON.stringify([name, dnsType, contentOfRRSet(was), contentOfRRSet(is)]))
    if (differing.length > 0) changed.push(change)
  })
  return { names: changed, rrsets, same, digest: digest.digest('base64url') }
}

const contentOfRRSet = (one: RRSet | undefined): unknown =>
  one === undefined ? null : [one.ttl, ...one.rdata.map(({ value }) => value)]

function rrsetsOf({ name, before, after }: ChangedName): readonly ChangedRRSet[] {
  const types = new Set([...(before?.rrsets ?? []), ...(after?.rrsets ?? [])].map(({ dnsType }) => dnsType))
  return [...types].map((dnsType) => ({
    name,
    dnsType,
    before: before && rrsetOf(before, dnsType),
    after: after && rrsetOf(after, dnsType),
  }))
}

type ChangeKind = 'new' | 'changed' | 'removed' | 'same'

export function kindOf({ before, after }: Pick<ChangedRRSet, 'before' | 'after'>): ChangeKind {
  if (before === undefined) return 'new'
  if (after === undefined) return 'removed'
  return hasSameRecords(before, after) ? 'same' : 'changed'
}

/** How many RRSets are of each kind. */
export function countsOf({ rrsets, same }: ZoneDifference): Readonly<Record<ChangeKind, number>> {
  const counts = { new: 0, changed: 0, removed: 0, same }
  for (const one of rrsets) counts[kindOf(one)]++
  return counts
}

/** As in the trail: the TTL, and the beginning of the values. */
export const rrsetText = (rrset: RRSet | undefined): string | undefined => rrset && trailText(rrset)
