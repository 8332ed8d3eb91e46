import {
  after,
  type Duration,
  hours,
  type Instant,
  isBefore,
  milliseconds,
  seconds,
} from '../../base/time.ts'
import { type BucketLimits, fullBucket, type TokenBucket, takeToken } from '../../base/token-bucket.ts'
import type { Family } from '../../net/address.ts'
import type { AddressSource } from '../sources/source.ts'

/** The record of one source. */
export interface SourceHealth {
  /** Consecutive disagreements with an agreement. */
  readonly disagreements: number
  readonly quarantines: number
  readonly quarantinedUntil?: Instant
}

/** Which sources may be asked, and how many rounds may ask outside sources. */
export interface SourceRecords {
  /** By the name of the source. */
  readonly health: Readonly<Record<string, SourceHealth>>
  /** The last requests of each source and family, as many as the largest burst. */
  readonly requests: Readonly<Record<string, readonly Instant[]>>
  /** Each round takes a token of its reason. */
  readonly budgets: { readonly [R in BudgetReason]: TokenBucket }
}

/**
 * Why a round outside the schedule asks outside sources. Any host of the link can forge a `hint`; `news` is an answer of a
 * source, or an observation of this host. The budgets are separate, so that forged hints delay nothing real.
 */
export type BudgetReason = 'hint' | 'news'

/** Enough to confirm a burst of changes; limits what forged hints cost the outside services. */
const BUDGET: BucketLimits = { burst: 30, refill: seconds(5) }

/** The duration of each quarantine of a source; the last row repeats. */
// biome-ignore format: a table
const QUARANTINE: readonly Duration[] = [
  hours(1),
  hours(4),
  hours(24),
]

const MAX_BURST = 8

export const newSourceRecords = (now: Instant): SourceRecords => ({
  health: {},
  requests: {},
  budgets: { hint: fullBucket(BUDGET, now), news: fullBucket(BUDGET, now) },
})

const NEW: SourceHealth = { disagreements: 0, quarantines: 0 }
export const healthOf = ({ health }: SourceRecords, name: string): SourceHealth =>
  (Object.hasOwn(health, name) ? health[name] : undefined) ?? NEW

export function isQuarantined(records: SourceRecords, name: string, now: Instant): boolean {
  const { quarantinedUntil } = healthOf(records, name)
  return quarantinedUntil !== undefined && isBefore(now, quarantinedUntil)
}

export interface SourceRequest {
  readonly source: Pick<AddressSource, 'name' | 'cooldown' | 'burst'>
  readonly family: Family
}

export function mayAsk(records: SourceRecords, request: SourceRequest, now: Instant): boolean {
  const { name, cooldown, burst = 1 } = request.source
  const askedAt = records.requests[keyOf(request)]?.at(-burst)
  const isCooling = askedAt !== undefined && isBefore(now, after(askedAt, milliseconds(burst * cooldown)))
  return !isQuarantined(records, name, now) && !isCooling
}

const keyOf = ({ source, family }: SourceRequest): string => `${family} ${source.name}`

const withHealth = (records: SourceRecords, name: string, changes: Partial<SourceHealth>): SourceRecords => ({
  ...records,
  health: { ...records.health, [name]: { ...healthOf(records, name), ...changes } },
})

export function withRequest(records: SourceRecords, request: SourceRequest, now: Instant): SourceRecords {
  const key = keyOf(request)
  const times = [...(records.requests[key] ?? []), now].slice(-MAX_BURST)
  return { ...records, requests: { ...records.requests, [key]: times } }
}

export const withAgreement = (records: SourceRecords, name: string): SourceRecords =>
  healthOf(records, name).disagreements === 0 ? records : withHealth(records, name, { disagreements: 0 })

/** The first disagreement may be an answer that was under way while the address changed; the second one quarantines. */
export function withDisagreement(records: SourceRecords, name: string, now: Instant): SourceRecords {
  const { disagreements } = healthOf(records, name)
  return disagreements === 0
    ? withHealth(records, name, { disagreements: 1 })
    : withQuarantine(records, name, now)
}

/** After repeated disagreement or a refusal; longer each time. */
export function withQuarantine(records: SourceRecords, name: string, now: Instant): SourceRecords {
  const { quarantines } = healthOf(records, name)
  const span = QUARANTINE[Math.min(quarantines, QUARANTINE.length - 1)] ?? hours(1)
  return withHealth(records, name, {
    disagreements: 0,
    quarantines: quarantines + 1,
    quarantinedUntil: after(now, span),
  })
}

/** Takes one round out of the budget; undefined where the budget is spent. */
export function withBudgetSpent(
  records: SourceRecords,
  reason: BudgetReason,
  now: Instant,
): SourceRecords | undefined {
  const bucket = takeToken(records.budgets[reason], BUDGET, now)
  return bucket && { ...records, budgets: { ...records.budgets, [reason]: bucket } }
}
