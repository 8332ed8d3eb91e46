import { latest } from '../../base/time.ts'
import type { FailedLogins, LastUse, Usage } from '../model/rows.ts'

/** Recent activity of a key or an account, with its last request. */
export interface UsageRow {
  readonly usage: Usage
  readonly last?: LastUse
}

type Timestamps = readonly number[]

/** Several processes may count in one store. Each adds its own events to the stored ones. */
export function mergeTimestamps(base: Timestamps, ours: Timestamps, theirs: Timestamps): Timestamps {
  const left = [...base]
  const added = ours.filter((timestamp) => {
    const at = left.indexOf(timestamp)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return [...theirs, ...added].toSorted((a, b) => a - b)
}

/** A value that this process changed overrides the stored one; an unchanged value does not. */
const changed = <T>(base: T, ours: T, theirs: T): T => (ours === base ? theirs : ours)

export function mergeUsage(base: UsageRow, ours: UsageRow, theirs: UsageRow): UsageRow {
  const [b, o, t] = [base.usage, ours.usage, theirs.usage]
  const blockedUntil = changed(b.blockedUntil, o.blockedUntil, t.blockedUntil)
  const last = laterOf(ours.last, theirs.last)
  return {
    usage: {
      requests: mergeTimestamps(b.requests, o.requests, t.requests),
      refusals: mergeTimestamps(b.refusals, o.refusals, t.refusals),
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
    timestamps: mergeTimestamps(base.timestamps, ours.timestamps, theirs.timestamps),
    ...(blockedUntil !== undefined && { blockedUntil }),
  }
}
