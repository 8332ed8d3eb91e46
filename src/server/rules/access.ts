import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import type { Account, Name, Zone } from '../model/tree.ts'

/** Who asks: an account, perhaps by a key that may do less than all. */
export interface Caller {
  readonly account: Account
  readonly isReadOnly: boolean
  /** Only these zones; without it, all. */
  readonly zones?: readonly string[]
}

/** Whether this is the account itself, or a key that may do all that it may. */
export const hasFullAccess = ({ isReadOnly, zones }: Caller): boolean => !isReadOnly && zones === undefined

export const isOwner = ({ account }: Caller, zone: Pick<Zone, 'accountId'>): boolean =>
  zone.accountId === account.id

/** Spec 2728: a zone that you own or that is shared is accessible; anything else is "not shared". */
export const isAccessible = (caller: Caller, zone: Zone): boolean =>
  (isOwner(caller, zone) || zone.isShared) && (caller.zones?.includes(zone.name) ?? true)

export const isWebsiteOnly = ({ account }: Caller, zone: Zone): boolean =>
  zone.isWebsiteOnly || account.isWebsiteOnly

/** Whoever owns the zone, or the name in a shared one, may see and change it. */
export const canManageName = (caller: Caller, zone: Zone, name: Pick<Name, 'accountId'>): boolean =>
  isOwner(caller, zone) || name.accountId === caller.account.id

export type ZoneFault = Extract<ErrorName, 'zoneNotFound' | 'zoneNotShared' | 'websiteOnly'>

/** What keeps the caller out of a zone, in the order in which it is told. */
export function zoneFault(caller: Caller, zone: Zone | undefined): Refusal<ZoneFault> | undefined {
  if (zone === undefined) return refuse('zoneNotFound', undefined, IN_PATH)
  if (!isAccessible(caller, zone)) return refuse('zoneNotShared', undefined, IN_PATH)
  return isWebsiteOnly(caller, zone) ? refuse('websiteOnly') : undefined
}

export const IN_PATH = { location: 'path' } as const

/** What keeps the caller from changing anything there. */
export const zoneLockFault = (zone: Zone): Refusal<'zoneChangeProhibited'> | undefined =>
  zone.isProhibited ? refuse('zoneChangeProhibited', 'please contact support') : undefined

export const nameLockFault = (name: Name): Refusal<'nameChangeProhibited'> | undefined =>
  name.isProhibited ? refuse('nameChangeProhibited', 'please contact support') : undefined
