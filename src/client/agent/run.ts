import { after, earliest, type Instant, instant, minutes } from '../../base/time.ts'
import { heldUntil, type WorldView } from '../decide/next-action.ts'
import type { Action, Observation } from '../decide/observation.ts'
import { accountOf, NEW_STATE, type State } from '../decide/state.ts'
import { step } from '../decide/step.ts'
import { StateNotSaved } from '../memory/memory.ts'
import { exchange, makeHttpRequest } from '../send/exchange.ts'
import type { Schedule } from '../../ports/clock.ts'
import type { Agent, StopCondition } from './agent.ts'
import { type AnswerTimeout, answerTimeout } from './answer-timeout.ts'
import { type ChangeReporter, changeReporter } from './change-reporter.ts'
import type { LoopRequest } from './inbox.ts'
import { look } from './look.ts'
import type { AccountJob, LoopState } from './loop-state.ts'

/** The only loop in the client: decide, remember, act. The state is on disk before the act it permits. */
export async function run(
  agent: Agent,
  opening: readonly Observation[],
  isEnough: StopCondition,
): Promise<LoopState> {
  const state = await agent.memory.load() // before the first look at the clock, which goes on from there
  const loop = new AgentLoop(agent, state)
  // The first look permits nothing, and a process that dies before it starts in the same way again.
  for (const seen of opening) await loop.take(seen, 'unsaved')
  while (!isOver(loop.now, agent) && !isEnough(loop.now, agent) && (await loop.turn()));
  return loop.end()
}

/** Where the loop stands, and the steps that move it. */
class AgentLoop {
  now: LoopState
  readonly #agent: Agent
  readonly #timeout: AnswerTimeout
  readonly #reporter: ChangeReporter
  readonly #waiting: ((loop: LoopState) => void)[] = []
  #schedule: Schedule

  constructor(agent: Agent, state: State) {
    this.#agent = agent
    this.#timeout = answerTimeout(agent)
    this.#reporter = changeReporter(agent)
    this.#schedule = agent.schedule
    this.now = { state, world: unseen(agent), action: { kind: 'halt' }, jobs: agent.jobs }
  }

  /** Takes an observation in and decides what is next. Gives whether no other process wrote a state meanwhile. */
  async take(seen: Observation, saved: 'saved' | 'unsaved' = 'saved'): Promise<boolean> {
    const { clock, random, showState } = this.#agent
    const known = this.now
    const desiredStates = known.jobs.map(({ desired }) => desired)
    const moment = { now: clock.now(), random: random() }
    this.now = { ...known, ...step(known.state, seen, { desiredStates, world: known.world }, moment) }
    const isSavedLater = saved === 'unsaved' || isSavedNext(this.now, seen)
    const isKept = isSavedLater || (await this.#keep())
    // What was on disk already is news to the user who starts the program.
    this.#reporter.tellTurns(seen.kind === 'started' ? NEW_STATE : known.state, this.now)
    showState(this.now)
    return isKept
  }

  /** Does the one thing that is due, or waits and looks. Gives false where the loop is asked to end meanwhile. */
  async turn(): Promise<boolean> {
    const { action } = this.now
    if (action.kind === 'send') await this.#send(action)
    else await this.#waitAndLook()
    return !this.#agent.end.aborted
  }

  /** Answers every request that is left, and keeps the state a last time. */
  async end(): Promise<LoopState> {
    const { inbox, end, tell } = this.#agent
    // A request that arrived while the last thing was done is told how it ended.
    for (const { done } of inbox.take()) done?.(this.now)
    this.#answer()
    await this.#keep()
    if (end.aborted) tell({ kind: 'ended' })
    return this.now
  }

  /** Where another process wrote a state, that is taken in and the next action decided again; then it gives false. */
  async #keep(): Promise<boolean> {
    const found = await this.#agent.memory.save(this.now.state)
    if (found !== undefined) await this.take({ kind: 'found', state: found })
    return found === undefined
  }

  async #send(action: SendAction): Promise<void> {
    const { world } = this.now
    if (!(await this.take({ ...action, kind: 'sending' }))) return
    const seen = await send(this.#agent, this.now.jobs, action, this.#timeout)
    this.#reporter.tellFacts(seen, action.request, world)
    await this.take(seen)
    if (!this.#agent.mustRemember) return
    const spent = spentIn(this.now, action.account, this.#agent.clock.now())
    this.now = { ...this.now, world: spent }
  }

  async #waitAndLook(): Promise<void> {
    const agent = this.#agent
    if (isIdle(this.now, agent)) this.#answer()
    await nap(agent, this.now, async () => this.#keep())
    if (agent.end.aborted) return
    const requests = agent.inbox.take()
    for (const request of requests) await this.#follow(request)
    const before = this.now.world
    this.now = {
      ...this.now,
      world: await look(agent, this.now.jobs, this.#schedule, { orders: requests, before }),
    }
    this.#reporter.tellAddresses(this.now)
    await this.take({ kind: 'sighted' })
  }

  async #follow(request: LoopRequest): Promise<void> {
    request.taken?.()
    if (request.replace !== undefined) {
      this.#schedule = request.replace.schedule
      this.now = { ...this.now, jobs: request.replace.jobs }
      await this.take({ kind: 'started' })
    }
    for (const seen of request.observe) await this.take(seen)
    if (request.done !== undefined) this.#waiting.push(request.done)
  }

  #answer(): void {
    for (const done of this.#waiting.splice(0)) done(this.now)
  }
}

/** A request is saved with everything before it in one write to the disk, before it goes out. */
const isSavedNext = ({ action }: LoopState, seen: Observation): boolean =>
  action.kind === 'send' && seen.kind !== 'sending'

type SendAction = Extract<Action, { kind: 'send' }>

const unseen = ({ clock }: Agent): WorldView => ({ sightings: undefined, nextLook: clock.now() })

const isIdle: StopCondition = ({ action }, { clock }) =>
  action.kind === 'halt' || (action.kind === 'look' && action.at > clock.now())

const isOver: StopCondition = ({ action }, { end, whenStopped }) =>
  end.aborted || (action.kind === 'halt' && whenStopped === 'exit')

/**
 * Until the moment, or until somebody rings. The memory is asked each minute whether the wall clock was set since it
 * wrote: a reboot would measure a wait by it.
 */
async function nap(
  { clock, inbox, end, tell }: Agent,
  { action }: LoopState,
  keep: () => Promise<boolean>,
): Promise<void> {
  const until = action.kind === 'look' ? action.at : NEVER
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
  jobs: readonly AccountJob[],
  action: SendAction,
  patience: AnswerTimeout,
): Promise<Observation> {
  const job = jobs.find(({ desired }) => desired.account === action.account)
  if (job === undefined) throw new Error(`nobody asked for account ${action.account}`)
  const { account } = job.desired
  if (agent.mustRemember && !agent.memory.isSaved()) throw new StateNotSaved(agent.memory.folders)
  const to = makeHttpRequest(job.endpoint, action).url
  agent.tell({ kind: 'sending', account, request: action.request, to })
  if (to.startsWith('http:')) agent.tell({ kind: 'keyInClear', account, to: new URL(to).origin })
  const seen = await patience(agent.abandon, async (signal) =>
    exchange(job.endpoint, action, { http: agent.http, now: () => agent.clock.now(), signal }),
  )
  return seen
}

/** A one-shot leaves the retries to the next run. */
function spentIn({ state, world }: LoopState, account: string, now: Instant): WorldView {
  const isHeld = heldUntil(accountOf(state, account), now) !== undefined
  return isHeld ? { ...world, spent: [...(world.spent ?? []), account] } : world
}

/** The daemon never has enough. */
export const forever: StopCondition = () => false

/** The one-shot command has, as soon as nothing is left but to wait. */
export const once: StopCondition = ({ action }, { clock }) =>
  action.kind === 'look' && action.at > clock.now()
