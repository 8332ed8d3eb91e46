import { type Instant, formatInstant } from '../../base/time.ts'
import { type Addresses, listed } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import { type Reply, formatReply } from '../../protocol/reply-codec.ts'
import { REPLIES } from '../../protocol/reply.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { AgentEvent } from '../agent/events.ts'
import type { Rest } from '../agent/run.ts'
import { heldUntil, sightingsOf, stopOf } from '../decide/next.ts'
import type { Plan } from '../decide/plan.ts'
import { accountOf, hostOf } from '../decide/state.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { remedyFor } from '../../protocol/remedies.ts'

/** What is said of one hostname: what was sent in this run, what came back, what it means, what is confirmed. */
export interface HostReport {
  readonly hostname: string
  readonly sent: { readonly addresses: readonly string[]; readonly offline: boolean } | null
  readonly answered: string | null
  readonly means: string | null
  readonly confirmed: Addresses
}

export interface AccountReport {
  readonly account: string
  readonly outcome: Outcome
  readonly addresses: Readonly<Record<string, string | null>>
  readonly hostnames: readonly HostReport[]
  /** Why nothing more is done: the reply word, or what went wrong. */
  readonly because: string | null
  readonly since: string | null
  readonly remedy: string | null
  /** RFC 3339; null where only the user's act permits another attempt. */
  readonly nextAttempt: string | null
}

interface Exchanged {
  readonly sent: UpdateRequest
  readonly reply?: Reply
}

/** Keeps what the events of a run said of each hostname; the last word wins. */
export function collector(): {
  readonly hear: (event: AgentEvent) => void
  readonly of: (account: string, hostname: string) => Exchanged | undefined
} {
  const heard = new Map<string, Exchanged>()
  const key = (account: string, hostname: string): string => `${account} ${hostname}`
  return {
    hear: (event) => {
      if ('reply' in event)
        heard.set(key(event.account, event.hostname), { sent: event.sent, reply: event.reply })
      else if ('sent' in event)
        for (const name of event.sent.hostnames) heard.set(key(event.account, name), { sent: event.sent })
    },
    of: (account, hostname) => heard.get(key(account, hostname)),
  }
}

/** Our own time, and how to show a moment of it by the wall clock. */
export interface When {
  readonly now: Instant
  readonly wallAt: (at: Instant) => Instant
}

/** How one account stands after a run. `addresses` are those seen for its first hostname. */
export function reportOn(
  plan: Plan,
  { state, view }: Rest,
  heard: ReturnType<typeof collector>,
  { now, wallAt }: When,
): AccountReport {
  const account = accountOf(state, plan.account)
  const seen = view.sightings?.[plan.account]
  const [first = ''] = plan.hostnames
  const outcome = outcomeOf(state, plan, seen, now)
  const stop =
    stopOf(account, plan) ?? plan.hostnames.map((name) => hostOf(account, name).stopped).find(Boolean)
  const cause = outcome === 'stopped' ? (stop ?? account.offlineRefused) : undefined
  const because = cause?.because ?? becauseOf(account.standing, outcome, seen !== undefined)
  const since = cause?.since ?? ('since' in account.standing ? account.standing.since : undefined)
  return {
    account: plan.account,
    outcome,
    addresses: Object.fromEntries(
      Object.entries(sightingsOf(seen ?? {}, first)).map(([family, sighting]) => [
        family,
        addressOf(sighting),
      ]),
    ),
    hostnames: plan.hostnames.map((hostname) => ({
      hostname,
      ...exchangeOf(heard.of(plan.account, hostname)),
      confirmed: hostOf(account, hostname).confirmed,
    })),
    because: because ?? null,
    since: since === undefined ? null : formatInstant(wallAt(since)),
    remedy: (because === undefined ? undefined : remedyFor(because)) ?? null,
    nextAttempt:
      stopOf(account, plan) === undefined ? formatInstant(wallAt(heldUntil(account, now) ?? now)) : null,
  }
}

function becauseOf(
  standing: ReturnType<typeof accountOf>['standing'],
  outcome: Outcome,
  hasLooked: boolean,
): string | undefined {
  if (outcome === 'waiting' && standing.kind === 'waiting')
    return standing.detail === '' ? standing.because : `${standing.because}: ${standing.detail}`
  if (outcome === 'unreached')
    return standing.kind === 'retrying' ? standing.detail : 'ended before it was asked'
  if (outcome !== 'addressUnknown') return undefined
  return hasLooked ? 'no source could tell the public address' : 'nobody has looked for the address yet'
}

function exchangeOf(heard: Exchanged | undefined): Pick<HostReport, 'sent' | 'answered' | 'means'> {
  if (heard === undefined) return { sent: null, answered: null, means: null }
  const sent = { addresses: listed(heard.sent.addresses), offline: heard.sent.offline === 'YES' }
  if (heard.reply === undefined) return { sent, answered: null, means: null }
  return { sent, answered: formatReply(heard.reply), means: REPLIES[heard.reply.word].means }
}

const addressOf = (sighting: Sighting): string | null => (sighting.kind === 'seen' ? sighting.address : null)

/** The same for a person: a line for each hostname, then why it stops there, if it does. */
export function sayReport({
  outcome,
  hostnames,
  because,
  remedy,
  nextAttempt,
  account,
}: AccountReport): readonly string[] {
  const lines = hostnames.map(({ hostname, sent, answered, means, confirmed }) => {
    if (answered !== null) return `${hostname}: ${answered} (${means})`
    if (sent !== null)
      return `${hostname}: sent ${sent.addresses.join(' and ') || 'an update'}, nothing confirmed`
    const current = listed(confirmed).join(' and ')
    return outcome === 'settled'
      ? `${hostname}: already confirmed at ${current}; nothing sent`
      : `${hostname}: nothing sent`
  })
  // biome-ignore format: a table
  const ENDS: { readonly [O in Outcome]: readonly string[] } = {
    settled:        [],
    addressUnknown: [`${account}: ${because}; nothing was sent`],
    unreached:      [`${account}: the service was not reached (${because})`],
    waiting:        [`${account}: told to wait (${because}); nothing is sent before ${nextAttempt}`],
    stopped:        [`${account}: stopped by ${because}; nothing more is sent until you act`, ...(remedy === null ? [] : [`  what to do: ${remedy}`])],
  }
  return [...lines, ...ENDS[outcome]]
}
