import type { Duration, Instant } from '../../base/time.ts'
import type { Address, Family } from '../../net/address.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenChannel } from '../../ports/datagram.ts'
import type { Interfaces } from '../../ports/interfaces.ts'
import type { ListenForEvents, ListenToGroup, WatchKernel } from '../../ports/network.ts'
import type { SourcePorts } from '../sources/ports.ts'
import type { AddressSource } from '../sources/source.ts'
import type { Hint } from './hint.ts'

export interface WatchPorts extends SourcePorts {
  readonly interfaces: Interfaces
  readonly openChannel: OpenChannel
  readonly listenToGroup: ListenToGroup
  readonly listenForEvents: ListenForEvents
  readonly watchKernel: WatchKernel
}

/** What every watcher gets. It ends with the signal, never throws, and asks nobody outside more than it says. */
export interface WatcherContext {
  readonly ports: WatchPorts
  readonly clock: Clock
  readonly userAgent: string
  readonly hint: (hint: Hint) => void
  readonly signal: AbortSignal
  /** What is noted for who runs this: that the router is mute, that announcements do not arrive. */
  readonly note: (note: WatcherFinding) => void
}

export type WatcherFinding =
  | { readonly kind: 'routerAnswers'; readonly by: string }
  | { readonly kind: 'routerMute' }
  /** It changed without announcing it to us; a firewall rule may be all that is missing. */
  | { readonly kind: 'notAnnounced'; readonly gateway: Address }
  | { readonly kind: 'probeAnswers'; readonly hops: number }
  | { readonly kind: 'kernelWatchMissing'; readonly because: string }
  | { readonly kind: 'watcherFailed'; readonly watcher: string; readonly because: string }

/** What watchers know of each other. */
export interface WatcherState {
  /** The router is among the sources. */
  readonly asksRouter: boolean
  /** The router tells its address whenever it is asked. */
  doesRouterAnswer: boolean
  /** The router no longer owning our address would be noticed within seconds. */
  isProbed: boolean
  /** Rung when the kernel changed something: whoever waits for a network need not wait longer. */
  readonly kernelListeners: Set<() => void>
  /** Has the router asked at once; does nothing where it is not watched. */
  askRouterNow: () => void
  /** What was last agreed on; undefined while no source could tell. */
  readonly published: (family: Family) => Address | undefined
  /** The last round for this family came to nothing. */
  readonly isOpen: (family: Family) => boolean
  /** Rung when a round came to nothing: the outside is asked more often then. */
  readonly recheckListeners: Set<() => void>
  /** Outside sources that may be asked often. */
  readonly outside: readonly AddressSource[]
  readonly uptime: () => Duration
  readonly steady: () => Instant
}
