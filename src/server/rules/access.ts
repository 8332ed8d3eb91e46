import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import type { RecordScope } from '../model/query.ts'
import type { Account, Name, ZoneRules } from '../model/tree.ts'

/** The authenticated party of the management API: an account, with the restrictions of its API key. */
export interface Caller {
  readonly account: Account
  readonly isReadOnly: boolean
  /** The zones that the API key is restricted to; all without it. */
  readonly zones?: readonly string[]
}

/** Whether the API key is restricted to a part of the account's data. */
export const isScoped = ({ zones }: Caller): boolean => zones !== undefined

/** Whether the caller has all permissions of the account. */
export const hasFullAccess = (caller: Caller): boolean => !caller.isReadOnly && !isScoped(caller)

/** What the caller may see, for listings. */
export const recordScopeOf = ({ zones }: Caller): RecordScope => ({ ...(zones !== undefined && { zones }) })

export const isOwner = ({ account }: Caller, zone: Pick<ZoneRules, 'accountId'>): boolean =>
  zone.accountId === account.id

/** Spec 2728: a caller can access its own and shared zones; any other is "not shared". */
export const isAccessible = (caller: Caller, zone: ZoneRules): boolean =>
  (isOwner(caller, zone) || zone.isShared) && (caller.zones?.includes(zone.name) ?? true)

export const isWebsiteOnly = ({ account }: Caller, zone: ZoneRules): boolean =>
  zone.isWebsiteOnly || account.isWebsiteOnly

/** The owner of the zone, and the owner of a name in a shared zone, can read and change the name. */
export const canManageName = (caller: Caller, zone: ZoneRules, name: Pick<Name, 'accountId'>): boolean =>
  isOwner(caller, zone) || name.accountId === caller.account.id

export type ZoneFault = Extract<ErrorName, 'zoneNotFound' | 'zoneNotShared' | 'websiteOnly'>

/** The first reason to refuse access to a zone. */
export function zoneFault(caller: Caller, zone: ZoneRules | undefined): Refusal<ZoneFault> | undefined {
  if (zone === undefined) return refuse('zoneNotFound', undefined, IN_PATH)
  if (!isAccessible(caller, zone)) return refuse('zoneNotShared', undefined, IN_PATH)
  return isWebsiteOnly(caller, zone) ? refuse('websiteOnly') : undefined
}

export const IN_PATH = { location: 'path' } as const

/** Locked by the operator. */
export const zoneLockFault = (zone: ZoneRules): Refusal<'zoneChangeProhibited'> | undefined =>
  zone.isProhibited ? refuse('zoneChangeProhibited', 'contact support') : undefined

export const nameLockFault = (
  name: Pick<Name, 'isProhibited' | 'isBlocked'>,
): Refusal<'nameChangeProhibited'> | undefined =>
  name.isProhibited || name.isBlocked ? refuse('nameChangeProhibited', 'contact support') : undefined
