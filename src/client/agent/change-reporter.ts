import { FAMILIES } from '../../net/address.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { WorldView } from '../decide/next-action.ts'
import type { Observation } from '../decide/observation.ts'
import type { State } from '../decide/state.ts'
import { addressNews, type ReportedCauses } from './address-news.ts'
import type { Agent } from './agent.ts'
import type { LoopState } from './loop-state.ts'
import { exchangeEvents, paceEvents, type ReportedDelays, stateEvents } from './state-events.ts'

/** Tells what is new, and remembers what was told. */
export interface ChangeReporter {
  /** Of what the accounts may do, against what was known before. */
  tellTurns(before: State, rest: LoopState): void
  /** Of what the last look saw. */
  tellAddresses(rest: LoopState): void
  /** Of what came of a request. */
  tellFacts(seen: Observation, request: UpdateRequest, world: WorldView): void
}

export function changeReporter(agent: Pick<Agent, 'clock' | 'tell'>): ChangeReporter {
  let [told, paced]: [ReportedCauses, ReportedDelays] = [{}, {}]
  let heardSense = false
  return {
    tellTurns: (before, rest) => {
      const [now, desiredStates] = [agent.clock.now(), rest.jobs.map(({ desired }) => desired)]
      for (const turn of stateEvents(before, rest.state, { desiredStates, now })) agent.tell(turn)
      const pace = paceEvents(paced, rest, now)
      paced = pace.told
      for (const event of pace.events) agent.tell(event)
    },
    tellAddresses: ({ jobs, state, world }) => {
      const desiredStates = jobs.map(({ desired }) => desired)
      const news = addressNews(told, world, state, desiredStates)
      ;({ told } = news)
      for (const event of news.events) agent.tell(event)
    },
    tellFacts: (seen, request, world) => {
      const mayBePortal = isPortal(world) && !heardSense
      for (const fact of exchangeEvents(seen, request))
        if (fact.kind !== 'captivePortal' || mayBePortal) agent.tell(fact)
      heardSense ||= seen.kind === 'answered'
    },
  }
}

/** Whether every place asked may be a captive portal: none of the echo services gave a sensible answer. */
const isPortal = ({ sightings }: WorldView): boolean =>
  !Object.values(sightings ?? {})
    .flatMap((byName) => Object.values(byName))
    .some((seen) =>
      FAMILIES.some((family) => seen[family]?.kind === 'seen' && /^https?:/.test(seen[family].by)),
    )
