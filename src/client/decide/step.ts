import { nextAction, type WorldView } from './next-action.ts'
import type { Action, Moment, Observation, ObservationOf } from './observation.ts'
import {
  accountOf,
  type AccountState,
  type AccountStatus,
  hostOf,
  type HostState,
  NEW_ACCOUNT,
  READY,
  type State,
  type WaitCause,
} from './state.ts'
import { never } from '../../shared/base/result.ts'
import { isReplyWord } from '../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import { applyReplies, retry, retryAfter, wait } from './apply-replies.ts'
import { sentTo } from './confirmation.ts'
import { type DesiredState, isLifted } from './desired-state.ts'
import { mergeStates } from './merge.ts'
import { withSent } from './pace.ts'

interface ReduceContext extends Moment {
  readonly desiredStates: readonly DesiredState[]
}

/** The state after an observation. Pure; every required action of the protocol becomes part of the state here. */
export function reduce(state: State, seen: Observation, context: ReduceContext): State {
  const { now, random } = context
  const each = (change: Change): State => changeEach(state, context, change)
  switch (seen.kind) {
    case 'started':
      return changeEach(withNames(state, context), context, withoutLifted)
    case 'forced':
      return each((account, desired) => unconfirmedBy(account, desired, seen))
    case 'networkChanged':
      return each((account) => (account.status.kind === 'retrying' ? { ...account, status: READY } : account))
    case 'resumed':
      return each((account, desired) =>
        (seen.account ?? desired.account) === desired.account
          ? { ...unstopped(account), resumed: now }
          : account,
      )
    case 'sighted':
      return state
    case 'found':
      return mergeStates(state, seen.state)
    case 'sending':
    case 'answered':
    case 'notUnderstood':
    case 'unreached': {
      const desired = context.desiredStates.find(({ account }) => account === seen.account)
      return desired === undefined
        ? state
        : change(state, desired, (account) => afterRequest(account, seen, { desired, now, random }))
    }
    default:
      return never(seen)
  }
}

/** The hostnames that a request changes, with what is unanswered. */
const doubted = (account: AccountState, request: UpdateRequest): AccountState['hosts'] =>
  Object.fromEntries(
    request.hostnames.flatMap((name) => {
      const before = hostOf(account, name)
      const host = sentTo(before, request)
      return host === before ? [] : [[name, host]]
    }),
  )

type RequestObservation = ObservationOf<'sending' | 'answered' | 'notUnderstood' | 'unreached'>

/** The account after one event of a request. */
function afterRequest(
  account: AccountState,
  seen: RequestObservation,
  context: Moment & { readonly desired: DesiredState },
): AccountState {
  switch (seen.kind) {
    case 'sending': {
      const recent = withSent(account.recent ?? [], seen.request, {
        pace: context.desired.pace,
        minGap: context.desired.form.minGap,
        now: context.now,
      })
      return { ...account, hosts: { ...account.hosts, ...doubted(account, seen.request) }, recent }
    }
    case 'answered':
      return applyReplies(account, seen, context)
    case 'notUnderstood':
      return wait(
        account,
        { because: causeOf(seen), detail: seen.because, atLeast: retryAfter(seen) },
        context,
      )
    case 'unreached':
      return retry(account, seen, context)
    default:
      return never(seen)
  }
}

const causeOf = ({ status }: ObservationOf<'notUnderstood'>): WaitCause =>
  status === undefined ? 'unrecognized-reply' : `HTTP ${status}`

/** The state of an account that has got a name goes with it: one of its hostnames says which it is. */
const withNames = (state: State, { desiredStates }: ReduceContext): State =>
  desiredStates.reduce((named, { account, namelessKey, hostnames }) => {
    if (namelessKey === undefined || Object.hasOwn(named.accounts, account)) return named
    const { [namelessKey]: before, ...others } = named.accounts
    const isTaken = desiredStates.some((one) => one.account === namelessKey)
    const isOwn = before !== undefined && hostnames.some((name) => Object.hasOwn(before.hosts, name))
    return isOwn && !isTaken ? { ...named, accounts: { ...others, [account]: before } } : named
  }, state)

type Change = (account: AccountState, desired: DesiredState) => AccountState

const changeEach = (state: State, { desiredStates }: ReduceContext, changeOne: Change): State =>
  desiredStates.reduce((changed, desired) => change(changed, desired, changeOne), state)

function change(state: State, desired: DesiredState, changeOne: Change): State {
  const key = desired.account
  const before = accountOf(state, key)
  const account = changeOne(before, desired)
  if (account === before) return state
  // An account without any information is not part of the state, which saves a write.
  const isNews = Object.hasOwn(state.accounts, key) || JSON.stringify(account) !== JSON.stringify(NEW_ACCOUNT)
  return isNews ? { ...state, accounts: { ...state.accounts, [key]: account } } : state
}

/** Ends the stops whose settings changed; the others remain, however often the client starts. */
function withoutLifted(
  { status, hosts, offlineRefused, recent }: AccountState,
  { fingerprints }: DesiredState,
): AccountState {
  const isOver = status.kind === 'stopped' && isLifted(status, fingerprints)
  const isRefused = offlineRefused !== undefined && !isLifted(offlineRefused, fingerprints)
  return {
    status: isOver ? READY : status,
    hosts: mapHosts(hosts, (host) =>
      host.stopped !== undefined && isLifted(host.stopped, fingerprints) ? withoutStop(host) : host,
    ),
    ...(isRefused && { offlineRefused }),
    ...(recent !== undefined && { recent }),
  }
}

/** `resume` clears every stop, and a wait without a reply word. */
const unstopped = ({ status, hosts, recent }: AccountState): AccountState => ({
  status: status.kind === 'stopped' || isWordlessWait(status) ? READY : status,
  hosts: mapHosts(hosts, withoutStop),
  ...(recent !== undefined && { recent }),
})

/** Only a reply word (911) requires a wait; without one, the response may not come from the service. */
export const isWordlessWait = (
  status: AccountStatus,
): status is Extract<AccountStatus, { kind: 'waiting' }> =>
  status.kind === 'waiting' && !isReplyWord(status.because)

/** `--force` drops the confirmations; stops remain. */
function unconfirmedBy(
  account: AccountState,
  desired: DesiredState,
  forced: ObservationOf<'forced'>,
): AccountState {
  if ((forced.account ?? desired.account) !== desired.account) return account
  const names = forced.hostnames ?? desired.hostnames
  return {
    ...account,
    hosts: mapHosts(account.hosts, (host, name) => (names.includes(name) ? unconfirmed(host) : host)),
  }
}

const unconfirmed = ({ touched: _touched, confirmed, earlier, ...host }: HostState): HostState => ({
  ...host,
  confirmed: {},
  earlier: { ...earlier, ...confirmed },
})

const withoutStop = ({ stopped: _stopped, ...host }: HostState): HostState => host

const mapHosts = (
  hosts: AccountState['hosts'],
  changeHost: (host: HostState, name: string) => HostState,
): AccountState['hosts'] =>
  Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, changeHost(host, name)]))

interface Step {
  readonly state: State
  readonly action: Action
}

interface StepContext extends ReduceContext {
  readonly world: WorldView
}

/** The whole client: a pure function of the state, an observation, and the moment. */
export function step(known: State, seen: Observation, { world, ...context }: StepContext): Step {
  const state = reduce(known, seen, context)
  return { state, action: nextAction(state, context.desiredStates, { world, now: context.now }) }
}
