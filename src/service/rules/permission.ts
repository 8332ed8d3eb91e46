import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import { APEX, asciiName, fqdnOf, parseHost, parseTarget, relativeTo } from '../model/dns-name.ts'
import type { DraftRdata, DraftRRSet } from '../model/draft.ts'
import { type Account, type Name, rdataLabelled, type RRSet, type ZoneRules } from '../model/tree.ts'
import { before, hours, type Instant, minutes } from '../../shared/base/time.ts'
import type { RecordScope } from '../model/query.ts'
import { type Credential, type Door, doorAnswer, type DoorAnswer, type DoorState } from './doors.ts'
import { isDnsType } from '../model/rdata/types.ts'

/** The authenticated party of the management API: an account, with the restrictions of its API key. */
export interface Caller {
  readonly account: Account
  /** By which door it came; undefined: by that of programs, with a password or a key in each request. */
  readonly door?: 'website'
  /** Its session at the website. */
  readonly sessionId?: number
  /** The number of its API key; undefined for the password of the account. */
  readonly apiKeyId?: number
  /** The name of the TSIG key that signed its UPDATE. */
  readonly tsigKey?: string
  /** Of the password that it gave, as it was stored then. */
  readonly passwordHash?: Uint8Array
  /** It gave the password of an account that has or needs a second factor: it may do nothing yet. */
  readonly needsFactor?: boolean
  readonly isReadOnly: boolean
  /** The zones that the API key is restricted to; all without it. */
  readonly zones?: readonly string[]
  /** Whole names: these and everything beneath them. */
  readonly names?: readonly string[]
  /** The types that it may change. */
  readonly types?: readonly string[]
  /** When the API key expires. */
  readonly expiresAt?: Instant
}

/** Whether the API key is restricted to a part of the account's data. */
export const isScoped = ({ zones, names, types }: Caller): boolean =>
  [zones, names, types].some((list) => list !== undefined)

/** Whether the caller has all permissions of the account. */
export const hasFullAccess = (caller: Caller): boolean => !caller.isReadOnly && !isScoped(caller)

/** What the caller may see, for listings. */
export const recordScopeOf = ({ zones, names }: Caller): RecordScope => ({
  ...(zones !== undefined && { zones }),
  ...(names !== undefined && { names }),
})

export const isOwner = ({ account }: Caller, zone: Pick<ZoneRules, 'accountId'>): boolean =>
  zone.accountId === account.id

/** Spec 2728: a caller can access its own and shared zones; any other is "not shared". */
export const isAccessible = (caller: Caller, zone: ZoneRules): boolean =>
  (isOwner(caller, zone) || zone.isShared) &&
  (caller.zones?.includes(zone.name) ?? true) &&
  (caller.names?.some((name) => isWithin(name, zone.name) || isWithin(zone.name, name)) ?? true)

/** Whether a whole name is another one, or beneath it. */
const isWithin = (fqdn: string, above: string): boolean => relativeTo(fqdn, above) !== undefined

/** Whether the API key may see and change this name of an accessible zone. */
export const isNameInScope = ({ names }: Caller, zone: Pick<ZoneRules, 'name'>, name: string): boolean =>
  names?.some((one) => isWithin(fqdnOf(name, zone.name), one)) ?? true

/** Why the API key may not change RRSets of a type; `forbidden` is the refusal of the operation. */
export const typeFault = <const F extends ErrorName>(
  { types }: Caller,
  type: string,
  forbidden: F,
): Refusal<F> | undefined =>
  types?.includes(type) === false ? refuse(forbidden, typesDetail(types), IN_PATH) : undefined

export const typesDetail = (types: readonly string[] = []): string =>
  `this API key may change ${types.join(', ')} only`

/**
 * Spec 4786: whether the operation is only available via the website, and the caller came by another door. Without a zone,
 * the operation is of the account itself.
 */
export const needsWebsite = (caller: Caller, zone?: Pick<ZoneRules, 'isWebsiteOnly'>): boolean =>
  doorOf(caller, { isWebsiteOnly: caller.account.isWebsiteOnly || zone?.isWebsiteOnly === true }) ===
  'websiteOnly'

/** What the door of the caller answers to its credential. */
export const doorOf = (caller: Caller, state: DoorState = {}): DoorAnswer => {
  const [door, credential] = doorAndCredential(caller)
  const { account, needsFactor } = caller
  const { isSuspended, isWebsiteOnly } = account
  return doorAnswer(door, credential, {
    isSuspended,
    isWebsiteOnly,
    ...(needsFactor && { needsFactor }),
    ...state,
  })
}

function doorAndCredential({ door, apiKeyId, sessionId, tsigKey }: Caller): readonly [Door, Credential] {
  if (door === 'website') return ['website', 'session']
  if (tsigKey !== undefined) return ['dns', 'tsigKey']
  if (sessionId !== undefined) return ['website', 'keySession']
  return ['api', apiKeyId === undefined ? 'password' : 'apiKey']
}

/** The owner of the zone, and the owner of a name in a shared zone, can read and change the name. */
export const ownsName = (caller: Caller, zone: ZoneRules, name: Pick<Name, 'accountId'>): boolean =>
  isOwner(caller, zone) || name.accountId === caller.account.id

/** The same, as far as the API key allows it. */
export const canManageName = (
  caller: Caller,
  zone: ZoneRules,
  name: Pick<Name, 'accountId' | 'name'>,
): boolean => ownsName(caller, zone, name) && isNameInScope(caller, zone, name.name)

export type ZoneFault = Extract<ErrorName, 'zoneNotFound' | 'zoneNotShared' | 'websiteOnly'>

/** The first reason to refuse access to a zone. */
export function zoneFault(caller: Caller, zone: ZoneRules | undefined): Refusal<ZoneFault> | undefined {
  if (zone === undefined) return refuse('zoneNotFound', undefined, IN_PATH)
  if (!isAccessible(caller, zone)) return refuse('zoneNotShared', undefined, IN_PATH)
  return needsWebsite(caller, zone) ? refuse('websiteOnly') : undefined
}

export const IN_PATH = { location: 'path' } as const

/** Locked by the operator. */
export const zoneLockFault = (zone: ZoneRules): Refusal<'zoneChangeProhibited'> | undefined =>
  zone.isProhibited ? refuse('zoneChangeProhibited', 'contact support') : undefined

export const nameLockFault = (
  name: Pick<Name, 'isProhibited' | 'isBlocked'>,
): Refusal<'nameChangeProhibited'> | undefined =>
  name.isProhibited || name.isBlocked ? refuse('nameChangeProhibited', 'contact support') : undefined

/** What the scopes of an API key leave of the permissions of its account. Lists of different kinds apply together. */
type Restrictions = Pick<Caller, 'isReadOnly' | 'zones' | 'names' | 'types'>

interface ScopeKind {
  readonly field: Exclude<keyof Restrictions, 'isReadOnly'>
  readonly form: string
  /** The value in the form in which it is stored and compared; undefined if it is invalid. */
  readonly parse: (value: string) => string | undefined
}

/** The scopes with a value. Several of one kind allow each of their values. */
// biome-ignore format: a table
const KINDS: Readonly<Record<string, ScopeKind>> = {
  zone: { field: 'zones', form: 'zone:NAME', parse: parseHost },
  name: { field: 'names', form: 'name:FQDN', parse: parseTarget },
  type: { field: 'types', form: 'type:TYPE', parse: (value) => isDnsType(value.toUpperCase()) ? value.toUpperCase() : undefined },
}
const READ = 'read'

export const SCOPE_FORMS: string = [READ, ...Object.values(KINDS).map(({ form }) => form)].join(', ')

/** A scope in its canonical form; undefined if it is none. */
export function parseScope(text: string): string | undefined {
  const [word = '', ...rest] = text.split(':')
  if (text === READ) return READ
  const value = Object.hasOwn(KINDS, word) ? KINDS[word]?.parse(asciiName(rest.join(':'))) : undefined
  return value === undefined ? undefined : `${word}:${value}`
}

/** An unknown scope, as a later version may have stored it, allows nothing: no zone is accessible. */
export function restrictionsOf(scopes: readonly string[]): Restrictions {
  const lists: { zones?: string[]; names?: string[]; types?: string[] } = {}
  for (const scope of scopes.map(parseScope)) {
    if (scope === READ) continue
    const [word = '', value = ''] = scope?.split(':') ?? []
    const kind = KINDS[word]
    if (kind === undefined) return { isReadOnly: true, zones: [] }
    lists[kind.field] = [...(lists[kind.field] ?? []), value]
  }
  return { isReadOnly: scopes.includes(READ), ...lists }
}

/** What scopes would allow that other ones do not. */
interface WiderScopes {
  /** The new scopes that no present one of their kind covers. */
  readonly uncovered: readonly string[]
  /** The kinds of present scopes without which less is limited, such as `read` and `zone`. */
  readonly missing: readonly string[]
}

const wordOf = (scope: string): string => scope.split(':', 1)[0] ?? ''

/** Compares scopes in canonical form. Without present scopes, all are narrower. */
export function widerScopes(present: readonly string[], next: readonly string[]): WiderScopes {
  const words = new Set(present.map(wordOf))
  return {
    uncovered: next.filter(
      (scope) => words.has(wordOf(scope)) && !present.some((one) => coversScope(one, scope)),
    ),
    missing: [...words].filter((word) => !next.some((scope) => wordOf(scope) === word)),
  }
}

/** A name covers the names beneath it; a zone covers none inside it, which is another zone. */
const coversScope = (present: string, next: string): boolean =>
  present === next ||
  (wordOf(present) === 'name' &&
    wordOf(next) === 'name' &&
    relativeTo(next.slice('name:'.length), present.slice('name:'.length)) !== undefined)

/** A session ends this long after it began, and this long after its last request. */
export const SESSION_LIFETIME = hours(12)
export const SESSION_IDLE = minutes(30)

/** Sessions that began, or were last seen, before these times are over. */
export const overBefore = (now: Instant): { readonly created: Instant; readonly seen: Instant } => ({
  created: before(now, SESSION_LIFETIME),
  seen: before(now, SESSION_IDLE),
})

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
