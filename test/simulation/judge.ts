import { type Addresses, FAMILIES, type Family } from '../../src/shared/base/address.ts'
import type { RouterKind, World } from './draw.ts'
import type { Home } from './home.ts'
import { addressesIn, type Received } from './update-service.ts'

/** A broken rule, by its number. */
export interface Alarm {
  readonly rule: string
  /** In milliseconds since the start. */
  readonly at: number
  readonly because: string
}

const SECOND = 1000
const MINUTE = 60 * SECOND

/** How long an address that the line had may still be on its way. */
const MAX_AGE = 15 * SECOND
export const STOPS = /^200 (?:badauth|abuse|nohost|badagent|!donator)/
/** The stops that other settings end. */
const OF_SETTINGS = /^200 (?:badauth|nohost|!donator)/
/** How long the client sends nothing after an answer. */
const WAITS: readonly { readonly answered: RegExp; readonly span: number; readonly isLiftable: boolean }[] = [
  { answered: /^200 911/, span: 30 * MINUTE, isLiftable: false },
  // No word of the protocol: the user may end this wait.
  { answered: /^429/, span: 10 * MINUTE, isLiftable: true },
]
/** Five minutes by the clock of the client, and less by that of the service, because requests take a while. */
const PACE = { span: 5 * MINUTE - 10 * SECOND, requests: 25, changes: 10 } as const
/** 15 s by the clock of the client, which reads it before it saves what it sends. */
const ONE_RECONNECT = 16 * SECOND

export interface Attempt {
  readonly at: number
  readonly hostnames: readonly string[]
  readonly myip: string
  isConfirmed: boolean
}

/** What the rules may know in addition to the requests. */
export interface Witness {
  readonly world: World
  readonly home: Home
  /** Every request of the client, also those that never arrived. */
  readonly attempts: readonly Attempt[]
  /** When the user last lifted a stop, or asked for something. */
  lifted: number
  /** When the wall clock was last set. */
  clockSet: number
  /** Until when the client stood still last. */
  frozen: number
  /** When the machine last started. */
  booted: number
  /** When the disk last failed a write. */
  diskFailed: number
  /** It was on another line than the home line while it did not know what it had saved or sent. */
  hasLostLine: boolean
}

/** Safety, at each request that the service receives: `received` ends with it. */
export function safetyAlarms(received: readonly Received[], witness: Witness): readonly Alarm[] {
  const last = received.at(-1)
  if (last === undefined) return []
  const earlier = received.slice(0, -1)
  return [
    ...truth(last, earlier, witness),
    ...stops(last, earlier, witness),
    ...waits(last, earlier, witness),
    ...pace(received, last, witness),
    ...needless(last, earlier, witness),
  ].map(([rule, because]) => ({ rule, at: last.at, because }))
}

/** The rule that is broken, and how. */
export type Finding = readonly [rule: string, because: string]

/** After the confirmation, another request was not confirmed: the client cannot know what became of it. */
const isInDoubt = ({ hostnames, myip }: Received, since: number, { attempts }: Witness): boolean =>
  attempts.some(
    (one) =>
      one.at > since &&
      !one.isConfirmed &&
      one.myip !== myip &&
      one.hostnames.some((name) => hostnames.includes(name)),
  )

/** S1: an address that is sent was the home's a moment ago. Of a family that the home has lost, the last one is repeated. */
const truth = ({ myip }: Received, earlier: readonly Received[], { home }: Witness): readonly Finding[] =>
  Object.entries(addressesIn(myip)).flatMap(([family, one]): readonly Finding[] => {
    const isRepeated =
      family === 'v6' &&
      home.ipv6.address === undefined &&
      earlier.some((before) => IS_CONFIRMED.test(before.answer) && addressesIn(before.myip).v6 === one)
    return isRepeated || home.hadWithin(one, MAX_AGE)
      ? []
      : [['S1', `${one} is sent, and is not the address of the line`]]
  })

/** S2: nothing after a stop, until the user acts; another password ends some. */
function stops(last: Received, earlier: readonly Received[], witness: Witness): readonly Finding[] {
  const stop = earlier.findLast(({ answer, inHand }) => STOPS.test(answer) && inHand !== undefined)
  const inHand = stop?.inHand ?? Infinity
  if (stop !== undefined && OF_SETTINGS.test(stop.answer) && stop.authorization !== last.authorization)
    return []
  return inHand < last.at && witness.lifted < inHand && !isForgotten(witness, inHand)
    ? [['S2', `a request ${((last.at - inHand) / SECOND).toFixed(3)} s after ${stop?.answer}`]]
    : []
}

/** S3: nothing while an answer asks for a wait. A clock that was set while the machine was off is excused (decision 0010). */
const waits = (last: Received, earlier: readonly Received[], witness: Witness): readonly Finding[] =>
  WAITS.flatMap(({ answered, span, isLiftable }): readonly Finding[] => {
    const cause = earlier.findLast(({ answer, inHand }) => answered.test(answer) && inHand !== undefined)
    const inHand = cause?.inHand ?? -Infinity
    const isExcused =
      (witness.booted > inHand && witness.clockSet > inHand) || (isLiftable && witness.lifted > inHand)
    return last.at - inHand < span && !isExcused && !isForgotten(witness, inHand)
      ? [['S3', `a request ${((last.at - inHand) / SECOND).toFixed(1)} s after ${cause?.answer}`]]
      : []
  })

/** The disk failed around the answer, so that a restart may have forgotten it. */
export const isForgotten = ({ diskFailed }: Witness, inHand: number): boolean => diskFailed >= inHand

/** S4: whatever happens, so many requests and changes in five minutes. */
function pace(received: readonly Received[], last: Received, { attempts }: Witness): readonly Finding[] {
  const recent = received.slice(received.findLastIndex(({ at }) => at <= last.at - PACE.span) + 1)
  const changes = changesIn(attempts, last.at - PACE.span)
  return [
    ...(recent.length > PACE.requests ? [['S4', `${recent.length} requests in five minutes`] as const] : []),
    ...(changes > PACE.changes ? [['S4', `${changes} changes in five minutes`] as const] : []),
  ]
}

/**
 * How many changes begin after this moment: both families of one reconnect are one. What changed follows from all requests, also
 * from those that never arrived: a repetition is no change.
 */
function changesIn(attempts: readonly Attempt[], since: number): number {
  let before: Addresses = {}
  let count = 0
  let first = -Infinity
  let families: readonly Family[] = []
  for (const { at, myip } of attempts) {
    const now = addressesIn(myip)
    const changed = FAMILIES.filter((family) => now[family] !== undefined && now[family] !== before[family])
    before = { ...before, ...now }
    if (at <= since || changed.length === 0) continue
    const isSame = at - first < ONE_RECONNECT && !changed.some((family) => families.includes(family))
    families = isSame ? [...families, ...changed] : changed
    if (isSame) continue
    count++
    first = at
  }
  return count
}

/** S5: what a confirmation in hand has confirmed is not sent again. */
function needless(last: Received, earlier: readonly Received[], witness: Witness): readonly Finding[] {
  const sent = addressesIn(last.myip)
  const confirmedAt = last.hostnames.flatMap((hostname) => confirmationsOf(hostname, sent, earlier))
  if (confirmedAt.includes(undefined)) return []
  const times = confirmedAt.map((at) => at ?? 0)
  const [first, since] = [Math.min(...times), Math.max(...times)]
  // A clock that was set while the machine was off makes a refresh due.
  const isExcused = witness.booted > first && witness.clockSet > first
  return witness.lifted < first &&
    !isExcused &&
    !isForgotten(witness, first) &&
    !isInDoubt(last, first, witness)
    ? [
        [
          'S5',
          `${last.myip} is sent again ${((last.at - since) / SECOND).toFixed(3)} s after it was confirmed`,
        ],
      ]
    : []
}

export const IS_CONFIRMED = /^200 (?:good|nochg)/

/** When the client had the confirmation of each address; undefined where it has none, or an answer since then is lost. */
function confirmationsOf(
  hostname: string,
  sent: Addresses,
  earlier: readonly Received[],
): readonly (number | undefined)[] {
  const known = new Map<string, { readonly one: string; readonly inHand: number }>()
  for (const { hostnames, myip, answer, inHand } of earlier)
    if (hostnames.includes(hostname))
      for (const [family, one] of Object.entries(addressesIn(myip)))
        if (inHand !== undefined && IS_CONFIRMED.test(answer)) known.set(family, { one, inHand })
        else known.delete(family)
  return Object.entries(sent).map(([family, one]) => {
    const found = known.get(family)
    return found?.one === one ? found.inHand : undefined
  })
}

/** Routers that state the public address. */
export const DOES_REPORT: ReadonlySet<RouterKind> = new Set(['announces', 'answers', 'upnp'])

/** L1: how long a change may take until it is confirmed, in a home without faults. In milliseconds. */
export function boundOf({ router, loss, ipv6, probe, pings, losesPings }: World['home']): number {
  const factor = loss > 0.01 ? 2 : 1
  // The host checks a new IPv6 address before it uses it (RFC 4862 §5.4).
  const check = ipv6 === 'none' ? 0 : 1.5 * SECOND
  const isPinged = probe && pings === true && losesPings !== true
  if (DOES_REPORT.has(router) || isPinged) return factor * 2 * SECOND + check
  return factor * 30 * SECOND + check
}

/** Behind a mute router, until its probe and two outside services have answered. */
const MAX_RETURN = 5 * SECOND

/**
 * The same for a change back to the address before: where the router states it, or answers at it. Elsewhere it must stay for a
 * while first, because two uplinks that alternate look the same.
 */
export function boundOfReturn(home: World['home']): number | undefined {
  if (DOES_REPORT.has(home.router)) return boundOf(home)
  const isCertain = home.probe && home.loss <= 0.01 && home.liars.length === 0
  return isCertain ? Math.min(boundOf(home), MAX_RETURN) : undefined
}
