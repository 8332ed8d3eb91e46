import type { Instant } from '../../../shared/base/time.ts'
import type { PostgresCounters } from './counters.ts'
import { BatchFacts, Elsewhere, KEYED_PLANS } from './facts.ts'
import type { PostgresSql } from './statements.ts'
import { isShown } from '../hidden.ts'
import type { TrailEntry } from '../../model/trail.ts'
import { trailValues } from '../sql/account/trail.ts'
import { existing, select, selects } from '../select.ts'
import { isOn } from '../values.ts'
import { sqlWriting } from '../sql/writing.ts'
import type { About, StoreWrites } from '../store.ts'

/** A queued write, with the promise of its caller. */
export interface Job {
  readonly about: About
  /** When its caller is refused. */
  readonly deadline: Instant
  readonly work: (writing: StoreWrites) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The result of a batch. `settle` resolves the promises once it is durable; `left` needs transactions of its own. */
interface BatchOutcome {
  readonly settle: () => void
  readonly left: readonly Job[]
}

/** Nothing was stored, because of these jobs. */
class NotStoredJobs extends Error {
  readonly jobs: readonly Job[]

  constructor(jobs: readonly Job[]) {
    super('other sessions use what is to be changed')
    this.jobs = jobs
  }
}

/** Another session has changed values, or changes them now. */
export class Overtaken extends NotStoredJobs {}

/** Other sessions have locked the zones. */
export class Held extends NotStoredJobs {}

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
  readonly trail: TrailEntry[] = []
  /** The jobs that changed each value, and each zone. */
  readonly jobs = { values: new Map<number, Set<Job>>(), zones: new Map<number, Set<Job>>() }
  /** The one that runs now. */
  job: Job | undefined

  note(kind: 'values' | 'zones', id: number): void {
    const jobs = this.jobs[kind]
    if (this.job !== undefined) jobs.set(id, (jobs.get(id) ?? new Set()).add(this.job))
  }

  /** The jobs that changed these ids, which are separated by blanks. */
  jobsOf(kind: 'values' | 'zones', ids: string): readonly Job[] {
    return [...new Set(ids.split(' ').flatMap((id) => [...(this.jobs[kind].get(Number(id)) ?? [])]))]
  }
}

/**
 * Stores all changes in one statement, or none. It locks the rows of the zones first, as every other change of a zone
 * does from its first read to its commit; it waits for no lock, and returns the zones that others hold. A value is changed
 * only if it is still the one that was read.
 */
export const BATCH = selects({
  store: select(
    { is_current: 'FLAG', held: 'TEXT', overtaken: 'TEXT' },
    `WITH change AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS change (id, went, came, at)),
  touched AS MATERIALIZED (SELECT * FROM unnest($5::bigint[], $6::bigint[]) AS touched (id, at)),
  locked AS MATERIALIZED (
    SELECT id FROM zone WHERE id IN (SELECT id FROM touched) AND ${isShown('name')} ORDER BY id
    FOR NO KEY UPDATE SKIP LOCKED),
  current AS MATERIALIZED (
    SELECT rdata.id FROM change JOIN rdata ON rdata.id = change.id AND rdata.value = change.went
    WHERE (SELECT count(*) FROM locked) = (SELECT count(*) FROM touched)
    ORDER BY rdata.id FOR NO KEY UPDATE OF rdata SKIP LOCKED),
  verdict AS MATERIALIZED (
    SELECT (SELECT count(*) FROM locked) = (SELECT count(*) FROM touched)
      AND (SELECT count(*) FROM current) = (SELECT count(*) FROM change) AS is_current),
  changed AS (UPDATE rdata SET value = change.came, updated_at = change.at FROM change
    WHERE rdata.id = change.id AND (SELECT is_current FROM verdict)),
  trailed AS (INSERT INTO trail (account_id, is_update, at, actor, peer, operation, subject, dns_type, went, came)
    SELECT * FROM unnest($7::bigint[], $8::smallint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[],
      $14::text[], $15::text[], $16::text[]) WHERE (SELECT is_current FROM verdict)),
  dated AS (UPDATE zone SET updated_at = touched.at FROM touched
    WHERE zone.id = touched.id AND (SELECT is_current FROM verdict))
  SELECT is_current::int AS is_current, coalesce((SELECT string_agg(id::text, ' ') FROM zone
    WHERE id IN (SELECT id FROM touched) AND ${isShown('name')} AND id NOT IN (SELECT id FROM locked)), '') AS held,
    coalesce((SELECT string_agg(id::text, ' ') FROM change WHERE id NOT IN (SELECT id FROM current)), '') AS overtaken
  FROM verdict`,
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
    changes.job = job
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

/** How a batch uses the database, in one trip each: `read` in one snapshot, `change` in one statement. */
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
      changes.note('values', rdataId)
    },
    databaseIdentity: async () => Promise.reject(new Elsewhere()),
    // The names of the key are not read in advance.
    passBlock: async () => Promise.reject(new Elsewhere()),
    async addTrail(entries) {
      const { length } = changes.trail
      counters.recordUndo(() => changes.trail.splice(length))
      changes.trail.push(...entries)
    },
    async touchZone(zoneId, at) {
      const known = zones.get(zoneId)
      counters.recordUndo(() => (known === undefined ? zones.delete(zoneId) : zones.set(zoneId, known)))
      zones.set(zoneId, at)
      changes.note('zones', zoneId)
    },
  }
}

/** As in `trailValues`. */
const TRAIL_COLUMNS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const

async function store(sql: PostgresSql, all: Changes): Promise<void> {
  const { values, zones, trail } = all
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
    ...TRAIL_COLUMNS.map((column) => trail.map((entry) => trailValues(entry)[column] ?? null)),
  )
  const [, [row]] = await Promise.all([planned, stored])
  const { is_current: isCurrent, held, overtaken } = existing(row)
  if (held !== '') throw new Held(all.jobsOf('zones', held))
  if (!isOn(isCurrent)) throw new Overtaken(all.jobsOf('values', overtaken))
}
