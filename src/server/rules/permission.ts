import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { APEX } from '../model/dns-name.ts'
import type { DraftRdata, DraftRRSet } from '../model/draft.ts'
import { type RRSet, rdataLabelled, type Zone } from '../model/tree.ts'
import { type Caller, isOwner } from './access.ts'

export type PermissionFault = Extract<
  ErrorName,
  | 'typesDisallowed'
  | 'zoneOwnerOnly'
  | 'rrsetCreateForbidden'
  | 'rdataCreateForbidden'
  | 'ttlFixed'
  | 'ttlTooLow'
  | 'underscoreLabelReserved'
  | 'updateGroupForbidden'
>

/** Names that mean something for the whole zone: in a shared one only its owner may have them. */
const OWNER_NAMES: ReadonlySet<string> = new Set([
  APEX,
  '_dmarc',
  '_domainkey',
  '_mta-sts',
  'ns',
  'mail',
  'www',
])

export interface UpdateGroup {
  readonly accountId: number
  readonly isLocked: boolean
}

/** What a wish meets: the place, what is there already, and the groups that it names. */
export interface PermissionScene {
  readonly caller: Caller
  readonly zone: Zone
  readonly name: string
  readonly existing: RRSet | undefined
  readonly groups: Readonly<Record<string, UpdateGroup | undefined>>
}

/** What policy has against one RRSet, all of it, in the order in which it is told. */
export function permissionFaults(
  draft: DraftRRSet,
  scene: PermissionScene,
): readonly Refusal<PermissionFault>[] {
  const { caller, zone, name, existing } = scene
  const at = (field: string) => ({ location: 'body', pointer: `${draft.pointer}${field}` }) as const
  const { plan } = caller.account
  // A type that is kept for the zone's owner is told as that.
  const ofZone = zone.types && [...zone.types, ...(zone.ownerOnlyTypes ?? [])]
  const isAllowed = [plan.types, ofZone].every((types) => types?.includes(draft.dnsType) ?? true)
  const isReserved =
    zone.isShared &&
    !isOwner(caller, zone) &&
    ((zone.ownerOnlyTypes?.includes(draft.dnsType) ?? false) || OWNER_NAMES.has(name))
  const isSystem = existing?.isSystem ?? (name === APEX && draft.dnsType === 'NS')
  const fixed = zone.fixedTtl ?? plan.fixedTtl
  const least = Math.max(plan.minTtl, zone.minTtl ?? 0)
  const { ttl } = draft
  // biome-ignore format: a table
  const rules: readonly (readonly [broken: boolean, refused: PermissionFault, field: string, detail?: string])[] = [
    [!isAllowed,                                                        'typesDisallowed',      '/dns_type'],
    [isReserved,                                                        'zoneOwnerOnly',        '/dns_type'],
    [isSystem,                                                          'rrsetCreateForbidden', '/dns_type', 'the service keeps these itself'],
    [zone.hasNoNewRdata,                                                'rdataCreateForbidden', '/rdata'],
    [fixed !== undefined && ttl !== undefined && ttl !== fixed,         'ttlFixed',             '/ttl',      `it is ${fixed} here`],
    [fixed === undefined && ttl !== undefined && ttl < least,           'ttlTooLow',            '/ttl',      `the least is ${least}`],
  ]
  return [
    ...rules.flatMap(([broken, refused, field, detail]) =>
      broken ? [refuse(refused, detail, at(field))] : [],
    ),
    ...draft.rdata.flatMap((rdata) => rdataFaults(rdata, scene)),
  ]
}

function rdataFaults(
  { label, updateGroup, pointer }: DraftRdata,
  { caller, existing, groups }: PermissionScene,
): readonly Refusal<PermissionFault>[] {
  const at = (field: string) => ({ location: 'body', pointer: `${pointer}${field}` }) as const
  const isTaken = label?.startsWith('_') === true && rdataLabelled(existing, label) === undefined
  return [
    ...(isTaken ? [refuse('underscoreLabelReserved' as const, undefined, at('/label'))] : []),
    ...(updateGroup === undefined || mayUse(caller, groups[updateGroup])
      ? []
      : [refuse('updateGroupForbidden' as const, undefined, at('/update_group'))]),
  ]
}

/** A group is its account's own, unless the operator locked it. */
export const mayUse = ({ account }: Caller, group: UpdateGroup | undefined): boolean =>
  group?.accountId === account.id && !group.isLocked
