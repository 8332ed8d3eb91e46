import { never } from '../../base/never.ts'
import { after, type Duration, type Instant, longest, milliseconds } from '../../base/time.ts'
import { actionOf, isAccountWord, type StopScope, severityOf } from '../../protocol/reply.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { nextWait, retryAt, waitAt } from './backoff.ts'
import { confirmedBy, notOffline } from './confirmation.ts'
import type { DesiredState } from './desired-state.ts'
import { aboutOf } from './lift.ts'
import type { Moment, ObservationOf } from './observation.ts'
import {
  type AccountState,
  type AccountStatus,
  type HostState,
  hostOf,
  READY,
  type WaitCause,
} from './state.ts'

interface ApplyContext extends Moment {
  readonly desired: DesiredState
}

interface ReplyLine {
  readonly observation: ObservationOf<'answered'>
  readonly reply: Reply
  readonly hostname: string
}

/**
 * Applies the lines of a response. The line of a hostname confirms or stops that hostname. Words about the account
 * follow, each once and the most severe last: nothing ends a stop, and only a stop replaces a wait.
 */
export function applyReplies(
  account: AccountState,
  observation: ObservationOf<'answered'>,
  context: ApplyContext,
): AccountState {
  const lines = observation.replies.map(
    (reply, at): ReplyLine => ({ observation, reply, hostname: observation.sent.hostnames[at] ?? '' }),
  )
  const ofHosts = lines.filter(({ reply }) => !isAccountWord(reply.word))
  const ofAccount = lines.filter(
    ({ reply }, at) =>
      isAccountWord(reply.word) && lines.findIndex((one) => one.reply.word === reply.word) === at,
  )
  const initial = ofHosts.length > 0 ? { ...account, status: READY } : account
  const ordered = [...ofHosts, ...ofAccount.toSorted((a, b) => severity(a) - severity(b))]
  return ordered.reduce((state, line) => applyReply(state, line, context), initial)
}

/** A refused feature is less severe than a wait, because ordinary updates continue. */
function severity({ observation, reply }: ReplyLine): number {
  const action = actionOf(reply.word)
  const isFeature = action.kind === 'stop' && isRefusedFeature(observation, reply, action.scope)
  return isFeature ? 0 : severityOf(reply.word)
}

/**
 * `!donator` after offline=YES is about that option. After an ordinary
 * request, and as another word, it is about the account.
 */
const isRefusedFeature = ({ sent }: ObservationOf<'answered'>, reply: Reply, scope: StopScope): boolean =>
  scope === 'feature' && sent.offline === 'YES' && wordSentIn(reply) === undefined

/** A switch over the required actions, never over the words: another word needs a row, not code. */
function applyReply(account: AccountState, line: ReplyLine, context: ApplyContext): AccountState {
  const { observation, reply, hostname } = line
  const action = actionOf(reply.word)
  switch (action.kind) {
    case 'settled': {
      const host = hostOf(account, hostname)
      return withHost(
        account,
        hostname,
        confirmedBy(reply, observation.sent, {
          host,
          isApart: context.desired.form.isApart,
          ...context,
        }),
      )
    }
    case 'wait': {
      const atLeast = longest(action.atLeast, retryAfter(observation))
      return wait(account, { because: reply.word, detail: wordSentIn(reply) ?? '', atLeast }, context)
    }
    case 'stop':
      return stop(account, line, { scope: action.scope, context })
    default:
      return never(action)
  }
}

function stop(
  account: AccountState,
  { observation, reply, hostname }: ReplyLine,
  { scope, context }: { readonly scope: StopScope; readonly context: ApplyContext },
): AccountState {
  const { word } = reply
  const said = wordSentIn(reply)
  const about = aboutOf(word, context.desired.fingerprints)
  const stopped = { since: context.now, because: word, about, ...(said !== undefined && { said }) }
  if (scope === 'hostname') return withHost(account, hostname, { ...hostOf(account, hostname), stopped })
  if (isRefusedFeature(observation, reply, scope)) {
    const hosts = observation.sent.hostnames.map((name) => [name, notOffline(hostOf(account, name))])
    return {
      ...account,
      hosts: { ...account.hosts, ...Object.fromEntries(hosts) },
      status: READY,
      offlineRefused: stopped,
    }
  }
  return { ...account, status: { kind: 'stopped', ...stopped } }
}

/** The word in the response, where it is another one with the same required action. */
const wordSentIn = (reply: Reply): string | undefined => ('said' in reply ? reply.said : undefined)

const withHost = (account: AccountState, name: string, host: HostState): AccountState => ({
  ...account,
  hosts: { ...account.hosts, [name]: host },
})

export const retryAfter = ({ retryAfter: span }: { readonly retryAfter?: Duration }): Duration =>
  span ?? milliseconds(0)

interface Wait {
  readonly because: WaitCause
  readonly detail: string
  readonly atLeast: Duration
}

export function wait(
  account: AccountState,
  { because, detail, atLeast }: Wait,
  { now, random }: Moment,
): AccountState {
  const { status } = account
  const attempt = nextWait(because, status.kind === 'waiting' ? status.attempt : undefined)
  const until = after(now, longest(waitAt(attempt, random), atLeast))
  return {
    ...account,
    status: { kind: 'waiting', since: since(status, 'waiting', now), until, because, detail, attempt },
  }
}

/**
 * Tries the other endpoints of the service immediately, but none without TLS after TLS failed. When no endpoint is left, the
 * round ends, and the next one starts after a delay.
 */
export function retry(
  account: AccountState,
  { because: detail, isTls }: ObservationOf<'unreached'>,
  { now, random, desired: { endpointCount } }: ApplyContext,
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
