import { FAMILIES } from '../../shared/base/address.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import type { WorldView } from '../decide/next-action.ts'
import type { Observation } from '../decide/observation.ts'
import { NEW_STATE, type State } from '../decide/state.ts'
import { addressEvents, type ReportedCauses } from './address-events.ts'
import type { Agent } from './agent.ts'
import type { AgentEvent } from './events.ts'
import { exchangeEvents } from './exchange-events.ts'
import type { LoopState } from './loop-state.ts'
import { paceEvents, type ReportedDelays, stateEvents } from './state-events.ts'

/** Emits what changed, and remembers what it has reported so that each change causes one event. */
export class ChangeReporter {
  readonly #agent: Pick<Agent, 'clock' | 'emit'>
  #state: State
  #causes: ReportedCauses = {}
  #delays: ReportedDelays = {}
  #hasAnswered = false
  /** Accounts whose service sent a page. */
  readonly #pages = new Set<string>()

  constructor(agent: Pick<Agent, 'clock' | 'emit'>, state: State) {
    this.#agent = agent
    this.#state = state
  }

  /** Stops and waits that were saved by an earlier process are new to the user who starts this one. */
  forgetState(): void {
    this.#state = NEW_STATE
  }

  /** Reports new stops, waits and delays. A request that is being sent is not delayed by itself. */
  reportState(loop: LoopState, isSending = false): void {
    const now = this.#agent.clock.now()
    const desiredStates = loop.jobs.map(({ desired }) => desired)
    const changes = stateEvents(this.#state, loop.state, { desiredStates, now })
    const pace = isSending ? { reported: this.#delays, events: [] } : paceEvents(this.#delays, loop, now)
    this.#state = loop.state
    this.#delays = pace.reported
    this.#emit([...changes, ...pace.events])
  }

  /** Reports what the last look saw. */
  reportAddresses({ jobs, state, world }: LoopState): void {
    const desiredStates = jobs.map(({ desired }) => desired)
    const { reported, events } = addressEvents(this.#causes, { world, state, desiredStates })
    this.#causes = reported
    this.#emit(events)
  }

  /** Reports the result of a request. `world` is the view that the request was based on. */
  reportExchange(observation: Observation, request: UpdateRequest, world: WorldView): void {
    const events = exchangeEvents(observation, request, this.#state)
    for (const event of events) if (event.kind === 'captivePortal') this.#pages.add(event.account)
    // One place alone may only be down, or not be a service.
    const places = this.#pages.size + (isPageSeen(world) ? 1 : 0)
    const mayBePortal = !this.#hasAnswered && places > 1
    this.#emit(events.filter(({ kind }) => kind !== 'captivePortal' || mayBePortal))
    this.#hasAnswered ||= observation.kind === 'answered'
  }

  #emit(events: readonly AgentEvent[]): void {
    for (const event of events) this.#agent.emit(event)
  }
}

/** Whether an address source answered with a page too. */
const isPageSeen = ({ sightings }: WorldView): boolean =>
  Object.values(sightings ?? {})
    .flatMap((byName) => Object.values(byName))
    .some((seen) =>
      FAMILIES.some((family) => {
        const sighting = seen[family]
        return sighting !== undefined && sighting.kind !== 'none' && sighting.isPage === true
      }),
    )
