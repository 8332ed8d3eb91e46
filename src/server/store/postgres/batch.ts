import type { Instant } from '../../../base/time.ts'
import type { PostgresCounters } from './counters.ts'
import { BatchFacts, Elsewhere, KEYED_PLANS } from './facts.ts'
import type { PostgresSql } from './statements.ts'
import { select, selects } from '../select.ts'
import { sqlWriting } from '../sql/writing.ts'
import type { About, StoreWrites } from '../store.ts'

/** A queued write, with the promise of its caller. */
export interface Job {
  readonly about: About
  readonly work: (writing: StoreWrites) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The result of a batch. `settle` resolves the promises once it is durable; `left` needs transactions of its own. */
export interface BatchOutcome {
  readonly settle: () => void
  readonly left: readonly Job[]
}

/** Another process has changed one of the values: nothing was stored. */
export class Overtaken extends Error {}

interface Change {
  readonly rdataId: number
  readonly from: string
  readonly to: string
  readonly at: Instant
}

/** The changes of a batch. */
class Changes {
  readonly values = new Map<number, Change>()
  readonly zones = new Map<number, Instant>()
}

/**
 * Stores all changes in one statement, or none. It locks the rows of the zones first, as every other change of a zone
 * does from its first read to its commit. A value is changed only if it is still the one that was read.
 */
export const BATCH = selects({
  store: select(
    { is_current: 'FLAG' },
    `WITH change AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS change (id, went, came, at)),
  touched AS MATERIALIZED (SELECT * FROM unnest($5::bigint[], $6::bigint[]) AS touched (id, at)),
  locked AS MATERIALIZED (
    SELECT id FROM zone WHERE id IN (SELECT id FROM touched) ORDER BY id FOR NO KEY UPDATE),
  current AS MATERIALIZED (
    SELECT rdata.id FROM change JOIN rdata ON rdata.id = change.id AND rdata.value = change.went
    WHERE (SELECT count(*) FROM locked) > 0 ORDER BY rdata.id FOR NO KEY UPDATE OF rdata),
  verdict AS MATERIALIZED (
    SELECT (SELECT count(*) FROM current) = (SELECT count(*) FROM change) AS is_current),
  changed AS (UPDATE rdata SET value = change.came, updated_at = change.at FROM change
    WHERE rdata.id = change.id AND (SELECT is_current FROM verdict)),
  dated AS (UPDATE zone SET updated_at = touched.at FROM touched
    WHERE zone.id = touched.id AND (SELECT is_current FROM verdict))
  SELECT is_current::int AS is_current FROM verdict`,
  ),
})

/** Runs the jobs one after the other, on rows that were read for all of them; resolves when their changes are durable. */
export async function runBatch(
  jobs: readonly Job[],
  counters: PostgresCounters,
  { read, change }: BatchConnection,
): Promise<BatchOutcome> {
  const facts = await read(async (sql) =>
    BatchFacts.read(
      sql,
      jobs.map(({ about }) => about),
      counters,
    ),
  )
  const changes = new Changes()
  const writing = writingOn(facts, counters, changes)
  const settled: (() => void)[] = []
  const left: Job[] = []
  const waiting = new Set<string>()
  for (const job of jobs) {
    const done = waiting.has(job.about.username) ? undefined : await run(job, counters, writing)
    if (done !== undefined) settled.push(done)
    else {
      left.push(job)
      // Jobs of one login run in the order of the calls.
      waiting.add(job.about.username)
    }
  }
  if (changes.zones.size > 0) await change(async (sql) => store(sql, changes))
  return {
    settle: () => {
      for (const settle of settled) settle()
    },
    left,
  }
}

/** How a batch uses the database: `read` in one snapshot, `change` in one statement. */
export interface BatchConnection {
  readonly read: <T>(work: (sql: PostgresSql) => Promise<T>) => Promise<T>
  readonly change: <T>(work: (sql: PostgresSql) => Promise<T>) => Promise<T>
}

/** Undefined for a job that needs a transaction of its own; it has changed nothing then. */
async function run(
  { work, resolve, reject }: Job,
  counters: PostgresCounters,
  writing: StoreWrites,
): Promise<(() => void) | undefined> {
  const mark = counters.mark()
  try {
    const value = await work(writing)
    // A block must be durable with the response.
    if (counters.hasUnsaved) throw new Elsewhere()
    return () => resolve(value)
  } catch (error) {
    counters.rollback(mark)
    return error instanceof Elsewhere ? undefined : () => reject(error)
  }
}

function writingOn(facts: BatchFacts, counters: PostgresCounters, changes: Changes): StoreWrites {
  const { values, zones } = changes
  const counted = counters.cached.writes()
  return {
    ...sqlWriting(facts.sql),
    ...counted,
    async usageOf(principal) {
      // Only the login was read, because its last password was wrong; this one is right.
      if (!facts.hasCounted(principal)) throw new Elsewhere()
      return counted.usageOf(principal)
    },
    async setValue(name, change, at) {
      const { from } = facts.change(name, change)
      const { rdataId, value: to } = change
      const known = values.get(rdataId)
      if (known === undefined) counters.recordUndo(() => values.delete(rdataId))
      else counters.recordUndo(() => values.set(rdataId, known))
      values.set(rdataId, { rdataId, from: known?.from ?? from, to, at })
    },
    async touchZone(zoneId, at) {
      const known = zones.get(zoneId)
      counters.recordUndo(() => (known === undefined ? zones.delete(zoneId) : zones.set(zoneId, known)))
      zones.set(zoneId, at)
    },
  }
}

async function store(sql: PostgresSql, { values, zones }: Changes): Promise<void> {
  const changes = [...values.values()]
  const planned = sql.execute(KEYED_PLANS)
  const stored = sql.rows(
    BATCH.store,
    changes.map(({ rdataId }) => rdataId),
    changes.map(({ from }) => from),
    changes.map(({ to }) => to),
    changes.map(({ at }) => at),
    [...zones.keys()],
    [...zones.values()],
  )
  const [, [row]] = await Promise.all([planned, stored])
  if (row?.is_current !== 1) throw new Overtaken('another process changed a value')
}
