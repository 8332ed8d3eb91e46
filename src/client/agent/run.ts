import {
  after,
  earliest,
  type Instant,
  isBefore,
  LAST_INSTANT,
  minutes,
  seconds,
} from '../../shared/base/time.ts'
import type { Schedule } from '../../shared/ports/clock.ts'
import { heldUntil } from '../decide/next-action.ts'
import type { Action, Observation } from '../decide/observation.ts'
import { accountOf, hostOf, type State } from '../decide/state.ts'
import { step } from '../decide/step.ts'
import { StateNotSaved } from './memory/memory.ts'
import { isInClear } from '../../shared/base/network.ts'
import { addressOf, exchange } from './send/exchange.ts'
import type { Agent, EndCondition, LoopRequest, LoopState } from './agent.ts'
import { ChangeReporter } from './change-reporter.ts'
import { look, MAX_LOOK } from './look.ts'
import { WAIT_ENDED } from '../../shared/base/concurrency.ts'

/** An answer that was already on its way arrives within this time. */
const ANSWER_TIMEOUT = seconds(3)
const NETWORK_CHANGED = 'exchange: the network changed before the answer arrived'

/** Runs an exchange with a signal that aborts when its answer can no longer arrive, or with `abandon`. */
type AnswerTimeout = (
  abandon: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<Observation>,
) => Promise<Observation>

/**
 * When this host's address changes, the answer to the old address is lost, and waiting for it delays the update to the new
 * one: an exchange ends three seconds after a change of the network. The next exchange is not limited, because a reported
 * change can be false and a service can be slow.
 */
export function answerTimeout({ clock, inbox }: Pick<Agent, 'clock' | 'inbox'>): AnswerTimeout {
  let wasAborted = false
  return async (abandon, exchange) => {
    const abort = new AbortController()
    const finished = new AbortController()
    const abortLater = async (): Promise<void> => {
      await clock.sleep(after(clock.now(), ANSWER_TIMEOUT), finished.signal)
      if (!finished.signal.aborted) abort.abort(WAIT_ENDED)
    }
    const onChange = (): void => void abortLater()
    const networkChange = inbox.networkChange()
    if (!wasAborted && networkChange.aborted) onChange()
    else if (!wasAborted) networkChange.addEventListener('abort', onChange, { once: true })
    const observation = await exchange(AbortSignal.any([abandon, abort.signal]))
    networkChange.removeEventListener('abort', onChange)
    finished.abort(WAIT_ENDED)
    wasAborted = abort.signal.aborted
    return wasAborted && observation.kind === 'unreached'
      ? { ...observation, because: NETWORK_CHANGED }
      : observation
  }
}

/**
 * The only loop of the client: decide, save, act. The state is on disk before the action that it permits. Resolves when the
 * condition holds, when `agent.end` aborts, or when every account is stopped and the agent exits then.
 * @throws StateNotSaved, StateUnreadable
 */
export async function run(
  agent: Agent,
  opening: readonly Observation[],
  shouldEnd: EndCondition,
): Promise<LoopState> {
  // Before the first reading of the clock: client time continues from the saved anchor.
  const state = await agent.memory.load()
  return new AgentLoop(agent, state).run(opening, shouldEnd)
}

/** For the daemon. */
export const forever: EndCondition = () => false

/** For the one-shot command: nothing is left to do now. */
export const once: EndCondition = ({ action }, { clock }) => action.kind === 'look' && action.at > clock.now()

type SendAction = Extract<Action, { kind: 'send' }>

const SAVE_INTERVAL = minutes(1)

/** Before a request, one write to the disk saves everything up to it. */
const isSavedNext = ({ action }: LoopState, { kind }: Observation): boolean =>
  action.kind === 'send' && kind !== 'sending'

/** The account, or a hostname of the request, must not send any more, or not now. */
function isRefusal(observation: Observation, state: State): boolean {
  if (observation.kind !== 'answered' && observation.kind !== 'notUnderstood') return false
  const account = accountOf(state, observation.account)
  const sent = observation.kind === 'answered' ? observation.sent.hostnames : []
  return account.status.kind !== 'ready' || sent.some((name) => hostOf(account, name).stopped !== undefined)
}

class AgentLoop {
  readonly #agent: Agent
  readonly #reporter: ChangeReporter
  readonly #withAnswerTimeout: ReturnType<typeof answerTimeout>
  #loop: LoopState
  #schedule: Schedule
  /** When the last look or exchange ended. */
  #current: Instant
  /** The last look was one for a request that had become old. */
  #isRepeated = false
  /** The `onDone` of requests that were taken and whose effect is not complete. */
  #pending: ((loop: LoopState) => void)[] = []

  constructor(agent: Agent, state: State) {
    this.#agent = agent
    this.#reporter = new ChangeReporter(agent, state)
    this.#withAnswerTimeout = answerTimeout(agent)
    this.#schedule = agent.schedule
    const world = { sightings: undefined, nextLook: agent.clock.now() }
    this.#loop = { state, world, action: { kind: 'halt' }, jobs: agent.jobs }
    this.#current = agent.clock.now()
  }

  async run(opening: readonly Observation[], shouldEnd: EndCondition): Promise<LoopState> {
    // The first look permits nothing, and a process that dies before it starts in the same way again.
    for (const observation of opening) {
      if (observation.kind === 'started') this.#reporter.forgetState()
      await this.#observe(observation, 'unsaved')
    }
    while (!this.#mustEnd() && !shouldEnd(this.#loop, this.#agent)) {
      const { action } = this.#loop
      if (action.kind === 'send') await this.#send(action)
      else await this.#waitAndLook()
    }
    return this.#end()
  }

  #mustEnd(): boolean {
    const { end, whenStopped } = this.#agent
    return end.aborted || (this.#loop.action.kind === 'halt' && whenStopped === 'exit')
  }

  async #end(): Promise<LoopState> {
    const { inbox, end, emit } = this.#agent
    // What was asked during the last action is saved, and answered with its result: a resume may be the last request.
    for (const request of inbox.take()) await this.#take(request)
    this.#completeRequests()
    await this.#save()
    if (end.aborted) emit({ kind: 'ended' })
    return this.#loop
  }

  /** Applies an observation, saves the state and decides the next action. False where `#save` merged another state. */
  async #observe(observation: Observation, saved: 'saved' | 'unsaved' = 'saved'): Promise<boolean> {
    const { clock, random, onState } = this.#agent
    const { state, world, jobs } = this.#loop
    const desiredStates = jobs.map(({ desired }) => desired)
    const context = { desiredStates, world, now: clock.now(), random: random() }
    this.#loop = { ...this.#loop, ...step(state, observation, context) }
    if (isRefusal(observation, this.#loop.state)) this.#agent.memory.jot(this.#loop.state)
    const isSavedLater = saved === 'unsaved' || isSavedNext(this.#loop, observation)
    const isSaved = isSavedLater || (await this.#save())
    this.#reporter.reportState(this.#loop, observation.kind === 'sending')
    onState(this.#loop)
    return isSaved
  }

  /** False where another process had saved a state: that one is merged, saved, and the next action decided again. */
  async #save(): Promise<boolean> {
    const { state } = this.#loop
    const lines = this.#agent.lines()
    if (lines !== undefined && JSON.stringify(lines) !== JSON.stringify(state.lines))
      this.#loop = { ...this.#loop, state: { ...state, lines } }
    const other = await this.#agent.memory.save(this.#loop.state)
    if (other === undefined) return true
    await this.#observe({ kind: 'found', state: other })
    return false
  }

  async #send(action: SendAction): Promise<void> {
    const { world } = this.#loop
    if (!(await this.#observe({ ...action, kind: 'sending' }))) return
    // This host may have slept since the look: the address may be another one by now. A disk that is so slow is no sleep.
    if (!this.#isRepeated && isBefore(after(this.#current, MAX_LOOK), this.#agent.clock.now())) {
      this.#isRepeated = true
      this.#agent.onInterruption()
      return this.#look([])
    }
    this.#isRepeated = false
    const observation = await this.#exchange(action)
    this.#current = this.#agent.clock.now()
    this.#reporter.reportExchange(observation, action.request, world)
    await this.#observe(observation)
    if (this.#agent.mustSave) this.#skipRetries(action.account)
  }

  async #exchange(action: SendAction): Promise<Observation> {
    const { http, dns, clock, memory, mustSave, abandon, emit } = this.#agent
    const { account, request } = action
    const job = this.#loop.jobs.find(({ desired }) => desired.account === account)
    if (job === undefined) throw new Error(`there is no account ${account} to send for`)
    if (mustSave && !memory.isSaved()) throw new StateNotSaved(memory.folders)
    const url = addressOf(job.endpoint, action)
    emit({ kind: 'sending', account, request, to: url })
    if (isInClear(new URL(url))) emit({ kind: 'keyInClear', account, to: new URL(url).origin })
    return this.#withAnswerTimeout(abandon, async (signal) =>
      exchange(job.endpoint, action, {
        http,
        dns,
        now: () => clock.now(),
        pause: async (span) => clock.sleep(after(clock.now(), span), signal),
        signal,
      }),
    )
  }

  /** A process that ends after its run leaves the retries to the next one. */
  #skipRetries(account: string): void {
    const { state, world } = this.#loop
    if (heldUntil(accountOf(state, account), this.#agent.clock.now()) === undefined) return
    this.#loop = { ...this.#loop, world: { ...world, spent: [...(world.spent ?? []), account] } }
  }

  async #waitAndLook(): Promise<void> {
    const { inbox, end } = this.#agent
    if (this.#isIdle()) this.#completeRequests()
    await this.#sleep()
    if (end.aborted) return
    const requests = inbox.take()
    for (const request of requests) await this.#take(request)
    await this.#look(requests)
  }

  async #look(requests: readonly LoopRequest[]): Promise<void> {
    const { jobs, world: before } = this.#loop
    const world = await look(this.#agent, { jobs, schedule: this.#schedule, requests, before })
    this.#current = this.#agent.clock.now()
    this.#loop = { ...this.#loop, world }
    this.#reporter.reportAddresses(this.#loop)
    await this.#observe({ kind: 'sighted' })
  }

  #isIdle(): boolean {
    const { action } = this.#loop
    return action.kind === 'halt' || (action.kind === 'look' && action.at > this.#agent.clock.now())
  }

  /**
   * Until the time of the next look, a request, or the end. Each minute the memory may save: if the wall clock was set, a
   * wait that a reboot measures by that clock needs a new anchor. Returns early if a state of another process was merged.
   */
  async #sleep(): Promise<void> {
    const { clock, inbox, end, emit } = this.#agent
    const { action } = this.#loop
    const until = action.kind === 'look' ? action.at : LAST_INSTANT
    if (until > clock.now() && until !== LAST_INSTANT) emit({ kind: 'sleeping', until })
    const arrival = inbox.arrival()
    while (!end.aborted && !arrival.aborted && clock.now() < until) {
      await clock.sleep(earliest(until, after(clock.now(), SAVE_INTERVAL)), end, arrival)
      if (!(await this.#save())) return
    }
  }

  async #take({ observations, reload, onTaken, onDone }: LoopRequest): Promise<void> {
    onTaken?.()
    if (reload !== undefined) {
      this.#schedule = reload.schedule
      this.#loop = { ...this.#loop, jobs: reload.jobs }
      await this.#observe({ kind: 'started' })
    }
    for (const observation of observations) await this.#observe(observation)
    if (onDone !== undefined) this.#pending.push(onDone)
  }

  #completeRequests(): void {
    const done = this.#pending
    this.#pending = []
    for (const onDone of done) onDone(this.#loop)
  }
}
