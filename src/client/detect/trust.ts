import {
  type Duration,
  type Instant,
  after,
  between,
  isBefore,
  milliseconds,
  seconds,
} from '../../base/time.ts'
import type { Family } from '../../net/address.ts'
import { QUARANTINE, type Witness } from '../sources/witness.ts'

/** What we hold of one source, by its name. */
export interface Standing {
  /** Times that it stood alone against an agreement, in a row. */
  readonly strikes: number
  readonly benches: number
  readonly benchedUntil?: Instant
}

/** Which sources may be asked, and how often outside operators at all. */
export interface Trust {
  readonly standings: Readonly<Record<string, Standing>>
  /** When each source was last asked for each family, a few times back. */
  readonly asked: Readonly<Record<string, readonly Instant[]>>
  /** Confirmations that each kind of reason may still cause, and when that was counted. */
  readonly budgets: { readonly [R in Reason]: { readonly left: number; readonly at: Instant } }
}

/**
 * Why the outside is asked beside the schedule. A `hint` may be forged by any host of the link; `news` is what a source said
 * when we asked it, or what we noticed ourselves. Each has a budget, so that forged hints delay nothing real.
 */
export type Reason = 'hint' | 'news'

/** A burst of changes is confirmed at once; hints that somebody makes up cost nobody more than this. */
const BURST = 30
const REFILL: Duration = seconds(5)

export const newTrust = (now: Instant): Trust => ({
  standings: {},
  asked: {},
  budgets: { hint: { left: BURST, at: now }, news: { left: BURST, at: now } },
})

const NEW: Standing = { strikes: 0, benches: 0 }
export const standingOf = ({ standings }: Trust, name: string): Standing =>
  (Object.hasOwn(standings, name) ? standings[name] : undefined) ?? NEW

export function isBenched(trust: Trust, name: string, now: Instant): boolean {
  const { benchedUntil } = standingOf(trust, name)
  return benchedUntil !== undefined && isBefore(now, benchedUntil)
}

export function mayAsk(
  trust: Trust,
  { name, restsFor, burst = 1 }: Pick<Witness, 'name' | 'restsFor' | 'burst'>,
  family: Family,
  now: Instant,
): boolean {
  const askedAt = trust.asked[keyOf(name, family)]?.at(-burst)
  const isResting = askedAt !== undefined && isBefore(now, after(askedAt, milliseconds(burst * restsFor)))
  return !isBenched(trust, name, now) && !isResting
}

/** No burst is longer. */
const MOST_TIMES = 8

const keyOf = (name: string, family: Family): string => `${family} ${name}`

const withStanding = (trust: Trust, name: string, over: Partial<Standing>): Trust => ({
  ...trust,
  standings: { ...trust.standings, [name]: { ...standingOf(trust, name), ...over } },
})

export const asked = (trust: Trust, name: string, family: Family, now: Instant): Trust => ({
  ...trust,
  asked: {
    ...trust.asked,
    [keyOf(name, family)]: [...(trust.asked[keyOf(name, family)] ?? []), now].slice(-MOST_TIMES),
  },
})

/** It was of the same mind as the others. */
export const praised = (trust: Trust, name: string): Trust =>
  standingOf(trust, name).strikes === 0 ? trust : withStanding(trust, name, { strikes: 0 })

/** It stood alone: once may be an answer that was under way while the address changed. */
export function blamed(trust: Trust, name: string, now: Instant): Trust {
  const { strikes } = standingOf(trust, name)
  return strikes === 0 ? withStanding(trust, name, { strikes: 1 }) : benched(trust, name, now)
}

/** It lied again, or sent us away: left alone, longer each time. */
export function benched(trust: Trust, name: string, now: Instant): Trust {
  const { benches } = standingOf(trust, name)
  const span = QUARANTINE[Math.min(benches, QUARANTINE.length - 1)] ?? seconds(3600)
  return withStanding(trust, name, { strikes: 0, benches: benches + 1, benchedUntil: after(now, span) })
}

/** Takes one confirmation out of the budget; undefined when there is none left. */
export function spent(trust: Trust, reason: Reason, now: Instant): Trust | undefined {
  const { left, at } = trust.budgets[reason]
  const refilled = Math.min(BURST, left + between(at, now) / REFILL)
  if (refilled < 1) return undefined
  return { ...trust, budgets: { ...trust.budgets, [reason]: { left: refilled - 1, at: now } } }
}
