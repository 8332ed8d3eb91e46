import { APEX, canonicalName, fqdnOf, relativeTo } from '../model/dns-name.ts'
import type { DnsType } from '../model/rdata/types.ts'
import { type Pointer, type PointerType, POINTER_TYPES, targetsOf } from '../model/targets.ts'
import { type Name, rrsetOf, type Zone } from '../model/tree.ts'

/** What the rules read of a zone. Names are relative to it. */
export interface ZoneReads {
  /** Only CNAME and ALIAS need their values. */
  readonly nameAt: (name: string) => Promise<Name | undefined>
  readonly pointersTo: (name: string) => Promise<readonly Pointer[]>
}

/** A change of one name in its zone. */
export interface ChangeInZone {
  readonly zone: Pick<Zone, 'name' | 'accountId'>
  /** Undefined for a new name. */
  readonly before: Name | undefined
  /** Undefined for a name that is removed. */
  readonly after: Name | undefined
}

export const changedName = ({ before, after }: ChangeInZone): string => (after ?? before)?.name ?? APEX

/** The zone as it is after changes of different names. */
export function resultingZone(stored: ZoneReads, changes: readonly ChangeInZone[]): ZoneReads {
  const changed = new Map(changes.map((change) => [changedName(change), change.after]))
  const pointers = pointersIn(changes)
  return {
    nameAt: async (name) => (changed.has(name) ? changed.get(name) : stored.nameAt(name)),
    pointersTo: async (name) => [
      ...(pointers.get(name) ?? []),
      ...(await stored.pointersTo(name)).filter((one) => !changed.has(one.name)),
    ],
  }
}

/** The pointers that the changed names have, by what they point to: each target once for each type. */
function pointersIn(changes: readonly ChangeInZone[]): ReadonlyMap<string, readonly Pointer[]> {
  const found = new Map<string, Pointer[]>()
  for (const { to, pointer } of changes.flatMap(pointersOfChange)) {
    const pointers = found.get(to)
    if (pointers === undefined) found.set(to, [pointer])
    else pointers.push(pointer)
  }
  return found
}

/** With what each points to, relative to the zone. */
export const pointersOfChange = ({
  zone,
  after,
}: ChangeInZone): readonly { to: string; pointer: Pointer }[] =>
  after === undefined
    ? []
    : POINTER_TYPES.flatMap((dnsType) =>
        [...new Set(targetsOf(after, dnsType))].flatMap((target) => {
          const to = relativeTo(target, zone.name)
          const pointer = { name: after.name, accountId: after.accountId, dnsType }
          return to === undefined ? [] : [{ to, pointer }]
        }),
      )

export const has = (name: Name | undefined, ...types: readonly DnsType[]): boolean =>
  name !== undefined && types.some((type) => rrsetOf(name, type) !== undefined)
export const hasAddress = (name: Name | undefined): boolean => has(name, 'A', 'AAAA')

/** The targets that a change adds: a target that was stored before does not prevent another change of its name. */
export function newTargets({ before, after }: ChangeInZone, type: PointerType): readonly string[] {
  if (after === undefined) return []
  const stored = before === undefined ? [] : targetsOf(before, type)
  return targetsOf(after, type).filter((target) => !stored.includes(target))
}

/** For details: fully qualified, with the trailing dot. */
export const absolute = (name: string, zone: Pick<Zone, 'name'>): string =>
  `${canonicalName(fqdnOf(name, zone.name))}.`
