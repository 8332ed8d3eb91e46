import type { AgentEvent } from '../../agent/events.ts'
import type { UplinkView } from '../../detect/agree.ts'
import { givenSource } from '../../sources/given.ts'
import type { AddressProvider } from '../../sources/provider.ts'
import type { AddressSource } from '../../sources/source.ts'
import type { Hint } from '../../watch/hint.ts'
import type { HostSettings } from '../../settings/client-settings.ts'
import type { Address, Family } from '../../../shared/net/address.ts'
import type { Sighting } from '../../../shared/net/sighting.ts'
import type { ClientAccount, ResolvedSettings } from '../settings/settings.ts'

/** Detects the addresses of the accounts, and of hostnames with settings of their own. */
export interface AddressDetection {
  providerFor(account: ClientAccount, host?: HostSettings): AddressProvider
  /** Something may have changed. */
  hint(hint: Hint): void
  /** Starts the watchers; they run until the signal. */
  watch(signal: AbortSignal): void
  /** Replaces the settings; watchers and detectors start again. */
  adopt(settings: ResolvedSettings): void
  /** All sources for the users of an update service. */
  sourcesFor(server: string): readonly AddressSource[]
  /** The line that outside services see; undefined where every line may be published. */
  uplink(family: Family): Promise<UplinkView | undefined>
}

export interface DetectionListeners {
  readonly report: (event: AgentEvent) => void
  /** Each answer of a source. */
  readonly onAnswer?: (source: string, family: Family, sighting: Sighting) => void
  /** The User-Agent of requests to sources. */
  readonly userAgent: string
  /** A look is due. With `mayRetry`, retry delays end too, because the route to the service may have changed. */
  readonly wake: (due: { readonly mayRetry: boolean }) => void
  /** The remembered addresses that the service publishes, for any hostname. */
  readonly published: (family: Family) => readonly Address[]
  readonly end: AbortSignal
}

export type MakeAddressDetection = (
  settings: ResolvedSettings,
  listeners: DetectionListeners,
) => AddressDetection

/** The provider of an account whose address is configured, or is left to the service. */
export const sourceGivenBy = ({ myip }: ClientAccount): AddressProvider | undefined =>
  myip === undefined ? undefined : givenSource(myip === 'connection' ? {} : myip)

/** For configured addresses, and for commands that only read the saved state. */
export const NO_DETECTION: AddressDetection = {
  providerFor: (account) => sourceGivenBy(account) ?? givenSource({}),
  hint: () => undefined,
  watch: () => undefined,
  adopt: () => undefined,
  sourcesFor: () => [],
  uplink: () => Promise.resolve(undefined),
}
