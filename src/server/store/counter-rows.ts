import { parseAddress } from '../../net/address.ts'
import type { FailedLogins, LastUse, Principal } from '../model/rows.ts'
import { packBuckets, unpackBuckets } from './buckets.ts'
import type { UsageRow } from './counts.ts'
import { type Bound, instantOf, type Row } from './values.ts'
import type { StoreReads, StoreWrites } from './store.ts'

export const subjectOf = ({ kind, id }: Pick<Principal, 'kind' | 'id'>): string => `${kind}:${id}`

export const NEVER_USED: UsageRow = { usage: { requests: [], refusals: [], nondescriptive: 0 } }

/** One object for all: nearly every peer has no failed logins. */
export const NO_FAILURES: FailedLogins = { buckets: [] }

export const USAGE_COLUMNS =
  'request_buckets, refusal_buckets, blocked_until, nondescriptive, used_at, agent, peer, reply'

/** In the order of the columns above. */
export const usageValues = ({ usage }: UsageRow, last: LastUse): readonly Bound[] => [
  packBuckets(usage.requests),
  packBuckets(usage.refusals),
  usage.blockedUntil ?? null,
  usage.nondescriptive,
  last.at,
  last.agent,
  last.peer,
  last.reply,
]

export function usageFrom(row: Row): UsageRow {
  const blockedUntil = instantOf(row['blocked_until'])
  const last = lastUseFrom(row)
  return {
    usage: {
      requests: unpackBuckets(row['request_buckets']),
      refusals: unpackBuckets(row['refusal_buckets']),
      nondescriptive: Number(row['nondescriptive']),
      ...(blockedUntil !== undefined && { blockedUntil }),
    },
    ...(last !== undefined && { last }),
  }
}

function lastUseFrom(row: Row): LastUse | undefined {
  const [at, peer] = [instantOf(row['used_at']), parseAddress(String(row['peer']))]
  if (at === undefined || peer === undefined) return undefined
  return { at, agent: String(row['agent']), peer, reply: String(row['reply']) }
}

/** An operator may lift a block as soon as it is reported, in another process. */
export const isBlockChange = (base: UsageRow, ours: UsageRow): boolean =>
  base.usage.blockedUntil !== ours.usage.blockedUntil

export const isLockoutChange = (base: FailedLogins, ours: FailedLogins): boolean =>
  base.blockedUntil !== ours.blockedUntil

export function failuresFrom(row: Row): FailedLogins {
  const blockedUntil = instantOf(row['blocked_until'])
  return {
    buckets: unpackBuckets(row['buckets']),
    ...(blockedUntil !== undefined && { blockedUntil }),
  }
}

/** Subject and hostname; a subject contains no blank. */
export const nochgKey = (principal: Principal, hostname: string): string =>
  `${subjectOf(principal)} ${hostname}`

export function isNochgOf(principal: Pick<Principal, 'kind' | 'id'>): (key: string) => boolean {
  const prefix = `${subjectOf(principal)} `
  return (key) => key.startsWith(prefix)
}

/** The inverse of `nochgKey`. */
export function nochgParts(key: string): readonly [subject: string, hostname: string] {
  const at = key.indexOf(' ')
  return [key.slice(0, at), key.slice(at + 1)]
}

export type CounterReads = Pick<StoreReads, 'usageOf' | 'nochgsOf' | 'failuresOf'>
export type CounterWrites = CounterReads & Pick<StoreWrites, 'putUsage' | 'putNochgs' | 'putFailures'>
