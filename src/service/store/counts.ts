import { latest } from '../../shared/base/time.ts'
import type { Buckets, FailedLogins, LastUse, Usage } from '../model/rows.ts'

/** Recent activity of a key or an account, with its last request. */
export interface UsageRow {
  readonly usage: Usage
  readonly last?: LastUse
}

/**
 * Several processes may count in one store. Each adds its own changes to the stored counts. Two processes may drop the
 * same bucket: its count is then below zero, and the bucket is absent.
 */
export function mergeBuckets(base: Buckets, ours: Buckets, theirs: Buckets): Buckets {
  // Usually no other process has counted.
  if (isSame(base, theirs)) return ours
  const counts = new Map(theirs.map(({ start, count }) => [start, count]))
  const add = (start: number, count: number): unknown => counts.set(start, (counts.get(start) ?? 0) + count)
  for (const { start, count } of ours) add(start, count)
  for (const { start, count } of base) add(start, -count)
  return [...counts]
    .flatMap(([start, count]) => (count > 0 ? [{ start, count }] : []))
    .toSorted((a, b) => a.start - b.start)
}

const isSame = (one: Buckets, other: Buckets): boolean =>
  one.length === other.length &&
  one.every(({ start, count }, at) => other[at]?.start === start && other[at]?.count === count)

/** A value that this process changed overrides the stored one; an unchanged value does not. */
const changed = <T>(base: T, ours: T, theirs: T): T => (ours === base ? theirs : ours)

export function mergeUsage(base: UsageRow, ours: UsageRow, theirs: UsageRow): UsageRow {
  const [b, o, t] = [base.usage, ours.usage, theirs.usage]
  const blockedUntil = changed(b.blockedUntil, o.blockedUntil, t.blockedUntil)
  const last = laterOf(ours.last, theirs.last)
  return {
    usage: {
      requests: mergeBuckets(b.requests, o.requests, t.requests),
      refusals: mergeBuckets(b.refusals, o.refusals, t.refusals),
      nondescriptive: t.nondescriptive + o.nondescriptive - b.nondescriptive,
      ...(blockedUntil !== undefined && { blockedUntil }),
    },
    ...(last !== undefined && { last }),
  }
}

function laterOf(one: LastUse | undefined, other: LastUse | undefined): LastUse | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return latest(one.at, other.at) === one.at ? one : other
}

export function mergeFailures(base: FailedLogins, ours: FailedLogins, theirs: FailedLogins): FailedLogins {
  const blockedUntil = changed(base.blockedUntil, ours.blockedUntil, theirs.blockedUntil)
  return {
    buckets: mergeBuckets(base.buckets, ours.buckets, theirs.buckets),
    ...(blockedUntil !== undefined && { blockedUntil }),
  }
}
