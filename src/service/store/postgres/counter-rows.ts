import type { Buckets, FailedLogins } from '../../model/rows.ts'
import { packBuckets, unpackBuckets } from '../buckets.ts'
import type { CounterKind } from '../cached-counters.ts'
import {
  FAILURES,
  failuresFrom,
  nochgParts,
  USAGE,
  USAGE_COLUMNS,
  usageFrom,
  usageValues,
} from '../counter-rows.ts'
import type { UsageRow } from '../counts.ts'
import { isShown } from '../hidden.ts'
import { type RowOf, type Select, select, selects } from '../select.ts'
import type { PostgresSql } from './statements.ts'

/** Parts of the key of a counter of `nochg`; a subject contains no blank. */
const NOCHG_PARTS = `SELECT split_part(key, ' ', 1) AS subject, substr(key, strpos(key, ' ') + 1) AS hostname
    FROM unnest($1::text[]) AS wanted (key)`
const EXISTS = `CASE split_part(subject, ':', 1)
    WHEN 'key' THEN EXISTS (SELECT 1 FROM ddns_key WHERE id = split_part(subject, ':', 2)::bigint AND ${isShown('username')})
    ELSE EXISTS (SELECT 1 FROM account WHERE id = split_part(subject, ':', 2)::bigint AND ${isShown('name')}) END`

/** Rows with their `key`; the usage of these subjects. */
const KEYED_USAGE = { key: 'TEXT', ...USAGE } as const
const usageOf = (subjects: string) =>
  select(
    KEYED_USAGE,
    `SELECT subject AS key, ${USAGE_COLUMNS} FROM usage WHERE subject = ANY(${subjects}) ORDER BY subject`,
  )
const KEYED_BUCKETS = { key: 'TEXT', buckets: 'BLOB' } as const
const KEYED_FAILURES = { key: 'TEXT', ...FAILURES } as const

/** Counters of the principals, by their usernames. */
const SUBJECTS = `SELECT 'key:' || id FROM ddns_key WHERE username = ANY($1::text[])
    UNION ALL SELECT 'account:' || id FROM account WHERE name = ANY($1::text[])`

export const POSTGRES_COUNTERS = selects({
  usage: usageOf('$1::text[]'),
  usageByUsername: usageOf(`ARRAY(${SUBJECTS})`),
  nochgs: select(
    KEYED_BUCKETS,
    `SELECT subject || ' ' || nochg.hostname AS key, buckets FROM (${NOCHG_PARTS}) AS part
      JOIN nochg USING (subject, hostname) ORDER BY subject, hostname`,
  ),
  nochgsByUsername: select(
    KEYED_BUCKETS,
    `WITH wanted AS (SELECT * FROM unnest($1::text[], $2::text[]) AS wanted (username, hostname)),
      counted AS (SELECT 'key:' || id AS subject, hostname FROM wanted JOIN ddns_key USING (username)
        UNION ALL SELECT 'account:' || id, hostname FROM wanted JOIN account ON account.name = username)
    SELECT subject || ' ' || hostname AS key, buckets FROM counted JOIN nochg USING (subject, hostname)`,
  ),
  failures: select(
    KEYED_FAILURES,
    'SELECT peer AS key, buckets, blocked_until FROM login_failure WHERE peer = ANY($1::text[]) ORDER BY peer',
  ),
})

interface CounterColumns {
  readonly usage: typeof KEYED_USAGE
  readonly nochgs: typeof KEYED_BUCKETS
  readonly failures: typeof KEYED_FAILURES
}
export type CounterRow<K extends CounterKind> = RowOf<CounterColumns[K]>

interface CounterValues {
  readonly usage: UsageRow
  readonly nochgs: Buckets
  readonly failures: FailedLogins
}
type CounterMaps = { readonly [K in CounterKind]: Map<string, CounterValues[K]> }
export type CounterValue<K extends CounterKind> = CounterValues[K]

export const noCounters = (): CounterMaps => ({ usage: new Map(), nochgs: new Map(), failures: new Map() })

/** The statement that reads the counters of these keys. */
const COUNTER_READS: { readonly [K in CounterKind]: Select<CounterColumns[K]> } = POSTGRES_COUNTERS

export const COUNTER_FROM: { readonly [K in CounterKind]: (row: CounterRow<K>) => CounterValues[K] } = {
  usage: usageFrom,
  nochgs: ({ buckets }) => unpackBuckets(buckets),
  failures: failuresFrom,
}

/**
 * Creates missing rows, so that they can be locked: otherwise, of two nodes that count for the first time, the second
 * overwrites what the first has stored. A key that was removed in the meantime has no row.
 */
export const MAKE_COUNTERS: Readonly<Record<CounterKind, string>> = {
  usage: `INSERT INTO usage (subject, request_buckets, refusal_buckets, used_at, agent, peer, reply)
    SELECT subject, '', '', 0, '', '', '' FROM unnest($1::text[]) AS wanted (subject) WHERE ${EXISTS}
    ORDER BY subject COLLATE "C" ON CONFLICT DO NOTHING`,
  nochgs: `INSERT INTO nochg (subject, hostname, buckets) SELECT subject, hostname, '' FROM (${NOCHG_PARTS}) AS part
    WHERE ${EXISTS} ORDER BY subject COLLATE "C", hostname COLLATE "C" ON CONFLICT DO NOTHING`,
  failures: `INSERT INTO login_failure (peer, buckets) SELECT peer, '' FROM unnest($1::text[]) AS wanted (peer)
    ORDER BY peer COLLATE "C" ON CONFLICT DO NOTHING`,
}

const SAVE_USAGE = `INSERT INTO usage (subject, ${USAGE_COLUMNS})
  SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
    $8::text[], $9::text[])
    AS row (subject, ${USAGE_COLUMNS}) WHERE ${EXISTS}
  ON CONFLICT (subject) DO UPDATE SET ${Object.keys(USAGE)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`
const SAVE_NOCHGS = `INSERT INTO nochg (subject, hostname, buckets)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) AS row (subject, hostname, buckets) WHERE ${EXISTS}
  ON CONFLICT (subject, hostname) DO UPDATE SET buckets = excluded.buckets`
const SAVE_FAILURES = `INSERT INTO login_failure (peer, buckets, blocked_until)
  SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[])
  ON CONFLICT (peer) DO UPDATE SET buckets = excluded.buckets, blocked_until = excluded.blocked_until`

/** The start of the last bucket is the four octets before the last four, the lowest first. */
export const SWEEP_FAILURES = `DELETE FROM login_failure WHERE peer IN (SELECT peer FROM login_failure
  WHERE coalesce(blocked_until, 0) < $1 AND (length(buckets) < 8 OR
    get_byte(buckets, length(buckets) - 5)::bigint * 16777216 + get_byte(buckets, length(buckets) - 6) * 65536
      + get_byte(buckets, length(buckets) - 7) * 256 + get_byte(buckets, length(buckets) - 8) < $2)
  ORDER BY peer LIMIT 500 FOR UPDATE SKIP LOCKED)`

export const readCounters = async <K extends CounterKind>(
  sql: PostgresSql,
  kind: K,
  keys: readonly string[],
): Promise<readonly CounterRow<K>[]> => sql.rows(COUNTER_READS[kind], keys)

/** The same, until the end of the transaction, always in the order of the keys. */
export const lockCounters = async <K extends CounterKind>(
  sql: PostgresSql,
  kind: K,
  keys: readonly string[],
): Promise<readonly CounterRow<K>[]> =>
  sql.rows(COUNTER_READS[kind].with(` FOR NO KEY UPDATE${kind === 'nochgs' ? ' OF nochg' : ''}`), keys)

/** In the order of their keys, one statement for each kind. */
export async function saveCounters(sql: PostgresSql, unsaved: CounterMaps): Promise<void> {
  const usage = sorted(unsaved.usage).flatMap(([subject, row]) =>
    row.last === undefined ? [] : [[subject, ...usageValues(row, row.last)]],
  )
  const nochgs = sorted(unsaved.nochgs).map(([key, buckets]) => [...nochgParts(key), packBuckets(buckets)])
  const failures = sorted(unsaved.failures).map(([peer, { buckets, blockedUntil }]) => [
    peer,
    packBuckets(buckets),
    blockedUntil ?? null,
  ])
  for (const [text, rows] of [
    [SAVE_USAGE, usage],
    [SAVE_NOCHGS, nochgs],
    [SAVE_FAILURES, failures],
  ] as const)
    if (rows.length > 0) await sql.execute(text, ...columnsOf(rows))
}

/** In the order of the locks: that of the octets, as the database sorts. */
const sorted = <T>(rows: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...rows].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

const columnsOf = <T>(rows: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] as T))
