import type { State } from '../decide/state.ts'
import { type Told, addressNews } from './address-news.ts'
import type { Agent, Rest } from './run.ts'
import { type Paced, paceNews, turnsOf } from './tell.ts'

/** Tells what is new, and remembers what was told. */
export interface News {
  /** Of what the accounts may do, against what was known before. */
  tellTurns(before: State, rest: Rest): void
  /** Of what the last look saw. */
  tellAddresses(rest: Rest): void
}

export function newsOf(agent: Pick<Agent, 'clock' | 'tell'>): News {
  let [told, paced]: [Told, Paced] = [{}, {}]
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
  }
}
