import { WAIT_ENDED } from '../../shared/base/wait-ended.ts'
import { type Addresses, FAMILIES } from '../../shared/base/address.ts'
import type { Schedule } from '../../shared/ports/clock.ts'
import type { Observation } from '../decide/observation.ts'
import type { AccountJob, LoopState } from './loop-state.ts'

/** A request to the running loop: from a signal, the control socket, a watcher or a reload. Each one also causes a look. */
export interface LoopRequest {
  /** Applied before the look. */
  readonly observations: readonly Observation[]
  /** New settings. */
  readonly reload?: { readonly jobs: readonly AccountJob[]; readonly schedule: Schedule }
  /** Addresses that replace those of the sources in this look. */
  readonly givenAddresses?: readonly GivenAddresses[]
  /** Called when the loop takes the request. Later exchanges may be an effect of it. */
  readonly onTaken?: () => void
  /** Called when nothing is left to do but wait. */
  readonly onDone?: (loop: LoopState) => void
}

export interface GivenAddresses {
  readonly account: string
  readonly hostnames: readonly string[]
  readonly addresses: Addresses
}

export interface Inbox {
  put(request: LoopRequest): void
  /**
   * The oldest requests that one look can serve: a request with other
   * addresses for the same hostname waits for the next.
   */
  take(): readonly LoopRequest[]
  /** Aborts when a request is put in. */
  arrival(): AbortSignal
  /** Aborts at the next request after this call, whatever waits already. */
  next(): AbortSignal
  /** Aborts when a request reports a change of the network. */
  networkChange(): AbortSignal
}

/** The network may have changed: the retry schedule begins again, waits and stops stay. */
export const POKE_REQUEST: LoopRequest = { observations: [{ kind: 'networkChanged' }] }

/** Only a look. */
export const LOOK_REQUEST: LoopRequest = { observations: [] }

/** Requests that arrive during a look cause one further look, however many they are. */
export function makeInbox(): Inbox {
  let requests: LoopRequest[] = []
  let arrival = new AbortController()
  let networkChange = new AbortController()
  let next = new AbortController()
  return {
    put: (request) => {
      const isRepeatable = request === POKE_REQUEST || request === LOOK_REQUEST
      if (!isRepeatable || !requests.includes(request)) requests.push(request)
      arrival.abort(WAIT_ENDED)
      next.abort(WAIT_ENDED)
      next = new AbortController()
      if (request.observations.some(({ kind }) => kind === 'networkChanged')) networkChange.abort(WAIT_ENDED)
    },
    take: () => {
      const conflict = requests.findIndex((request, at) =>
        requests.slice(0, at).some((earlier) => conflicts(earlier, request)),
      )
      const taken = conflict < 0 ? requests : requests.slice(0, conflict)
      requests = requests.slice(taken.length)
      if (arrival.signal.aborted && requests.length === 0) arrival = new AbortController()
      if (networkChange.signal.aborted) networkChange = new AbortController()
      return taken
    },
    arrival: () => arrival.signal,
    next: () => next.signal,
    networkChange: () => networkChange.signal,
  }
}

const conflicts = (one: LoopRequest, other: LoopRequest): boolean =>
  (one.givenAddresses ?? []).some((first) =>
    (other.givenAddresses ?? []).some((second) => differs(first, second)),
  )

const differs = (one: GivenAddresses, other: GivenAddresses): boolean =>
  one.account === other.account &&
  one.hostnames.some((name) => other.hostnames.includes(name)) &&
  FAMILIES.some((family) => one.addresses[family] !== other.addresses[family])
