import { parseAddress } from '../../shared/base/address.ts'
import type { FailedLogins, LastUse, Principal } from '../model/rows.ts'
import { packBuckets, unpackBuckets } from './buckets.ts'
import type { UsageRow } from './counts.ts'
import { columnList, type RowOf } from './select.ts'
import { type Bound, optional } from './values.ts'
import type { StoreReads, StoreWrites } from './store.ts'

export const subjectOf = ({ kind, id }: Pick<Principal, 'kind' | 'id'>): string => `${kind}:${id}`

export const NEVER_USED: UsageRow = { usage: { requests: [], refusals: [], nondescriptive: 0 } }

/** One object for all: nearly every peer has no failed logins. */
export const NO_FAILURES: FailedLogins = { buckets: [] }

// biome-ignore format: a table
export const USAGE = {
  request_buckets: 'BLOB', refusal_buckets: 'BLOB', blocked_until: 'TIME NULL', nondescriptive: 'INTEGER', used_at: 'TIME',
  agent: 'TEXT', peer: 'TEXT', reply: 'TEXT',
} as const
export const FAILURES = { buckets: 'BLOB', blocked_until: 'TIME NULL' } as const
export const USAGE_COLUMNS = columnList(USAGE)

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

export const usageFrom = (row: RowOf<typeof USAGE>): UsageRow => ({
  usage: {
    requests: unpackBuckets(row.request_buckets),
    refusals: unpackBuckets(row.refusal_buckets),
    nondescriptive: row.nondescriptive,
    ...optional('blockedUntil', row.blocked_until),
  },
  ...optional('last', lastUseFrom(row)),
})

function lastUseFrom({ used_at: at, agent, peer: text, reply }: RowOf<typeof USAGE>): LastUse | undefined {
  const peer = parseAddress(text)
  return peer && { at, agent, peer, reply }
}

/** An operator may lift a block as soon as it is reported, in another process. */
export const isBlockChange = (base: UsageRow, ours: UsageRow): boolean =>
  base.usage.blockedUntil !== ours.usage.blockedUntil

export const isLockoutChange = (base: FailedLogins, ours: FailedLogins): boolean =>
  base.blockedUntil !== ours.blockedUntil

export const failuresFrom = (row: RowOf<typeof FAILURES>): FailedLogins => ({
  buckets: unpackBuckets(row.buckets),
  ...optional('blockedUntil', row.blocked_until),
})

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
