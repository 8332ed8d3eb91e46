import type { Duration } from '../../shared/base/time.ts'
import type { Clock, Random, Schedule } from '../../shared/ports/clock.ts'
import type { ServiceHttp } from '../../shared/ports/http.ts'
import type { DnsSending } from './send/dns-exchange.ts'
import type { Memory } from './memory/memory.ts'
import type { AgentEvent } from './events.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import type { WorldView } from '../decide/next-action.ts'
import type { Action, Observation } from '../decide/observation.ts'
import type { State } from '../decide/state.ts'
import type { ServiceEndpoint } from './send/exchange.ts'
import type { AddressProvider } from '../detect/sources/provider.ts'
import { WAIT_ENDED } from '../../shared/base/concurrency.ts'
import { type Addresses, FAMILIES } from '../../shared/base/address.ts'

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

/** One account: its desired state, its update service, and where its addresses come from. */
export interface AccountJob {
  readonly desired: DesiredState
  readonly endpoint: ServiceEndpoint
  readonly source: AddressProvider
  /** By hostname, for hostnames with a source of their own. */
  readonly sources?: Readonly<Record<string, AddressProvider>>
}

/** The data of the loop, with its next action. */
export interface LoopState {
  readonly state: State
  readonly world: WorldView
  readonly action: Action
  readonly jobs: readonly AccountJob[]
}

/** What the loop works with: its accounts and settings, its ports and its listeners. */
export interface Agent {
  readonly clock: Clock
  readonly random: Random
  readonly schedule: Schedule
  readonly memory: Memory
  readonly http: ServiceHttp
  readonly dns: DnsSending
  readonly jobs: readonly AccountJob[]
  readonly inbox: Inbox
  /** When every account is stopped: end, or wait for requests. */
  readonly whenStopped: 'exit' | 'idle'
  /**
   * How long a new address waits for the other family, so that one request can
   * carry both; without it, until all sources answered.
   */
  readonly familyTimeout?: Duration
  /** For a process that ends after its run: send nothing while the state cannot be saved, because a stop would be lost. */
  readonly mustSave: boolean
  readonly emit: (event: AgentEvent) => void
  /** This host may have slept: what the sources answered last is in doubt. */
  readonly onInterruption: () => void
  /** The lines that this host uses, for the next process; undefined where no address is detected. */
  readonly lines: () => State['lines']
  /** Called after every change. */
  readonly onState: (loop: LoopState) => void
  /** `end` ends the loop after the request under way; `abandon` aborts that request too. */
  readonly end: AbortSignal
  readonly abandon: AbortSignal
}

export type EndCondition = (loop: LoopState, agent: Agent) => boolean
