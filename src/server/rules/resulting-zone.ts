import { APEX, canonicalName, fqdnOf, relativeTo } from '../model/dns-name.ts'
import type { DnsType } from '../model/rdata-values.ts'
import { type Pointer, type PointerType, POINTER_TYPES, targetsOf } from '../model/targets.ts'
import { type Name, rrsetOf, type Zone } from '../model/tree.ts'

/** What the rules read of a zone. Names are relative to it. */
export interface ZoneReads {
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

/** The zone as it is after the change. */
export function resultingZone(stored: ZoneReads, change: ChangeInZone): ZoneReads {
  const { zone, after } = change
  const changed = changedName(change)
  const ownPointers = (to: string): readonly Pointer[] =>
    after === undefined
      ? []
      : POINTER_TYPES.filter((type) =>
          targetsOf(after, type).some((target) => relativeTo(target, zone.name) === to),
        ).map((dnsType) => ({ name: changed, accountId: after.accountId, dnsType }))
  return {
    nameAt: async (name) => (name === changed ? after : stored.nameAt(name)),
    pointersTo: async (name) => [
      ...ownPointers(name),
      ...(await stored.pointersTo(name)).filter((one) => one.name !== changed),
    ],
  }
}

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
