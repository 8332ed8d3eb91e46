import { never } from '../../base/never.ts'
import { after, type Duration, type Instant, longest, milliseconds } from '../../base/time.ts'
import { actionOf, isAccountWord, isReplyWord, type StopScope, severityOf } from '../../protocol/reply.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { nextWait, retryAt, waitAt } from './backoff.ts'
import { confirmedBy } from './confirmation.ts'
import type { DesiredState } from './desired-state.ts'
import { aboutOf, isLifted } from './lift.ts'
import { mergeStates } from './merge.ts'
import type { Observation } from './observation.ts'
import { withSent } from './pace.ts'
import {
  type AccountState,
  type AccountStatus,
  accountOf,
  type HostState,
  hostOf,
  NEW_ACCOUNT,
  type State,
  type WaitCause,
} from './state.ts'

type About<K extends Observation['kind']> = Extract<Observation, { kind: K }>

/** The moment, and a number in [0, 1): everything that is not in the state or the plan. */
export interface Moment {
  readonly now: Instant
  readonly random: number
}

/** What we know after an observation. Pure; every obligation of the protocol is taken on here. */
export function reduce(
  state: State,
  seen: Observation,
  desiredStates: readonly DesiredState[],
  moment: Moment,
): State {
  switch (seen.kind) {
    case 'started':
      return each(state, desiredStates, lifted)
    case 'forced':
      return each(state, desiredStates, (account, desired) => forgotten(account, desired, seen))
    case 'networkChanged':
      return each(state, desiredStates, (account) =>
        account.status.kind === 'retrying' ? ready(account) : account,
      )
    case 'resumed':
      return each(state, desiredStates, (account, desired) =>
        (seen.account ?? desired.account) === desired.account ? unstopped(account) : account,
      )
    case 'sighted':
      return state
    case 'found':
      return mergeStates(state, seen.state)
    case 'sending':
      return one(state, desiredStates, seen.account, (account, { pace }) => ({
        ...account,
        recent: withSent(account.recent ?? [], seen.request, { pace, now: moment.now }),
      }))
    case 'answered':
      return one(state, desiredStates, seen.account, (account, desired) =>
        applyReplies(account, desired, seen, moment),
      )
    case 'notUnderstood':
      return one(state, desiredStates, seen.account, (account) =>
        wait(account, { because: causeOf(seen), detail: seen.because, atLeast: retryAfter(seen) }, moment),
      )
    case 'unreached':
      return one(state, desiredStates, seen.account, (account, desired) =>
        retry(account, desired, seen, moment),
      )
    default:
      return never(seen)
  }
}

const causeOf = ({ status }: About<'notUnderstood'>): WaitCause =>
  status === undefined ? 'unrecognized-reply' : `HTTP ${status}`

type Change = (account: AccountState, desired: DesiredState) => AccountState

const each = (state: State, desiredStates: readonly DesiredState[], change: Change): State =>
  desiredStates.reduce((changed, desired) => one(changed, [desired], desired.account, change), state)

function one(state: State, desiredStates: readonly DesiredState[], key: string, change: Change): State {
  const desired = desiredStates.find(({ account }) => account === key)
  if (desired === undefined) return state
  const account = change(accountOf(state, key), desired)
  // What nothing is known of needs no line in the state, and no write.
  const isNews = Object.hasOwn(state.accounts, key) || JSON.stringify(account) !== JSON.stringify(NEW_ACCOUNT)
  return isNews ? { accounts: { ...state.accounts, [key]: account } } : state
}

const ready = (account: AccountState): AccountState => ({ ...account, status: { kind: 'ready' } })

/** Stops whose subject changed since are over; all others stand, however often we are started. */
function lifted(
  { status, hosts, offlineRefused, recent }: AccountState,
  desired: DesiredState,
): AccountState {
  const isOver = status.kind === 'stopped' && isLifted(status, desired.fingerprints)
  const isRefused = offlineRefused !== undefined && !isLifted(offlineRefused, desired.fingerprints)
  return {
    status: isOver ? { kind: 'ready' } : status,
    hosts: mapHosts(hosts, (host) =>
      host.stopped !== undefined && isLifted(host.stopped, desired.fingerprints) ? withoutStop(host) : host,
    ),
    ...(isRefused && { offlineRefused }),
    ...(recent !== undefined && { recent }),
  }
}

/** `resume` clears every stop, and a wait that no reply word asked for. */
const unstopped = ({ status, hosts, recent }: AccountState): AccountState => ({
  status: status.kind === 'stopped' || isWordlessWait(status) ? { kind: 'ready' } : status,
  hosts: mapHosts(hosts, withoutStop),
  ...(recent !== undefined && { recent }),
})

/** Only a word of the protocol (911) asks for a wait by name; without one, what answered may not be the service. */
export const isWordlessWait = (
  status: AccountStatus,
): status is Extract<AccountStatus, { kind: 'waiting' }> =>
  status.kind === 'waiting' && !isReplyWord(status.because)

/** Confirm once more: what was confirmed is forgotten, what was forbidden is not. */
function forgotten(account: AccountState, desired: DesiredState, forced: About<'forced'>): AccountState {
  if ((forced.account ?? desired.account) !== desired.account) return account
  const names = forced.hostnames ?? desired.hostnames
  return {
    ...account,
    hosts: mapHosts(account.hosts, (host, name) => (names.includes(name) ? unconfirmed(host) : host)),
  }
}

const unconfirmed = ({ touched: _touched, ...host }: HostState): HostState => ({ ...host, confirmed: {} })

const withoutStop = ({ stopped: _stopped, ...host }: HostState): HostState => host

const mapHosts = (
  hosts: AccountState['hosts'],
  change: (host: HostState, name: string) => HostState,
): AccountState['hosts'] =>
  Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, change(host, name)]))

/**
 * Line by line: each name is settled or stopped by its own line. Words about the account come after, each once and
 * the gravest last, so that nothing takes back a stop, and a wait nothing but a stop.
 */
function applyReplies(
  account: AccountState,
  desired: DesiredState,
  seen: About<'answered'>,
  moment: Moment,
): AccountState {
  const lines = seen.replies.map((reply, at) => ({ seen, reply, hostname: seen.sent.hostnames[at] ?? '' }))
  const names = lines.filter(({ reply }) => !isAccountWord(reply.word))
  const words = lines.filter(
    ({ reply }, at) =>
      isAccountWord(reply.word) && lines.findIndex((one) => one.reply.word === reply.word) === at,
  )
  const known = names.length > 0 ? ready(account) : account
  const ordered = [...names, ...words.toSorted((a, b) => severity(a) - severity(b))]
  return ordered.reduce((state, line) => applyReply(state, desired, line, moment), known)
}

/** A refused feature is lighter than a wait: ordinary updates go on after it. */
const severity = ({ seen, reply }: ReplyLine): number => {
  const mandate = actionOf(reply.word)
  const isFeature = mandate.kind === 'stop' && isRefusedFeature(seen, mandate.scope)
  return isFeature ? 0 : severityOf(reply.word)
}

/** `!donator` to offline=YES is about that option; to an ordinary request it is about the account. */
const isRefusedFeature = ({ sent }: About<'answered'>, scope: StopScope): boolean =>
  scope === 'feature' && sent.offline === 'YES'

interface ReplyLine {
  readonly seen: About<'answered'>
  readonly reply: Reply
  readonly hostname: string
}

/** A switch over the kinds of mandate, never over the words: a ninth word needs a row, not code. */
function applyReply(
  account: AccountState,
  desired: DesiredState,
  line: ReplyLine,
  moment: Moment,
): AccountState {
  const { word } = line.reply
  const mandate = actionOf(word)
  switch (mandate.kind) {
    case 'settled':
      return withHost(
        account,
        line.hostname,
        confirmedBy(line.reply, line.seen.sent, { host: hostOf(account, line.hostname), ...moment }),
      )
    case 'wait':
      return wait(
        account,
        {
          because: word,
          detail: saidIn(line.reply) ?? '',
          atLeast: longest(mandate.atLeast, retryAfter(line.seen)),
        },
        moment,
      )
    case 'stop': {
      const said = saidIn(line.reply)
      const about = aboutOf(word, desired.fingerprints)
      const stop = { since: moment.now, because: word, about, ...(said !== undefined && { said }) }
      if (mandate.scope === 'hostname')
        return withHost(account, line.hostname, { ...hostOf(account, line.hostname), stopped: stop })
      if (isRefusedFeature(line.seen, mandate.scope)) return { ...ready(account), offlineRefused: stop }
      return { ...account, status: { kind: 'stopped', ...stop } }
    }
    default:
      return never(mandate)
  }
}

const saidIn = (reply: Reply): string | undefined => ('said' in reply ? reply.said : undefined)

const withHost = (account: AccountState, name: string, host: HostState): AccountState => ({
  ...account,
  hosts: { ...account.hosts, [name]: host },
})

const retryAfter = ({ retryAfter: span }: { readonly retryAfter?: Duration }): Duration =>
  span ?? milliseconds(0)

interface Wait {
  readonly because: WaitCause
  readonly detail: string
  readonly atLeast: Duration
}

function wait(
  account: AccountState,
  { because, detail, atLeast }: Wait,
  { now, random }: Moment,
): AccountState {
  const { status } = account
  const attempt = nextWait(because, status.kind === 'waiting' ? status.attempt : undefined)
  const until = after(now, longest(waitAt(attempt, random), atLeast))
  return {
    ...account,
    status: {
      kind: 'waiting',
      since: since(status, 'waiting', now),
      until,
      because,
      detail,
      attempt,
    },
  }
}

/**
 * The service's other endpoints are tried at once, but not in clear after TLS failed. When none is left, the round is over,
 * and the next begins after a while.
 */
function retry(
  account: AccountState,
  { endpointCount }: DesiredState,
  { because: detail, isTls }: About<'unreached'>,
  { now, random }: Moment,
): AccountState {
  const { status } = account
  const failures = status.kind === 'retrying' ? status.attempt + 2 : 1
  const rounds = Math.ceil(failures / endpointCount)
  const isRoundOver = isTls || failures % endpointCount === 0
  return {
    ...account,
    status: {
      kind: 'retrying',
      since: since(status, 'retrying', now),
      until: isRoundOver ? after(now, retryAt(rounds - 1, random)) : now,
      detail,
      attempt: (isRoundOver ? rounds * endpointCount : failures) - 1,
    },
  }
}

const since = (status: AccountStatus, kind: AccountStatus['kind'], now: Instant): Instant =>
  status.kind === kind && 'since' in status ? status.since : now
