import { type Instant, after, between, earliest, seconds, stretched } from '../../base/time.ts'
import { FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting, Sightings } from '../../net/sighting.ts'
import type { Clock, Dice, Schedule } from '../../ports/clock.ts'
import type { Http } from '../../ports/http.ts'
import type { View } from '../decide/next.ts'
import type { Action, Observation } from '../decide/observation.ts'
import type { Plan } from '../decide/plan.ts'
import { NEW_STATE, type State } from '../decide/state.ts'
import { step } from '../decide/step.ts'
import type { Memory } from '../memory/memory.ts'
import { type Line, exchange, formRequest } from '../send/exchange.ts'
import type { AddressSource } from '../sources/source.ts'
import type { AgentEvent } from './events.ts'
import { factsOf, turnsOf } from './tell.ts'

/** One account: what is wanted, where requests go, and who knows the address. */
export interface Charge {
  readonly plan: Plan
  readonly line: Line
  readonly source: AddressSource
}

export interface Agent {
  readonly clock: Clock
  readonly dice: Dice
  readonly schedule: Schedule
  readonly memory: Memory
  readonly http: Http
  readonly charges: readonly Charge[]
  readonly tell: (event: AgentEvent) => void
  /** `end` asks the loop to stop after what is under way; `abandon` breaks that off too. */
  readonly end: AbortSignal
  readonly abandon: AbortSignal
}

/** Where the loop came to rest. */
export interface Rest {
  readonly state: State
  readonly view: View
  readonly act: Action
}

export type Enough = (rest: Rest, agent: Agent) => boolean

/** The only loop in the client: decide, remember, act. The state is on disk before the act it permits. */
export async function run(agent: Agent, opening: readonly Observation[], isEnough: Enough): Promise<Rest> {
  const plans = agent.charges.map(({ plan }) => plan)
  const state = await agent.memory.load() // before the first look at the clock, which goes on from there
  let view: View = { sightings: undefined, nextLook: agent.clock.now() }
  let heardSense = false
  let rest: Rest = { state, view, act: { kind: 'halt' } }

  const take = async (seen: Observation): Promise<void> => {
    const moment = { now: agent.clock.now(), dice: agent.dice() }
    const known = rest.state
    rest = { ...step(known, seen, { plans, view }, moment), view }
    await agent.memory.save(rest.state)
    // What was on disk already is news to whoever starts us.
    const before = seen.kind === 'started' ? NEW_STATE : known
    for (const turn of turnsOf(before, rest.state, plans)) agent.tell(turn)
  }

  for (const seen of opening) await take(seen)
  while (rest.act.kind !== 'halt' && !agent.end.aborted && !isEnough(rest, agent)) {
    if (rest.act.kind === 'send') {
      const seen = await send(agent, rest.act, isPortal(view) && !heardSense)
      heardSense ||= seen.kind === 'answered'
      await take(seen)
      continue
    }
    if (rest.act.at > agent.clock.now()) agent.tell({ kind: 'sleeping', until: rest.act.at })
    await agent.clock.sleep(rest.act.at, agent.end)
    if (agent.end.aborted) break
    view = await look(agent)
    await take({ kind: 'sighted' })
  }
  if (agent.end.aborted) agent.tell({ kind: 'ended' })
  return rest
}

/** Whether every place asked may be a captive portal: none of the echo services gave a sensible answer. */
const isPortal = ({ sightings }: View): boolean =>
  !Object.values(sightings ?? {}).some((seen) =>
    FAMILIES.some((family) => seen[family]?.kind === 'seen' && /^https?:/.test(seen[family].by)),
  )

/** Every distinct source is asked once, for every family that somebody wants from it, side by side. */
async function look(agent: Agent): Promise<View> {
  const asked = new Map<AddressSource, Map<Family, Promise<Sighting>>>()
  const ask = (source: AddressSource, family: Family): Promise<Sighting> => {
    const answers = asked.get(source) ?? new Map<Family, Promise<Sighting>>()
    const sighting = answers.get(family) ?? source.look(family, agent.end)
    asked.set(source, answers.set(family, sighting))
    return sighting
  }
  const sightings = await Promise.all(
    agent.charges.map(async ({ plan, source }): Promise<readonly [string, Sightings]> => {
      const families = FAMILIES.filter((family) => plan.families.includes(family))
      const seen = await Promise.all(
        families.map(async (family) => [family, await ask(source, family)] as const),
      )
      return [plan.account, Object.fromEntries(seen)]
    }),
  )
  for (const [account, seen] of sightings) agent.tell({ kind: 'looked', account, sightings: seen })
  const now = agent.clock.now()
  return {
    sightings: Object.fromEntries(sightings),
    nextLook: jittered(now, agent.schedule.nextAfter(now), agent.dice),
  }
}

/** A tenth later at most, and never half a minute, so that many hosts do not look together. */
const jittered = (now: Instant, at: Instant, dice: Dice): Instant =>
  earliest(after(now, stretched(between(now, at), 0.1, dice())), after(at, seconds(30)))

async function send(
  agent: Agent,
  act: Extract<Action, { kind: 'send' }>,
  mayBePortal: boolean,
): Promise<Observation> {
  const charge = agent.charges.find(({ plan }) => plan.account === act.account)
  if (charge === undefined) throw new Error(`nobody asked for account ${act.account}`)
  const { account } = charge.plan
  const to = formRequest(charge.line, act.request, act.endpoint).url
  agent.tell({ kind: 'sending', account, request: act.request, to })
  if (to.startsWith('http:')) agent.tell({ kind: 'keyInClear', account, to: new URL(to).origin })
  const seen = await exchange(
    charge.line,
    act,
    { http: agent.http, now: () => agent.clock.now() },
    agent.abandon,
  )
  for (const fact of factsOf(seen, act.request))
    if (fact.kind !== 'captivePortal' || mayBePortal) agent.tell(fact)
  return seen
}

/** The daemon never has enough. */
export const forever: Enough = () => false

/** The one-shot command has, as soon as nothing is left but to wait. */
export const once: Enough = ({ act }, { clock }) => act.kind === 'look' && act.at > clock.now()
