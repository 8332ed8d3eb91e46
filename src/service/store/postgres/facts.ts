import type { Principal } from '../../model/rows.ts'
import { subjectOf } from '../counter-rows.ts'
import { POSTGRES_COUNTERS } from './counter-rows.ts'
import type { PostgresCounters } from './counters.ts'
import { toPostgres } from '../sql/postgres-dialect.ts'
import type { PostgresSql } from './statements.ts'
import { READING } from '../sql/reading.ts'
import { ZONES } from '../sql/zones.ts'
import { type Columns, type RowOf, type Select, select, selects } from '../select.ts'
import { type Bound, groupedBy } from '../values.ts'
import type { SelectStatement, Sql } from '../sql/statement.ts'
import type { About, NameRef, ValueChange } from '../store.ts'

/** A job needs a row that was not read in advance: it runs in a transaction of its own. */
export class Elsewhere extends Error {}

/** What all jobs of a batch ask for. */
interface BatchSubjects {
  /** Of all logins. */
  readonly usernames: ReadonlySet<string>
  /** Of logins whose password is likely to be right. */
  readonly principals: ReadonlySet<string>
  readonly fqdns: ReadonlySet<string>
}

interface Facts {
  /** A statement of the store with one value. */
  readonly select: Select<Columns>
  /** The same for several values at once; each row says which of them it is for. */
  readonly many: Select<{ readonly wanted: 'TEXT' | 'INTEGER' }>
  readonly of: keyof BatchSubjects
  /** Whether a value without rows is known to have none. */
  readonly isComplete: boolean
}

const LISTED = 'SELECT unnest($1::text[]) AS value'
const ACCOUNTS = `SELECT account_id AS value FROM ddns_key WHERE username = ANY($1::text[])
    UNION SELECT id FROM account WHERE name = ANY($1::text[])`
const ZONES_OF_NAMES = 'SELECT DISTINCT zone_id AS value FROM name WHERE fqdn = ANY($1::text[])'

/** `wanted` is a query for the values. The rows of each value keep their order. */
const many = <T extends 'TEXT' | 'INTEGER'>(one: Select<Columns>, type: T, wanted: string) =>
  select(
    { ...one.columns, wanted: type },
    `WITH wanted AS (${wanted}) SELECT wanted.value AS wanted, found.* FROM wanted,
    LATERAL (${toPostgres(one.text).replace('$1', 'wanted.value')}) AS found`,
  )

export const MANY = selects({
  keyLogin: many(READING.keyLogin, 'TEXT', LISTED),
  accountLogin: many(READING.accountLogin, 'TEXT', LISTED),
  namesByFqdn: many(READING.namesByFqdn, 'TEXT', LISTED),
  account: many(ZONES.account, 'INTEGER', ACCOUNTS),
  zoneRules: many(ZONES.rules, 'INTEGER', ZONES_OF_NAMES),
})

// biome-ignore format: a table
const FACTS: readonly Facts[] = [
  { select: READING.keyLogin,     many: MANY.keyLogin,     of: 'usernames',  isComplete: true },
  { select: READING.accountLogin, many: MANY.accountLogin, of: 'usernames',  isComplete: true },
  { select: READING.namesByFqdn,  many: MANY.namesByFqdn,  of: 'fqdns',      isComplete: true },
  { select: ZONES.account,        many: MANY.account,      of: 'principals', isComplete: false },
  { select: ZONES.rules,          many: MANY.zoneRules,    of: 'fqdns',      isComplete: false },
]

/**
 * A batch looks up rows by their keys. With few keys, or with statistics from before the tables were filled, the
 * planner would read whole tables. It would also plan each time, which takes longer than the query.
 */
export const KEYED_PLANS = `SELECT set_config('plan_cache_mode', 'force_generic_plan', TRUE),
  set_config('enable_seqscan', 'off', TRUE),
  set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE),
  set_config('enable_bitmapscan', 'off', TRUE), set_config('jit', 'off', TRUE)`

type AnyRow = RowOf<Columns>
/** The rows of each statement, by the value that it was asked for. */
type FoundRows = ReadonlyMap<Select<Columns>, ReadonlyMap<Bound, AnyRow[]>>

/** What a batch reads: one snapshot, in one round trip to the database. */
export class BatchFacts {
  readonly #found: FoundRows
  readonly #asked: BatchSubjects
  readonly #recordUndo: PostgresCounters['recordUndo']
  #counted: ReadonlySet<string> = new Set()

  private constructor(found: FoundRows, asked: BatchSubjects, recordUndo: PostgresCounters['recordUndo']) {
    this.#found = found
    this.#asked = asked
    this.#recordUndo = recordUndo
  }

  /** Counters are loaded into `counters`. */
  static async read(
    sql: PostgresSql,
    works: readonly About[],
    counters: PostgresCounters,
  ): Promise<BatchFacts> {
    const welcome = works.filter(({ isLikelyRefused }) => isLikelyRefused !== true)
    const asked: BatchSubjects = {
      usernames: new Set(works.map(({ username }) => username)),
      principals: new Set(welcome.map(({ username }) => username)),
      fqdns: new Set(welcome.flatMap(({ hostnames }) => hostnames)),
    }
    const peers = [...new Set(works.flatMap((work) => work.peers))]
    const pairs = welcome.flatMap(({ username, hostnames }) =>
      hostnames.map((hostname) => ({ username, hostname })),
    )
    const lists = {
      usernames: [...asked.usernames],
      principals: [...asked.principals],
      fqdns: [...asked.fqdns],
    }
    const [, hasAccounts, usage, nochgs, failures, ...tables] = await Promise.all([
      sql.execute(KEYED_PLANS),
      sql(READING.anyAccount).all(),
      rowsFor(sql, POSTGRES_COUNTERS.usageByUsername, lists.principals),
      rowsFor(
        sql,
        POSTGRES_COUNTERS.nochgsByUsername,
        pairs.map(({ username }) => username),
        pairs.map(({ hostname }) => hostname),
      ),
      rowsFor(sql, POSTGRES_COUNTERS.failures, peers),
      ...FACTS.map(async (one) => rowsFor(sql, one.many, lists[one.of])),
    ])
    const found = new Map<Select<Columns>, ReadonlyMap<Bound, AnyRow[]>>([
      [READING.anyAccount, new Map([['', [...hasAccounts]]])],
      ...FACTS.map((one, at) => [one.select, groupedBy(tables[at] ?? [], ({ wanted }) => wanted)] as const),
    ])
    const facts = new BatchFacts(found, asked, (undo) => counters.recordUndo(undo))
    const subjects = facts.#subjects()
    facts.#counted = new Set(subjects.values())
    counters.put('usage', [...subjects.values()], usage)
    counters.put('nochgs', nochgKeys(pairs, subjects), nochgs)
    counters.put('failures', peers, failures)
    return facts
  }

  /** Answers statements whose rows were read in advance; any other statement throws Elsewhere. */
  readonly sql: Sql = Object.assign(
    (of: Select<Columns> | string): SelectStatement<never> & { readonly run: () => never } => {
      const all = async (value: Bound = ''): Promise<readonly never[]> =>
        typeof of === 'string' ? refuse() : (this.#find(of, value) as readonly never[])
      return { all, get: async (value) => (await all(value))[0], run: refuse }
    },
    { atOneMoment: refuse },
  )

  /** Changes the value of one Rdata for later jobs of the batch. */
  change({ fqdn }: NameRef, { rdataId, value }: ValueChange): { readonly from: string } {
    const rows = this.#rowsOf(READING.namesByFqdn, fqdn)
    const at = rows.findIndex(({ id }) => id === rdataId)
    const row = rows[at]
    if (row === undefined || row.value === null) throw new Elsewhere()
    rows[at] = { ...row, value }
    this.#recordUndo(() => {
      rows[at] = row
    })
    return { from: row.value }
  }

  /** Whether the counters of this principal were read. */
  hasCounted(principal: Pick<Principal, 'kind' | 'id'>): boolean {
    return this.#counted.has(subjectOf(principal))
  }

  /** Of the counters, by username. */
  #subjects(): ReadonlyMap<string, string> {
    const subjects = new Map<string, string>()
    for (const username of this.#asked.principals) {
      const [key] = this.#rowsOf(READING.keyLogin, username)
      const [account] = this.#rowsOf(READING.accountLogin, username)
      if (key !== undefined) subjects.set(username, `key:${key.id}`)
      else if (account !== undefined) subjects.set(username, `account:${account.id}`)
    }
    return subjects
  }

  /** The rows of a statement have the type of its list. */
  #rowsOf<C extends Columns>(of: Select<C>, value: Bound): RowOf<C>[] {
    return (this.#found.get(of)?.get(value) ?? []) as unknown as RowOf<C>[]
  }

  #find(of: Select<Columns>, value: Bound): readonly AnyRow[] {
    const rows = this.#found.get(of)?.get(value)
    if (rows !== undefined) return rows
    const facts = FACTS.find((one) => one.select === of)
    const isKnown = facts?.isComplete === true && this.#asked[facts.of].has(String(value))
    if (!isKnown && of !== READING.anyAccount) throw new Elsewhere()
    return []
  }
}

const rowsFor = async <C extends Columns>(
  sql: PostgresSql,
  of: Select<C>,
  ...lists: readonly (readonly string[])[]
): Promise<readonly RowOf<C>[]> => (lists[0]?.length === 0 ? [] : sql.rows(of, ...lists))

const refuse = (): never => {
  throw new Elsewhere()
}

const nochgKeys = (
  pairs: readonly { readonly username: string; readonly hostname: string }[],
  subjects: ReadonlyMap<string, string>,
): readonly string[] => [
  ...new Set(
    pairs.flatMap(({ username, hostname }) => {
      const subject = subjects.get(username)
      return subject === undefined ? [] : [`${subject} ${hostname}`]
    }),
  ),
]
