import type { AgentEvent } from '../../client/agent/events.ts'
import { givenSource } from '../../client/sources/given.ts'
import type { AddressProvider } from '../../client/sources/provider.ts'
import type { AddressSource } from '../../client/sources/source.ts'
import type { Hint } from '../../client/watch/hint.ts'
import type { HostSettings } from '../../config/client-settings.ts'
import type { Address, Family } from '../../net/address.ts'
import type { ClientAccount, ResolvedSettings } from './settings.ts'

/** Who knows the addresses of the accounts and of the hostnames that have their own. */
export interface AddressDetection {
  providerFor(account: ClientAccount, host?: HostSettings): AddressProvider
  /** Something may have changed. */
  hint(because: Hint): void
  /** Notices changes until the signal. */
  watch(signal: AbortSignal): void
  /** From now on by other settings. */
  adopt(settings: ResolvedSettings): void
  /** Every source by itself, for who uses this update service. */
  sourcesFor(server: string): readonly AddressSource[]
}

export interface DetectionListeners {
  readonly tell: (event: AgentEvent) => void
  /** The User-Agent for whoever is asked. */
  readonly userAgent: string
  /** Somebody should look; and begin the short retries anew, because the way to the service may be another. */
  readonly wake: (isNewWay: boolean) => void
  /** What the service holds, as far as it is remembered, for any hostname. */
  readonly published: (family: Family) => readonly Address[]
  readonly end: AbortSignal
}

export type MakeAddressDetection = (
  settings: ResolvedSettings,
  listeners: DetectionListeners,
) => AddressDetection

/** The source of an account whose address is in its settings, or is left to the service. */
export const sourceGivenBy = ({ myip }: ClientAccount): AddressProvider | undefined =>
  myip === undefined ? undefined : givenSource(myip === 'connection' ? {} : myip)

/** For addresses that are given, and for who only wants to know what is remembered. */
export const NO_DETECTION: AddressDetection = {
  providerFor: (account) => sourceGivenBy(account) ?? givenSource({}),
  hint: () => undefined,
  watch: () => undefined,
  adopt: () => undefined,
  sourcesFor: () => [],
}
