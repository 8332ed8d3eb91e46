import { never } from '../../base/never.ts'
import { type Duration, type Instant, after, longest, milliseconds } from '../../base/time.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { type StopScope, isAccountWord, isReplyWord, mandateOf, severityOf } from '../../protocol/reply.ts'
import { nextWait, retryAt, waitAt } from './backoff.ts'
import { confirmedBy } from './confirmation.ts'
import { joined } from './joined.ts'
import { aboutOf, isLifted } from './lift.ts'
import type { Observation } from './observation.ts'
import { remembered } from './pace.ts'
import type { Plan } from './plan.ts'
import {
  type AccountState,
  type HostState,
  type Standing,
  type State,
  NEW_ACCOUNT,
  type WaitCause,
  accountOf,
  hostOf,
} from './state.ts'

type About<K extends Observation['kind']> = Extract<Observation, { kind: K }>

/** The moment, and a number in [0, 1): everything that is not in the state or the plan. */
export interface Moment {
  readonly now: Instant
  readonly dice: number
}

/** What we know after an observation. Pure; every obligation of the protocol is taken on here. */
export function learn(state: State, seen: Observation, plans: readonly Plan[], moment: Moment): State {
  switch (seen.kind) {
    case 'started':
      return each(state, plans, lifted)
    case 'forced':
      return each(state, plans, (account, plan) => forgotten(account, plan, seen))
    case 'networkChanged':
      return each(state, plans, (account) =>
        account.standing.kind === 'retrying' ? ready(account) : account,
      )
    case 'resumed':
      return each(state, plans, (account, plan) =>
        (seen.account ?? plan.account) === plan.account ? unstopped(account) : account,
      )
    case 'sighted':
      return state
    case 'found':
      return joined(state, seen.state)
    case 'sending':
      return one(state, plans, seen.account, (account, { pace }) => ({
        ...account,
        recent: remembered(account.recent ?? [], seen.request, { pace, now: moment.now }),
      }))
    case 'answered':
      return one(state, plans, seen.account, (account, plan) => obey(account, plan, seen, moment))
    case 'notUnderstood':
      return one(state, plans, seen.account, (account) =>
        wait(account, { because: causeOf(seen), detail: seen.because, atLeast: retryAfter(seen) }, moment),
      )
    case 'unreached':
      return one(state, plans, seen.account, (account, plan) => retry(account, plan, seen, moment))
    default:
      return never(seen)
  }
}

const causeOf = ({ status }: About<'notUnderstood'>): WaitCause =>
  status === undefined ? 'not understood' : `HTTP ${status}`

type Change = (account: AccountState, plan: Plan) => AccountState

const each = (state: State, plans: readonly Plan[], change: Change): State =>
  plans.reduce((changed, plan) => one(changed, [plan], plan.account, change), state)

function one(state: State, plans: readonly Plan[], key: string, change: Change): State {
  const plan = plans.find(({ account }) => account === key)
  if (plan === undefined) return state
  const account = change(accountOf(state, key), plan)
  // What nothing is known of needs no line in the state, and no write.
  const isNews = Object.hasOwn(state.accounts, key) || JSON.stringify(account) !== JSON.stringify(NEW_ACCOUNT)
  return isNews ? { accounts: { ...state.accounts, [key]: account } } : state
}

const ready = (account: AccountState): AccountState => ({ ...account, standing: { kind: 'ready' } })

/** Stops whose subject changed since are over; all others stand, however often we are started. */
function lifted({ standing, hosts, offlineRefused, recent }: AccountState, plan: Plan): AccountState {
  const isOver = standing.kind === 'stopped' && isLifted(standing, plan.fingerprints)
  const isRefused = offlineRefused !== undefined && !isLifted(offlineRefused, plan.fingerprints)
  return {
    standing: isOver ? { kind: 'ready' } : standing,
    hosts: mapHosts(hosts, (host) =>
      host.stopped !== undefined && isLifted(host.stopped, plan.fingerprints) ? withoutStop(host) : host,
    ),
    ...(isRefused && { offlineRefused }),
    ...(recent !== undefined && { recent }),
  }
}

/** `resume` clears every stop, and a wait that no reply word asked for. */
const unstopped = ({ standing, hosts, recent }: AccountState): AccountState => ({
  standing: standing.kind === 'stopped' || isWordlessWait(standing) ? { kind: 'ready' } : standing,
  hosts: mapHosts(hosts, withoutStop),
  ...(recent !== undefined && { recent }),
})

/** Only a word of the protocol (911) asks for a wait by name; without one, what answered may not be the service. */
export const isWordlessWait = (standing: Standing): standing is Extract<Standing, { kind: 'waiting' }> =>
  standing.kind === 'waiting' && !isReplyWord(standing.because)

/** Confirm once more: what was confirmed is forgotten, what was forbidden is not. */
function forgotten(account: AccountState, plan: Plan, forced: About<'forced'>): AccountState {
  if ((forced.account ?? plan.account) !== plan.account) return account
  const names = forced.hostnames ?? plan.hostnames
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
function obey(account: AccountState, plan: Plan, seen: About<'answered'>, moment: Moment): AccountState {
  const lines = seen.replies.map((reply, at) => ({ seen, reply, hostname: seen.sent.hostnames[at] ?? '' }))
  const names = lines.filter(({ reply }) => !isAccountWord(reply.word))
  const words = lines.filter(
    ({ reply }, at) =>
      isAccountWord(reply.word) && lines.findIndex((one) => one.reply.word === reply.word) === at,
  )
  const known = names.length > 0 ? ready(account) : account
  const ordered = [...names, ...words.toSorted((a, b) => severity(a) - severity(b))]
  return ordered.reduce((state, line) => heed(state, plan, line, moment), known)
}

/** A refused feature is lighter than a wait: ordinary updates go on after it. */
const severity = ({ seen, reply }: Line): number => {
  const mandate = mandateOf(reply.word)
  const isFeature = mandate.kind === 'stop' && isRefusedFeature(seen, mandate.scope)
  return isFeature ? 0 : severityOf(reply.word)
}

/** `!donator` to offline=YES is about that option; to an ordinary request it is about the account. */
const isRefusedFeature = ({ sent }: About<'answered'>, scope: StopScope): boolean =>
  scope === 'feature' && sent.offline === 'YES'

interface Line {
  readonly seen: About<'answered'>
  readonly reply: Reply
  readonly hostname: string
}

/** A switch over the kinds of mandate, never over the words: a ninth word needs a row, not code. */
function heed(account: AccountState, plan: Plan, line: Line, moment: Moment): AccountState {
  const { word } = line.reply
  const mandate = mandateOf(word)
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
      const about = aboutOf(word, plan.fingerprints)
      const stop = { since: moment.now, because: word, about, ...(said !== undefined && { said }) }
      if (mandate.scope === 'hostname')
        return withHost(account, line.hostname, { ...hostOf(account, line.hostname), stopped: stop })
      if (isRefusedFeature(line.seen, mandate.scope)) return { ...ready(account), offlineRefused: stop }
      return { ...account, standing: { kind: 'stopped', ...stop } }
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
  { now, dice }: Moment,
): AccountState {
  const { standing } = account
  const rung = nextWait(because, standing.kind === 'waiting' ? standing.rung : undefined)
  const until = after(now, longest(waitAt(rung, dice), atLeast))
  return {
    ...account,
    standing: {
      kind: 'waiting',
      since: since(standing, 'waiting', now),
      until,
      because,
      detail,
      rung,
    },
  }
}

/**
 * The service's other endpoints are tried at once, but not in clear after TLS failed. When none is left, the round is over,
 * and the next begins after a while.
 */
function retry(
  account: AccountState,
  { endpoints }: Plan,
  { because: detail, isTls }: About<'unreached'>,
  { now, dice }: Moment,
): AccountState {
  const { standing } = account
  const failures = standing.kind === 'retrying' ? standing.rung + 2 : 1
  const rounds = Math.ceil(failures / endpoints)
  const isRoundOver = isTls || failures % endpoints === 0
  return {
    ...account,
    standing: {
      kind: 'retrying',
      since: since(standing, 'retrying', now),
      until: isRoundOver ? after(now, retryAt(rounds - 1, dice)) : now,
      detail,
      rung: (isRoundOver ? rounds * endpoints : failures) - 1,
    },
  }
}

const since = (standing: Standing, kind: Standing['kind'], now: Instant): Instant =>
  standing.kind === kind && 'since' in standing ? standing.since : now
