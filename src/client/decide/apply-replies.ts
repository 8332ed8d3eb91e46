import { never } from '../../shared/base/result.ts'
import { after, type Duration, type Instant, longest, milliseconds } from '../../shared/base/time.ts'
import { actionOf, isAccountWord, severityOf, type StopScope } from '../../shared/protocol/reply.ts'
import { nextWait, retryAt, waitAt } from './backoff.ts'
import { confirmedBy, notOffline } from './confirmation.ts'
import { aboutOf, type DesiredState } from './desired-state.ts'
import type { Moment, ObservationOf } from './observation.ts'
import {
  type AccountState,
  type AccountStatus,
  hostOf,
  type HostState,
  READY,
  type Stop,
  type WaitCause,
} from './state.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

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
  const ordered = [...ofHosts, ...ofAccount.toSorted((a, b) => severity(a) - severity(b))]
  const answered = {
    ...account,
    hosts: withHostReplies(account, ordered, context),
    ...(ofHosts.length > 0 && { status: READY }),
  }
  return ordered.reduce((state, line) => withAccountReply(state, line, context), answered)
}

/** All lines in one pass: one copy of the hostnames for each line would take time that grows with their square. */
function withHostReplies(
  account: AccountState,
  lines: readonly ReplyLine[],
  context: ApplyContext,
): AccountState['hosts'] {
  const changed = new Map<string, HostState>()
  for (const line of lines) {
    const before = changed.get(line.hostname) ?? hostOf(account, line.hostname)
    const host = withHostReply(before, line, context)
    if (host !== before) changed.set(line.hostname, host)
  }
  return { ...account.hosts, ...Object.fromEntries(changed) }
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

/** The state of the hostname of a line. A switch over the required actions, never over the words: those need a row only. */
function withHostReply(host: HostState, line: ReplyLine, context: ApplyContext): HostState {
  const { observation, reply } = line
  const action = actionOf(reply.word)
  switch (action.kind) {
    case 'settled': {
      const { isApart } = context.desired.form
      return confirmedBy(reply, observation.sent, { host, isApart, ...context })
    }
    case 'wait':
      return host
    case 'stop':
      return action.scope === 'hostname' ? { ...host, stopped: stopBy(line, context) } : host
    default:
      return never(action)
  }
}

/** What a line changes besides its hostname. */
function withAccountReply(account: AccountState, line: ReplyLine, context: ApplyContext): AccountState {
  const { observation, reply } = line
  const action = actionOf(reply.word)
  switch (action.kind) {
    case 'settled':
      return account
    case 'wait': {
      const atLeast = longest(action.atLeast, retryAfter(observation))
      return wait(
        account,
        { because: reply.word, detail: wordSentIn(reply) ?? quoteIn(reply) ?? '', atLeast },
        context,
      )
    }
    case 'stop':
      return action.scope === 'hostname' ? account : stop(account, line, { scope: action.scope, context })
    default:
      return never(action)
  }
}

function stopBy({ reply }: ReplyLine, { now, desired }: ApplyContext): Stop {
  const { word } = reply
  const [said, quote] = [wordSentIn(reply), quoteIn(reply)]
  const about = aboutOf(word, desired.fingerprints)
  return {
    since: now,
    because: word,
    about,
    ...(said !== undefined && { said }),
    ...(quote !== undefined && { quote }),
  }
}

function stop(
  account: AccountState,
  line: ReplyLine,
  { scope, context }: { readonly scope: StopScope; readonly context: ApplyContext },
): AccountState {
  const { observation, reply } = line
  const stopped = stopBy(line, context)
  if (!isRefusedFeature(observation, reply, scope))
    return { ...account, status: { kind: 'stopped', ...stopped } }
  const hosts = observation.sent.hostnames.map((name) => [name, notOffline(hostOf(account, name))])
  return {
    ...account,
    hosts: { ...account.hosts, ...Object.fromEntries(hosts) },
    status: READY,
    offlineRefused: stopped,
  }
}

/** The word in the response, where it is another one with the same required action. */
const wordSentIn = (reply: Reply): string | undefined => ('said' in reply ? reply.said : undefined)

const quoteIn = (reply: Reply): string | undefined => ('quote' in reply ? reply.quote : undefined)

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
