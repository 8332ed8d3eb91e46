import {
  after,
  between,
  type Duration,
  hours,
  type Instant,
  isBefore,
  milliseconds,
  seconds,
} from '../../base/time.ts'
import type { Family } from '../../net/address.ts'
import type { AddressSource } from '../sources/source.ts'

/** What we hold of one source, by its name. */
export interface SourceHealth {
  /** Times that it stood alone against an agreement, in a row. */
  readonly disagreements: number
  readonly quarantines: number
  readonly quarantinedUntil?: Instant
}

/** Which sources may be asked, and how often outside operators at all. */
export interface SourceRecords {
  readonly health: Readonly<Record<string, SourceHealth>>
  /** When each source was last asked for each family, a few times back. */
  readonly asked: Readonly<Record<string, readonly Instant[]>>
  /** Confirmations that each kind of reason may still cause, and when that was counted. */
  readonly budgets: { readonly [R in BudgetReason]: { readonly left: number; readonly at: Instant } }
}

/**
 * Why the outside is asked beside the schedule. A `hint` may be forged by any host of the link; `news` is what a source said
 * when we asked it, or what we noticed ourselves. Each has a budget, so that forged hints delay nothing real.
 */
export type BudgetReason = 'hint' | 'news'

/** A burst of changes is confirmed at once; hints that somebody makes up cost nobody more than this. */
const BURST = 30
const REFILL: Duration = seconds(5)

export const newSourceRecords = (now: Instant): SourceRecords => ({
  health: {},
  asked: {},
  budgets: { hint: { left: BURST, at: now }, news: { left: BURST, at: now } },
})

const NEW: SourceHealth = { disagreements: 0, quarantines: 0 }
export const healthOf = ({ health }: SourceRecords, name: string): SourceHealth =>
  (Object.hasOwn(health, name) ? health[name] : undefined) ?? NEW

export function isQuarantined(trust: SourceRecords, name: string, now: Instant): boolean {
  const { quarantinedUntil } = healthOf(trust, name)
  return quarantinedUntil !== undefined && isBefore(now, quarantinedUntil)
}

export function mayAsk(
  trust: SourceRecords,
  { name, cooldown, burst = 1 }: Pick<AddressSource, 'name' | 'cooldown' | 'burst'>,
  family: Family,
  now: Instant,
): boolean {
  const askedAt = trust.asked[keyOf(name, family)]?.at(-burst)
  const isResting = askedAt !== undefined && isBefore(now, after(askedAt, milliseconds(burst * cooldown)))
  return !isQuarantined(trust, name, now) && !isResting
}

/** The duration of each quarantine of a source; the last row repeats. */
// biome-ignore format: a table
const QUARANTINE: readonly Duration[] = [
  hours(1),
  hours(4),
  hours(24),
]

/** No burst is longer. */
const MOST_TIMES = 8

const keyOf = (name: string, family: Family): string => `${family} ${name}`

const withHealth = (trust: SourceRecords, name: string, over: Partial<SourceHealth>): SourceRecords => ({
  ...trust,
  health: { ...trust.health, [name]: { ...healthOf(trust, name), ...over } },
})

export const withRequest = (
  trust: SourceRecords,
  name: string,
  family: Family,
  now: Instant,
): SourceRecords => ({
  ...trust,
  asked: {
    ...trust.asked,
    [keyOf(name, family)]: [...(trust.asked[keyOf(name, family)] ?? []), now].slice(-MOST_TIMES),
  },
})

/** It was of the same mind as the others. */
export const withAgreement = (trust: SourceRecords, name: string): SourceRecords =>
  healthOf(trust, name).disagreements === 0 ? trust : withHealth(trust, name, { disagreements: 0 })

/** It stood alone: once may be an answer that was under way while the address changed. */
export function withDisagreement(trust: SourceRecords, name: string, now: Instant): SourceRecords {
  const { disagreements } = healthOf(trust, name)
  return disagreements === 0
    ? withHealth(trust, name, { disagreements: 1 })
    : withQuarantine(trust, name, now)
}

/** It lied again, or sent us away: left alone, longer each time. */
export function withQuarantine(trust: SourceRecords, name: string, now: Instant): SourceRecords {
  const { quarantines } = healthOf(trust, name)
  const span = QUARANTINE[Math.min(quarantines, QUARANTINE.length - 1)] ?? seconds(3600)
  return withHealth(trust, name, {
    disagreements: 0,
    quarantines: quarantines + 1,
    quarantinedUntil: after(now, span),
  })
}

/** Takes one confirmation out of the budget; undefined when there is none left. */
export function withBudgetSpent(
  trust: SourceRecords,
  reason: BudgetReason,
  now: Instant,
): SourceRecords | undefined {
  const { left, at } = trust.budgets[reason]
  const refilled = Math.min(BURST, left + between(at, now) / REFILL)
  if (refilled < 1) return undefined
  return { ...trust, budgets: { ...trust.budgets, [reason]: { left: refilled - 1, at: now } } }
}
