import type { HostSettings } from '../config/client-settings.ts'
import type { AgentEvent } from '../client/agent/events.ts'
import { givenSource } from '../client/sources/given.ts'
import type { AddressSource } from '../client/sources/source.ts'
import type { Witness } from '../client/sources/witness.ts'
import type { Hint } from '../client/watch/parts.ts'
import type { Address, Family } from '../net/address.ts'
import type { Account, Settings } from './settings.ts'

/** Who knows the addresses of the accounts and of the hostnames that have their own. */
export interface Lookout {
  sourceOf(account: Account, host?: HostSettings): AddressSource
  /** Something may have changed. */
  hint(because: Hint): void
  /** Notices changes until the signal. */
  watch(signal: AbortSignal): void
  /** From now on by other settings. */
  adopt(settings: Settings): void
  /** Every source by itself, for who uses this update service. */
  witnessesOf(server: string): readonly Witness[]
}

export interface Listeners {
  readonly tell: (event: AgentEvent) => void
  /** The User-Agent for whoever is asked. */
  readonly agent: string
  /** Somebody should look; and begin the short retries anew, because the way to the service may be another. */
  readonly ring: (isNewWay: boolean) => void
  /** What the service holds, as far as it is remembered, for any hostname. */
  readonly published: (family: Family) => readonly Address[]
  readonly end: AbortSignal
}

export type MakeLookout = (settings: Settings, listeners: Listeners) => Lookout

/** Where every address is given, nothing that could find one out is loaded. */
export async function lookoutFor({ accounts }: Settings): Promise<MakeLookout> {
  if (accounts.every(({ myip }) => myip !== undefined)) return () => NOT_LOOKING
  return (await import('./detecting.ts')).detectingLookout
}

/** The source of an account whose address is in its settings, or is left to the service. */
export const sourceGivenBy = ({ myip }: Account): AddressSource | undefined =>
  myip === undefined ? undefined : givenSource(myip === 'connection' ? {} : myip)

/** For addresses that are given, and for who only wants to know what is remembered. */
export const NOT_LOOKING: Lookout = {
  sourceOf: (account) => sourceGivenBy(account) ?? givenSource({}),
  hint: () => undefined,
  watch: () => undefined,
  adopt: () => undefined,
  witnessesOf: () => [],
}
