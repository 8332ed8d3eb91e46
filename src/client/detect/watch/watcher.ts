import { after, type Duration } from '../../../shared/base/time.ts'
import { WAIT_ENDED } from '../../../shared/base/concurrency.ts'
import type { Address, Family } from '../../../shared/base/address.ts'
import type { Clock, Random } from '../../../shared/ports/clock.ts'
import type { OpenChannel } from '../../../shared/ports/datagram.ts'
import type {
  IsOnBattery,
  ListenForEvents,
  ListenToGroup,
  ReadRoutes,
  StartPing,
  WatchKernel,
} from '../../../shared/ports/network.ts'
import type { SourcePorts } from '../sources/ports.ts'
import type { AddressSource } from '../sources/source.ts'
import type { Hint } from './hint.ts'

export interface WatchPorts extends SourcePorts {
  readonly openChannel: OpenChannel
  readonly listenToGroup: ListenToGroup
  readonly listenForEvents: ListenForEvents
  readonly watchKernel: WatchKernel
  readonly routes: ReadRoutes
  readonly startPing: StartPing
  readonly isOnBattery: IsOnBattery
}

/** The environment of every watcher. */
export interface WatcherContext {
  readonly ports: WatchPorts
  readonly clock: Clock
  readonly random: Random
  /** The boot clock, which includes sleep. */
  readonly uptime: () => Duration
  readonly userAgent: string
  /** The public address may be asked by ping, many times a second. */
  readonly mayPing: () => Promise<boolean>
  /** Without a family, something of both may have changed. */
  readonly hint: (hint: Hint, family?: Family) => void
  readonly report: (finding: WatcherFinding) => void
  /** Ends the watcher. */
  readonly signal: AbortSignal
}

export type WatcherFinding =
  | { readonly kind: 'routerAnswers'; readonly by: string }
  | { readonly kind: 'routerMute' }
  /** The router changed its address without an announcement; a firewall rule for announcements may be missing. */
  | { readonly kind: 'notAnnounced'; readonly gateway: Address }
  | { readonly kind: 'probeAnswers'; readonly hops: number }
  /** A router answers pings to the public address. */
  | { readonly kind: 'pingAnswers'; readonly hops: number }
  | { readonly kind: 'kernelWatchMissing'; readonly because: string }
  | { readonly kind: 'watcherFailed'; readonly watcher: string; readonly because: string }

/** The part of detection that watchers read. */
export interface WatchedDetection {
  /** The router is among the sources. */
  readonly asksRouter: boolean
  /** The outside sources that may be asked often. */
  readonly outside: readonly AddressSource[]
  /** The address of the last agreement. */
  readonly published: (family: Family) => Address | undefined
  /** The last round for this family ended without an agreement. */
  readonly isOpen: (family: Family) => boolean
  /** Called after a round without an agreement: outside sources are asked more often then. */
  readonly recheckListeners: Set<() => void>
  /** Called when another line is the home line, without an event of the kernel. */
  readonly lineListeners: Set<() => void>
}

/** What watchers share. */
export interface WatcherState extends WatchedDetection {
  /** The router answers requests for its address, and that is the public one. */
  doesRouterReport: boolean
  /** The router sends events: the first one after a subscription has arrived. */
  hasEvents: boolean
  /** The router announces changes or sends events, so no probe is needed. */
  isAnnounced: boolean
  /** The loss of the address by the router would be noticed within seconds. */
  isProbed: boolean
  /** The router also has the address that was left, a while ago or a short one: it may return to it without a sign. */
  otherLine: 'no' | 'recent' | 'known'
  /** Called after a change of the kernel's addresses or routes. */
  readonly kernelListeners: Set<() => void>
  /** Requests a look at the router; does nothing where no watcher asks it. */
  askRouterNow: () => void
}

/** Sleeps for a span, until a call of a listener in the set, or until the signal. */
export async function sleepOrNotified(
  { clock, signal }: Pick<WatcherContext, 'clock' | 'signal'>,
  span: Duration,
  listeners: readonly Set<() => void>[],
): Promise<void> {
  const notified = new AbortController()
  const listener = (): void => notified.abort(WAIT_ENDED)
  for (const set of listeners) set.add(listener)
  await clock.sleep(after(clock.now(), span), signal, notified.signal)
  for (const set of listeners) set.delete(listener)
}
