import {
  after,
  between,
  type Duration,
  hours,
  type Instant,
  isBefore,
  milliseconds,
  seconds,
} from '../../shared/base/time.ts'
import { type BucketLimits, fullBucket, type TokenBucket, takeToken } from '../../shared/base/token-bucket.ts'
import type { Family } from '../../shared/base/address.ts'
import type { AddressSource } from './sources/source.ts'

/** The record of one source. */
interface SourceHealth {
  /** It disagreed with the last agreement. */
  readonly hasDisagreed: boolean
  readonly quarantines: number
  readonly quarantinedUntil?: Instant
}

/** Which sources may be asked, and how many rounds may ask outside sources. */
export interface SourceRecords {
  /** By the name of the source. */
  readonly health: Readonly<Record<string, SourceHealth>>
  /** The last requests of each source and family, as many as the largest burst. */
  readonly requests: Readonly<Record<string, readonly Instant[]>>
  /** A look outside the schedule takes a token of its family; a bucket that is missing is full. */
  readonly budgets: { readonly [F in Family]?: TokenBucket }
}

/**
 * Enough to confirm a burst of changes; limits what a line that never rests costs the outside services. One family does not
 * use up the budget of the other.
 */
const BUDGET: BucketLimits = { burst: 30, refill: seconds(3) }

/** The duration of each quarantine of a source; the last row repeats. */
// biome-ignore format: a table
const QUARANTINE: readonly Duration[] = [
  hours(1),
  hours(4),
  hours(24),
]

const MAX_BURST = 8

export const NEW_RECORDS: SourceRecords = { health: {}, requests: {}, budgets: {} }

const NEW: SourceHealth = { hasDisagreed: false, quarantines: 0 }
const healthOf = ({ health }: SourceRecords, name: string): SourceHealth => health[name] ?? NEW

/** The rest of a quarantine; not positive where there is none. */
export const quarantineLeft = (records: SourceRecords, name: string, now: Instant): Duration =>
  between(now, healthOf(records, name).quarantinedUntil ?? now)

export const isQuarantined = (records: SourceRecords, name: string, now: Instant): boolean =>
  quarantineLeft(records, name, now) > 0

interface SourceRequest {
  readonly source: Pick<AddressSource, 'name' | 'cooldown' | 'burst'>
  readonly family: Family
}

export function mayAsk(records: SourceRecords, request: SourceRequest, now: Instant): boolean {
  const { name, cooldown, burst = 1 } = request.source
  const askedAt = records.requests[requestKey(request)]?.at(-burst)
  const isCooling = askedAt !== undefined && isBefore(now, after(askedAt, milliseconds(burst * cooldown)))
  return !isQuarantined(records, name, now) && !isCooling
}

const requestKey = ({ source, family }: SourceRequest): string => `${family} ${source.name}`

const withHealth = (records: SourceRecords, name: string, changes: Partial<SourceHealth>): SourceRecords => ({
  ...records,
  health: { ...records.health, [name]: { ...healthOf(records, name), ...changes } },
})

export function withRequest(records: SourceRecords, request: SourceRequest, now: Instant): SourceRecords {
  const key = requestKey(request)
  const times = [...(records.requests[key] ?? []), now].slice(-MAX_BURST)
  return { ...records, requests: { ...records.requests, [key]: times } }
}

export const withAgreement = (records: SourceRecords, name: string): SourceRecords =>
  withHealth(records, name, { hasDisagreed: false })

/** The first disagreement may be an answer that was under way while the address changed; the second one quarantines. */
export const withDisagreement = (records: SourceRecords, name: string, now: Instant): SourceRecords =>
  healthOf(records, name).hasDisagreed
    ? withQuarantine(records, name, now)
    : withHealth(records, name, { hasDisagreed: true })

/** After repeated disagreement or a refusal; longer each time. */
export function withQuarantine(records: SourceRecords, name: string, now: Instant): SourceRecords {
  const { quarantines } = healthOf(records, name)
  const span = QUARANTINE[Math.min(quarantines, QUARANTINE.length - 1)] ?? hours(1)
  return withHealth(records, name, {
    hasDisagreed: false,
    quarantines: quarantines + 1,
    quarantinedUntil: after(now, span),
  })
}

/** Takes one round out of the budget; undefined where the budget is spent. */
export function withBudgetSpent(
  records: SourceRecords,
  family: Family,
  now: Instant,
): SourceRecords | undefined {
  const bucket = takeToken(records.budgets[family] ?? fullBucket(BUDGET, now), BUDGET, now)
  return bucket && { ...records, budgets: { ...records.budgets, [family]: bucket } }
}
