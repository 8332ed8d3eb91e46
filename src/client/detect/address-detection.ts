import type { SavedLines, State } from '../decide/state.ts'
import type { UplinkView } from './agree.ts'
import type { AddressProvider } from './sources/provider.ts'
import type { AddressSource } from './sources/source.ts'
import type { Hint } from './watch/hint.ts'
import type { AccountDetection, DetectionSettings, HostDetection } from './detection-settings.ts'
import type { Finding } from './finding.ts'
import type { WatcherFinding } from './watch/watcher.ts'
import { type Address, type Addresses, FAMILIES, type Family } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import { milliseconds } from '../../shared/base/time.ts'

/** A configured address. A family without one is left as it is published. */
export const givenSource = (addresses: Addresses): AddressSource => ({
  name: 'given',
  operator: 'you',
  vantage: 'chosen',
  families: FAMILIES,
  cooldown: milliseconds(0),
  look(family) {
    const address = addresses[family]
    return Promise.resolve(
      address === undefined ? { kind: 'none', isLeft: true } : { kind: 'seen', address, by: 'given' },
    )
  },
})

/** Detects the addresses of the accounts, and of hostnames with settings of their own. */
export interface AddressDetection {
  providerFor(account: AccountDetection, host?: HostDetection): AddressProvider
  /** Something may have changed. */
  hint(hint: Hint): void
  /** Starts the watchers; they run until the signal. */
  watch(signal: AbortSignal): void
  /** Replaces the settings; watchers and detectors start again. */
  adopt(settings: DetectionSettings): void
  /** All sources for the users of an update service. */
  sourcesFor(server: string): readonly AddressSource[]
  /** The line that outside services see, and its name where it is held; undefined where every line may be published. */
  uplink(family: Family): Promise<{ readonly uplink: UplinkView; readonly through?: string } | undefined>
  /** The lines of this host, for the next process; undefined where no address is detected. */
  lines(): State['lines']
}

/** What detection reports while it works. */
export type DetectionEvent = Finding | WatcherFinding | { readonly kind: 'hinted'; readonly because: Hint }

export interface DetectionListeners {
  readonly report: (event: DetectionEvent) => void
  /** Each answer of a source. */
  readonly onAnswer?: (source: string, family: Family, sighting: Sighting) => void
  /** The User-Agent of requests to sources. */
  readonly userAgent: string
  /** A look is due. With `mayRetry`, retry delays end too, because the route to the service may have changed. */
  readonly wake: (due: { readonly mayRetry: boolean }) => void
  /** The remembered addresses that the service publishes, for any hostname. */
  readonly published: (family: Family) => readonly Address[]
  /** The lines of the process before this one, once the state is loaded. */
  readonly remembered: (family: Family) => Promise<SavedLines | undefined>
  readonly end: AbortSignal
}

export type MakeAddressDetection = (
  settings: DetectionSettings,
  listeners: DetectionListeners,
) => AddressDetection

/** The provider of an account whose address is configured, or is left to the service. */
export const sourceGivenBy = ({ myip }: AccountDetection): AddressProvider | undefined =>
  myip === undefined ? undefined : givenSource(myip === 'connection' ? {} : myip)

/** For configured addresses, and for commands that only read the saved state. */
export const NO_DETECTION: AddressDetection = {
  providerFor: (account) => sourceGivenBy(account) ?? givenSource({}),
  hint: () => undefined,
  watch: () => undefined,
  adopt: () => undefined,
  sourcesFor: () => [],
  uplink: () => Promise.resolve(undefined),
  lines: () => undefined,
}
