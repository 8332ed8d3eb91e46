import { type Addresses, FAMILIES } from '../../net/address.ts'
import type { Schedule } from '../../ports/clock.ts'
import type { Observation } from '../decide/observation.ts'
import type { AccountJob, LoopState } from './loop-state.ts'

/** Something asked of the running loop from outside. Every order also causes a look. */
export interface LoopRequest {
  /** To be taken in before the look. */
  readonly observe: readonly Observation[]
  /** New settings. */
  readonly replace?: { readonly jobs: readonly AccountJob[]; readonly schedule: Schedule }
  /** For this look, what somebody says the addresses of some names are. */
  readonly given?: readonly GivenAddresses[]
  /** Told when it is taken: what is exchanged from then on may be because of it. */
  readonly taken?: () => void
  /** Told when nothing is left to do but wait. */
  readonly done?: (rest: LoopState) => void
}

export interface GivenAddresses {
  readonly account: string
  readonly hostnames: readonly string[]
  readonly addresses: Addresses
}

export interface Inbox {
  put(order: LoopRequest): void
  /** All that can be carried out with one look; what wants other addresses for the same names waits for the next. */
  take(): readonly LoopRequest[]
  /** Fires when something is put in. */
  bell(): AbortSignal
  /** Fires when what is put in says that the network changed. */
  poked(): AbortSignal
}

/** A hint that something changed somewhere: retries begin anew, waits and stops stay. */
export const POKE: LoopRequest = { observe: [{ kind: 'networkChanged' }] }

/** Only to look. */
export const LOOK: LoopRequest = { observe: [] }

/** However many orders come while a look is under way, they cause one more. */
export function makeInbox(): Inbox {
  let orders: LoopRequest[] = []
  let [bell, poke] = [new AbortController(), new AbortController()]
  return {
    put: (order) => {
      // A thousand hints say no more than one.
      const isHint = order === POKE || order === LOOK
      if (!isHint || !orders.includes(order)) orders.push(order)
      bell.abort()
      if (order.observe.some(({ kind }) => kind === 'networkChanged')) poke.abort()
    },
    take: () => {
      const clash = orders.findIndex((order, at) =>
        orders.slice(0, at).some((earlier) => disagree(earlier, order)),
      )
      const taken = clash < 0 ? orders : orders.slice(0, clash)
      orders = orders.slice(taken.length)
      if (bell.signal.aborted && orders.length === 0) bell = new AbortController()
      if (poke.signal.aborted) poke = new AbortController()
      return taken
    },
    bell: () => bell.signal,
    poked: () => poke.signal,
  }
}

const disagree = (one: LoopRequest, other: LoopRequest): boolean =>
  (one.given ?? []).some((given) => (other.given ?? []).some((wish) => isOtherWish(given, wish)))

const isOtherWish = (one: GivenAddresses, other: GivenAddresses): boolean =>
  one.account === other.account &&
  one.hostnames.some((name) => other.hostnames.includes(name)) &&
  FAMILIES.some((family) => one.addresses[family] !== other.addresses[family])
