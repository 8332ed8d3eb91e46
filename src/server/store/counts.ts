import { latest } from '../../base/time.ts'
import type { FailedLogins, LastUse, Usage } from '../model/rows.ts'

/** What a key or an account did lately, and the last of it. */
export interface UsageRow {
  readonly usage: Usage
  readonly last?: LastUse
}

type Moments = readonly number[]

/** Several processes may count for one store. Each adds what it saw itself to what is there. */
export function mergeMoments(base: Moments, ours: Moments, theirs: Moments): Moments {
  const left = [...base]
  const added = ours.filter((moment) => {
    const at = left.indexOf(moment)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return [...theirs, ...added].toSorted((a, b) => a - b)
}

/** Whoever changed it last has the word; who did not change it has none. */
const changed = <T>(base: T, ours: T, theirs: T): T => (ours === base ? theirs : ours)

export function mergeUsage(base: UsageRow, ours: UsageRow, theirs: UsageRow): UsageRow {
  const [b, o, t] = [base.usage, ours.usage, theirs.usage]
  const blockedUntil = changed(b.blockedUntil, o.blockedUntil, t.blockedUntil)
  const last = laterOf(ours.last, theirs.last)
  return {
    usage: {
      requests: mergeMoments(b.requests, o.requests, t.requests),
      refusals: mergeMoments(b.refusals, o.refusals, t.refusals),
      undescriptive: t.undescriptive + o.undescriptive - b.undescriptive,
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
    moments: mergeMoments(base.moments, ours.moments, theirs.moments),
    ...(blockedUntil !== undefined && { blockedUntil: blockedUntil }),
  }
}
