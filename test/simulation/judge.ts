import type { World } from './draw.ts'
import type { Home } from './home.ts'
import type { Received } from './update-service.ts'

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
const STOPS = /^200 (?:badauth|abuse|nohost|badagent)/
/** How long the client sends nothing after an answer. */
const WAITS: readonly (readonly [RegExp, number])[] = [
  [/^200 911/, 30 * MINUTE],
  [/^429/, 10 * MINUTE],
]
const PACE = { span: 5 * MINUTE, requests: 25, changes: 10 } as const

/** What the rules may know in addition to the requests. */
export interface Witness {
  readonly world: World
  readonly home: Home
  /** When the user last lifted a stop, or asked for something. */
  lifted: number
  /** When the wall clock was last set. */
  clockSet: number
  /** When the machine last started. */
  booted: number
  /** When the disk last failed a write. */
  diskFailed: number
}

/** Safety, at each request that the service receives: `received` ends with it. */
export function safetyAlarms(received: readonly Received[], witness: Witness): readonly Alarm[] {
  const last = received.at(-1)
  if (last === undefined) return []
  const earlier = received.slice(0, -1)
  return [
    ...truth(last, witness),
    ...stops(last, earlier, witness),
    ...waits(last, earlier, witness),
    ...pace(received, last),
    ...needless(last, earlier, witness),
  ].map(([rule, because]) => ({ rule, at: last.at, because }))
}

type Finding = readonly [rule: string, because: string]

/** S1: an address that is sent was the home's a moment ago. */
const truth = ({ myip }: Received, { home }: Witness): readonly Finding[] =>
  home.hadWithin(myip, MAX_AGE) ? [] : [['S1', `${myip} is sent, and is not the address of the line`]]

/** S2: nothing after a stop, until the user acts. */
function stops(last: Received, earlier: readonly Received[], witness: Witness): readonly Finding[] {
  const stop = earlier.findLast(({ answer, inHand }) => STOPS.test(answer) && inHand !== undefined)
  const inHand = stop?.inHand ?? Infinity
  return inHand < last.at && witness.lifted < inHand && !isForgotten(witness, inHand)
    ? [['S2', `a request ${((last.at - inHand) / SECOND).toFixed(3)} s after ${stop?.answer}`]]
    : []
}

/** S3: nothing while an answer asks for a wait. A clock that was set while the machine was off is excused (decision 0010). */
const waits = (last: Received, earlier: readonly Received[], witness: Witness): readonly Finding[] =>
  WAITS.flatMap(([answered, span]): readonly Finding[] => {
    const cause = earlier.findLast(({ answer, inHand }) => answered.test(answer) && inHand !== undefined)
    const inHand = cause?.inHand ?? -Infinity
    const isExcused = witness.booted > inHand && witness.clockSet > inHand
    return last.at - inHand < span && !isExcused && !isForgotten(witness, inHand)
      ? [['S3', `a request ${((last.at - inHand) / SECOND).toFixed(1)} s after ${cause?.answer}`]]
      : []
  })

/** The disk failed around the answer, so that a restart may have forgotten it. */
const isForgotten = ({ diskFailed }: Witness, inHand: number): boolean => diskFailed >= inHand

/** S4: whatever happens, so many requests and changes in five minutes. */
function pace(received: readonly Received[], last: Received): readonly Finding[] {
  const recent = received.filter(({ at }) => at > last.at - PACE.span)
  const changes = recent.filter(({ answer }) => answer.startsWith('200 good'))
  return [
    ...(recent.length > PACE.requests ? [['S4', `${recent.length} requests in five minutes`] as const] : []),
    ...(changes.length > PACE.changes ? [['S4', `${changes.length} changes in five minutes`] as const] : []),
  ]
}

/** S5: what a confirmation in hand has confirmed is not sent again. */
function needless(last: Received, earlier: readonly Received[], witness: Witness): readonly Finding[] {
  const before = earlier.findLast(({ hostnames }) => hostnames.some((name) => last.hostnames.includes(name)))
  if (before?.inHand === undefined || before.myip !== last.myip) return []
  const isConfirmed =
    /^200 (?:good|nochg)/.test(before.answer) && before.hostnames.length >= last.hostnames.length
  return isConfirmed && witness.lifted < before.inHand && !isForgotten(witness, before.inHand)
    ? [
        [
          'S5',
          `${last.myip} is sent again ${((last.at - before.inHand) / SECOND).toFixed(3)} s after it was confirmed`,
        ],
      ]
    : []
}

/** L1: how long a change may take until it is confirmed, in a home without faults. In milliseconds. */
export function boundOf({ router, probe, loss }: World['home']): number {
  const factor = loss > 0.01 ? 2 : 1
  if (router === 'announces' || router === 'answers') return factor * 2 * SECOND
  return factor * 30 * SECOND * (probe ? 1 : 1)
}
