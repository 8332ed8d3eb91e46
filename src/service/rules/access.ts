import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import type { Instant } from '../../shared/base/time.ts'
import { fqdnOf, relativeTo } from '../model/dns-name.ts'
import type { RecordScope } from '../model/query.ts'
import type { Account, Name, ZoneRules } from '../model/tree.ts'
import { type Credential, type Door, doorAnswer, type DoorAnswer, type DoorState } from './doors.ts'

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
