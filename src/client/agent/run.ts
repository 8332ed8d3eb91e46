import { type Duration, type Instant, after, earliest, instant, minutes } from '../../base/time.ts'
import type { Clock, Dice, Schedule } from '../../ports/clock.ts'
import type { Http } from '../../ports/http.ts'
import { type View, heldUntil } from '../decide/next.ts'
import type { Action, Observation } from '../decide/observation.ts'
import type { Plan } from '../decide/plan.ts'
import { look } from './look.ts'
import { NEW_STATE, type State, accountOf } from '../decide/state.ts'
import { step } from '../decide/step.ts'
import { type Memory, StateNotKept } from '../memory/memory.ts'
import { type Line, exchange, formRequest } from '../send/exchange.ts'
import type { AddressSource } from '../sources/source.ts'
import type { AgentEvent } from './events.ts'
import type { Inbox, Order } from './inbox.ts'
import { type Patience, patienceOf } from './patience.ts'
import { newsOf } from './news.ts'

/** One account: what is wanted, where requests go, and who knows the address. */
export interface Charge {
  readonly plan: Plan
  readonly line: Line
  readonly source: AddressSource
  /** Where some of its hostnames have another. */
  readonly sources?: Readonly<Record<string, AddressSource>>
}

export interface Agent {
  readonly clock: Clock
  readonly dice: Dice
  readonly schedule: Schedule
  readonly memory: Memory
  readonly http: Http
  readonly charges: readonly Charge[]
  readonly inbox: Inbox
  /** With nothing left to do: end, or stay up and wait for orders. */
  readonly whenStopped: 'exit' | 'idle'
  /** How long a family that is known waits for one that is not, so that both can go in one request; without it, to the end. */
  readonly settleWithin?: Duration
  /** Nothing is sent that could not be remembered: for a process that ends, and would forget a stop. */
  readonly mustRemember: boolean
  readonly tell: (event: AgentEvent) => void
  /** Shown where the loop stands, after every change. */
  readonly show: (rest: Rest) => void
  /** `end` asks the loop to stop after what is under way; `abandon` breaks that off too. */
  readonly end: AbortSignal
  readonly abandon: AbortSignal
}

/** Where the loop came to rest. */
export interface Rest {
  readonly state: State
  readonly view: View
  readonly act: Action
  readonly charges: readonly Charge[]
}

export type Enough = (rest: Rest, agent: Agent) => boolean

/** The only loop in the client: decide, remember, act. The state is on disk before the act it permits. */
export async function run(agent: Agent, opening: readonly Observation[], isEnough: Enough): Promise<Rest> {
  const state = await agent.memory.load() // before the first look at the clock, which goes on from there
  let { schedule } = agent
  const [patience, news] = [patienceOf(agent), newsOf(agent)]
  const waiting: ((rest: Rest) => void)[] = []
  let rest: Rest = { state, view: unseen(agent), act: { kind: 'halt' }, charges: agent.charges }

  /** Whether no other process kept a state meanwhile. Where one did, its state is taken in, and what comes next decided again. */
  const keep = async (): Promise<boolean> => {
    const found = await agent.memory.save(rest.state)
    if (found !== undefined) await take({ kind: 'found', state: found })
    return found === undefined
  }
  const take = async (seen: Observation): Promise<boolean> => {
    const plans = rest.charges.map(({ plan }) => plan)
    const known = rest.state
    const moment = { now: agent.clock.now(), dice: agent.dice() }
    rest = { ...rest, ...step(known, seen, { plans, view: rest.view }, moment) }
    const isKept = await keep()
    // What was on disk already is news to whoever starts us.
    news.tellTurns(seen.kind === 'started' ? NEW_STATE : known, rest)
    agent.show(rest)
    return isKept
  }
  const follow = async (order: Order): Promise<void> => {
    order.taken?.()
    if (order.replace !== undefined) {
      ;({ schedule } = order.replace)
      rest = { ...rest, charges: order.replace.charges }
      await take({ kind: 'started' })
    }
    for (const seen of order.observe) await take(seen)
    if (order.done !== undefined) waiting.push(order.done)
  }
  const answer = (): void => {
    for (const done of waiting.splice(0)) done(rest)
  }

  for (const seen of opening) await take(seen)
  while (!isOver(rest, agent) && !isEnough(rest, agent)) {
    if (rest.act.kind === 'send') {
      const { act, view } = rest
      if (!(await take({ ...act, kind: 'sending' }))) continue
      const seen = await send(agent, rest.charges, act, patience)
      news.tellFacts(seen, act.request, view)
      await take(seen)
      if (agent.mustRemember) rest = { ...rest, view: spentIn(rest, act.account, agent.clock.now()) }
      continue
    }
    if (isIdle(rest, agent)) answer()
    await nap(agent, rest, keep)
    if (agent.end.aborted) break
    const orders = agent.inbox.take()
    for (const order of orders) await follow(order)
    rest = { ...rest, view: await look(agent, rest.charges, schedule, { orders, before: rest.view }) }
    news.tellAddresses(rest)
    await take({ kind: 'sighted' })
  }
  // Whoever asked while the last thing was done is told how it ended.
  for (const { done } of agent.inbox.take()) done?.(rest)
  answer()
  await keep()
  if (agent.end.aborted) agent.tell({ kind: 'ended' })
  return rest
}

const unseen = ({ clock }: Agent): View => ({ sightings: undefined, nextLook: clock.now() })

const isIdle: Enough = ({ act }, { clock }) =>
  act.kind === 'halt' || (act.kind === 'look' && act.at > clock.now())

const isOver: Enough = ({ act }, { end, whenStopped }) =>
  end.aborted || (act.kind === 'halt' && whenStopped === 'exit')

/**
 * Until the moment, or until somebody rings. The memory is asked each minute whether the wall clock was set since it
 * wrote: a reboot would measure a wait by it.
 */
async function nap(
  { clock, inbox, end, tell }: Agent,
  { act }: Rest,
  keep: () => Promise<boolean>,
): Promise<void> {
  const until = act.kind === 'look' ? act.at : NEVER
  if (until > clock.now() && until !== NEVER) tell({ kind: 'sleeping', until })
  const woken = AbortSignal.any([end, inbox.bell()])
  while (!woken.aborted && clock.now() < until) {
    await clock.sleep(earliest(until, after(clock.now(), minutes(1))), woken)
    if (!(await keep())) return
  }
}

/** The last moment that a Date can hold (ECMA-262 §21.4.1.1). */
const NEVER = instant(8_640_000_000_000_000)

async function send(
  agent: Agent,
  charges: readonly Charge[],
  act: Extract<Action, { kind: 'send' }>,
  patience: Patience,
): Promise<Observation> {
  const charge = charges.find(({ plan }) => plan.account === act.account)
  if (charge === undefined) throw new Error(`nobody asked for account ${act.account}`)
  const { account } = charge.plan
  if (agent.mustRemember && !agent.memory.isKept()) throw new StateNotKept(agent.memory.folders)
  const to = formRequest(charge.line, act.request, act.endpoint).url
  agent.tell({ kind: 'sending', account, request: act.request, to })
  if (to.startsWith('http:')) agent.tell({ kind: 'keyInClear', account, to: new URL(to).origin })
  const seen = await patience(agent.abandon, async (signal) =>
    exchange(charge.line, act, { http: agent.http, now: () => agent.clock.now() }, signal),
  )
  return seen
}

/** A one-shot leaves the retries to the next run. */
function spentIn({ state, view }: Rest, account: string, now: Instant): View {
  const isHeld = heldUntil(accountOf(state, account), now) !== undefined
  return isHeld ? { ...view, spent: [...(view.spent ?? []), account] } : view
}

/** The daemon never has enough. */
export const forever: Enough = () => false

/** The one-shot command has, as soon as nothing is left but to wait. */
export const once: Enough = ({ act }, { clock }) => act.kind === 'look' && act.at > clock.now()
