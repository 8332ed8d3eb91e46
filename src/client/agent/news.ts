import { FAMILIES } from '../../net/address.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { View } from '../decide/next.ts'
import type { Observation } from '../decide/observation.ts'
import type { State } from '../decide/state.ts'
import { type Told, addressNews } from './address-news.ts'
import type { Agent, Rest } from './run.ts'
import { type Paced, factsOf, paceNews, turnsOf } from './tell.ts'

/** Tells what is new, and remembers what was told. */
export interface News {
  /** Of what the accounts may do, against what was known before. */
  tellTurns(before: State, rest: Rest): void
  /** Of what the last look saw. */
  tellAddresses(rest: Rest): void
  /** Of what came of a request. */
  tellFacts(seen: Observation, request: UpdateRequest, view: View): void
}

export function newsOf(agent: Pick<Agent, 'clock' | 'tell'>): News {
  let [told, paced]: [Told, Paced] = [{}, {}]
  let heardSense = false
  return {
    tellTurns: (before, rest) => {
      const [now, plans] = [agent.clock.now(), rest.charges.map(({ plan }) => plan)]
      for (const turn of turnsOf(before, rest.state, { plans, now })) agent.tell(turn)
      const pace = paceNews(paced, rest, now)
      paced = pace.told
      for (const event of pace.events) agent.tell(event)
    },
    tellAddresses: ({ charges, state, view }) => {
      const plans = charges.map(({ plan }) => plan)
      const news = addressNews(told, view, state, plans)
      ;({ told } = news)
      for (const event of news.events) agent.tell(event)
    },
    tellFacts: (seen, request, view) => {
      const mayBePortal = isPortal(view) && !heardSense
      for (const fact of factsOf(seen, request))
        if (fact.kind !== 'captivePortal' || mayBePortal) agent.tell(fact)
      heardSense ||= seen.kind === 'answered'
    },
  }
}

/** Whether every place asked may be a captive portal: none of the echo services gave a sensible answer. */
const isPortal = ({ sightings }: View): boolean =>
  !Object.values(sightings ?? {})
    .flatMap((byName) => Object.values(byName))
    .some((seen) =>
      FAMILIES.some((family) => seen[family]?.kind === 'seen' && /^https?:/.test(seen[family].by)),
    )
