import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import { APEX } from '../model/dns-name.ts'
import type { DraftRRSet, DraftRdata } from '../model/draft.ts'
import { type RRSet, type ZoneRules, rdataLabelled } from '../model/tree.ts'
import { type Caller, isOwner, typesDetail } from './access.ts'

/** Names with a meaning for the whole zone: in a shared zone they are reserved for its owner. */
const OWNER_NAMES: ReadonlySet<string> = new Set([
  APEX,
  '_dmarc',
  '_domainkey',
  '_mta-sts',
  'mta-sts',
  'mail',
  'www',
  'autoconfig',
  'autodiscover',
  'wpad',
  'isatap',
  'localhost',
])

export interface UpdateGroup {
  readonly accountId: number
  readonly isLocked: boolean
}

/** What the rules check a draft against: the place, the existing RRSet, and the groups in the draft. */
export interface PermissionContext {
  readonly caller: Caller
  readonly zone: ZoneRules
  readonly name: string
  readonly existing: RRSet | undefined
  readonly groups: Readonly<Record<string, UpdateGroup | undefined>>
}

/** Why this TTL may not be that of records of the caller in a zone. */
export function ttlFault(ttl: number, context: TtlPlace): Refusal<'ttlFixed' | 'ttlTooLow'> | undefined {
  const { fixed, min } = ttlBounds(context)
  if (fixed !== undefined) return fixed === ttl ? undefined : refuse('ttlFixed', fixedDetail(context))
  return ttl < min ? refuse('ttlTooLow', minDetail(context)) : undefined
}

type TtlPlace = Pick<PermissionContext, 'caller' | 'zone'>
const fixedDetail = (place: TtlPlace): string => `the TTL is fixed at ${fixedTtl(place)}`
const minDetail = (place: TtlPlace): string => `the minimum is ${minTtl(place)}`

/** Of a rule about the TTL: whether it is the one that refuses. */
const isTtlRefused =
  (refused: 'ttlFixed' | 'ttlTooLow') =>
  ({ ttl }: DraftRRSet, context: PermissionContext): boolean =>
    ttl !== undefined && ttlFault(ttl, context)?.refused === refused

interface Rule {
  readonly refused: ErrorName
  /** The field of the RRSet that the error points to. */
  readonly field: string
  readonly isBroken: (draft: DraftRRSet, context: PermissionContext) => boolean
  readonly detail?: (context: PermissionContext) => string
}

function isDisallowed({ dnsType }: DraftRRSet, { caller, zone }: PermissionContext): boolean {
  // An owner-only type is not disallowed here: the owner rules refuse it.
  const zoneTypes = zone.types && [
    ...zone.types,
    ...(zone.isShared ? ownerOnlyTypesOf(zone) : (zone.ownerOnlyTypes ?? [])),
  ]
  return [caller.account.plan.types, zoneTypes].some((types) => types?.includes(dnsType) === false)
}

const isReserved = ({ dnsType }: DraftRRSet, { caller, zone, name }: PermissionContext): boolean =>
  zone.isShared &&
  !isOwner(caller, zone) &&
  (ownerOnlyTypesOf(zone).includes(dnsType) || OWNER_NAMES.has(name) || /^(ns|mx)\d*$/.test(name))

/** In a shared zone a delegation would take the name out of the hands of the zone's owner. */
const ownerOnlyTypesOf = ({ ownerOnlyTypes = ['NS', 'DS'] }: ZoneRules): readonly string[] => ownerOnlyTypes

const isSystemRRSet = ({ dnsType }: DraftRRSet, { name, existing }: PermissionContext): boolean =>
  existing?.isSystem ?? (name === APEX && dnsType === 'NS')

/** The TTLs that records of the caller may have in a zone, in seconds. */
export const ttlBounds = (context: TtlPlace) => ({
  fixed: fixedTtl(context),
  min: minTtl(context),
})
const fixedTtl = ({ caller, zone }: TtlPlace): number | undefined =>
  zone.fixedTtl ?? caller.account.plan.fixedTtl
const minTtl = ({ caller, zone }: TtlPlace): number => Math.max(caller.account.plan.minTtl, zone.minTtl ?? 0)

/** The rules of policy for an RRSet. */
// biome-ignore format: a table
const PERMISSION_RULES = {
  scope:     { refused: 'typesDisallowed',      field: '/dns_type', isBroken: ({ dnsType }, { caller }) => caller.types?.includes(dnsType) === false,
               detail: ({ caller }) => typesDetail(caller.types) },
  type:      { refused: 'typesDisallowed',      field: '/dns_type', isBroken: isDisallowed },
  owner:     { refused: 'zoneOwnerOnly',        field: '/dns_type', isBroken: isReserved },
  ownerType: { refused: 'typesDisallowed',      field: '/dns_type', isBroken: isReserved,
               detail: () => 'only the zone owner may have this record here' },
  system:    { refused: 'rrsetCreateForbidden', field: '/dns_type', isBroken: isSystemRRSet,
               detail: () => 'the service manages these records' },
  newRdata:  { refused: 'rdataCreateForbidden', field: '/rdata',    isBroken: (_, { zone }) => zone.hasNoNewRdata },
  fixedTtl:  { refused: 'ttlFixed',             field: '/ttl',      isBroken: isTtlRefused('ttlFixed'),
               detail: fixedDetail },
  minTtl:  { refused: 'ttlTooLow',            field: '/ttl',      isBroken: isTtlRefused('ttlTooLow'),
               detail: minDetail },
} as const satisfies Readonly<Record<string, Rule>>

export type RuleName = keyof typeof PERMISSION_RULES

/** The rules for each kind of write, in the order of the response. */
export const NEW_NAME = ['scope', 'type', 'owner', 'newRdata', 'fixedTtl', 'minTtl'] as const
export const NEW_RRSET = ['scope', 'type', 'owner', 'system', 'newRdata', 'fixedTtl', 'minTtl'] as const
/** Rdata alone has no TTL. */
export const NEW_RDATA = ['scope', 'type', 'owner', 'system', 'newRdata'] as const
/** Spec: 4365 is for creation by POST; for PUT the type is disallowed. */
export const PUT_RDATA = ['scope', 'type', 'ownerType', 'system', 'newRdata'] as const
export const CHANGED_RDATA = ['scope', 'type', 'ownerType', 'system'] as const
export const PUT_RRSET = [...PUT_RDATA, 'fixedTtl', 'minTtl'] as const
/** An RRSet to which no Rdata is added. */
export const CHANGED_RRSET = [...CHANGED_RDATA, 'fixedTtl', 'minTtl'] as const

export type PermissionFault<R extends RuleName> =
  | (typeof PERMISSION_RULES)[R]['refused']
  | 'underscoreLabelReserved'
  | 'updateGroupForbidden'

/** All violations of the rules by one RRSet. */
export const permissionFaults = <R extends RuleName>(
  rules: readonly R[],
  draft: DraftRRSet,
  context: PermissionContext,
): readonly Refusal<PermissionFault<R>>[] => [
  ...rules.flatMap((name): Refusal<PermissionFault<R>>[] => {
    const { refused, field, isBroken, detail }: Rule & { refused: PermissionFault<R> } =
      PERMISSION_RULES[name]
    const at = { location: 'body', pointer: `${draft.pointer}${field}` } as const
    return isBroken(draft, context) ? [refuse(refused, detail?.(context), at)] : []
  }),
  ...draft.rdata.flatMap((rdata) => rdataFaults(rdata, context)),
]

function rdataFaults(
  { label, updateGroup, pointer }: DraftRdata,
  { caller, existing, groups }: PermissionContext,
): readonly Refusal<'underscoreLabelReserved' | 'updateGroupForbidden'>[] {
  const at = (field: string) => ({ location: 'body', pointer: `${pointer}${field}` }) as const
  const isReservedLabel = label?.startsWith('_') === true && rdataLabelled(existing, label) === undefined
  return [
    ...(isReservedLabel ? [refuse('underscoreLabelReserved' as const, undefined, at('/label'))] : []),
    ...(updateGroup === undefined || mayUseGroup(caller, groups[updateGroup])
      ? []
      : [refuse('updateGroupForbidden' as const, undefined, at('/update_group'))]),
  ]
}

/** An account can use its own groups, unless the operator locked them. */
export const mayUseGroup = ({ account }: Caller, group: UpdateGroup | undefined): boolean =>
  group?.accountId === account.id && !group.isLocked
