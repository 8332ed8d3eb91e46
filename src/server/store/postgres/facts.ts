import type { Principal } from '../../model/rows.ts'
import { subjectOf } from '../counter-rows.ts'
import { COUNTER_ROWS } from './counter-rows.ts'
import type { PostgresCounters } from './counters.ts'
import { toPostgres } from '../sql/postgres-dialect.ts'
import type { PostgresSql } from './statements.ts'
import { ACCOUNT_LOGIN, HAS_ACCOUNTS, KEY_LOGIN, NAMES_BY_FQDN } from '../sql/reading.ts'
import { ACCOUNT_BY_ID, ZONE_BY_ID } from '../sql/records.ts'
import type { Bound, Row, Value } from '../values.ts'
import type { Sql, Statement } from '../sql/statement.ts'
import type { About, NameRef, ValueChange } from '../store.ts'

/** A job needs a row that was not read in advance: it runs in a transaction of its own. */
export class Elsewhere extends Error {}

/** What all jobs of a batch ask for. */
interface Asked {
  /** Of all logins. */
  readonly usernames: ReadonlySet<string>
  /** Of logins whose password is likely to be right. */
  readonly principals: ReadonlySet<string>
  readonly fqdns: ReadonlySet<string>
}

interface Facts {
  /** A statement of the store with one value. */
  readonly text: string
  /** A query for those values. */
  readonly wanted: string
  readonly of: keyof Asked
  /** Whether a value without rows is known to have none. */
  readonly isComplete: boolean
}

const LISTED = 'SELECT unnest($1::text[]) AS value'
const ACCOUNTS = `SELECT account_id AS value FROM ddns_key WHERE username = ANY($1::text[])
    UNION SELECT id FROM account WHERE name = ANY($1::text[])`
const ZONES = 'SELECT DISTINCT zone_id AS value FROM name WHERE fqdn = ANY($1::text[])'

// biome-ignore format: a table
const FACTS: readonly Facts[] = [
  { text: KEY_LOGIN,     wanted: LISTED,   of: 'usernames', isComplete: true },
  { text: ACCOUNT_LOGIN, wanted: LISTED,   of: 'usernames', isComplete: true },
  { text: NAMES_BY_FQDN, wanted: LISTED,   of: 'fqdns',     isComplete: true },
  { text: ACCOUNT_BY_ID,       wanted: ACCOUNTS, of: 'principals', isComplete: false },
  { text: ZONE_BY_ID,          wanted: ZONES,    of: 'fqdns',     isComplete: false },
]

/** The statement for several values at once; its rows come in the same order for each of them. */
const forMany = ({ text, wanted }: Facts): string =>
  `WITH wanted AS (${wanted}) SELECT wanted.value AS wanted, found.* FROM wanted,
    LATERAL (${toPostgres(text).replace('$1', 'wanted.value')}) AS found`

const MANY = FACTS.map((facts) => ({ ...facts, many: forMany(facts) }))

/** Counters of the principals, by their usernames. */
const SUBJECTS = `SELECT 'key:' || id FROM ddns_key WHERE username = ANY($1::text[])
    UNION ALL SELECT 'account:' || id FROM account WHERE name = ANY($1::text[])`
const USAGE = COUNTER_ROWS.usage.read.replace('ANY($1::text[])', `ANY(ARRAY(${SUBJECTS}))`)
const NOCHGS = `WITH wanted AS (SELECT * FROM unnest($1::text[], $2::text[]) AS wanted (username, hostname)),
    counted AS (SELECT 'key:' || id AS subject, hostname FROM wanted JOIN ddns_key USING (username)
      UNION ALL SELECT 'account:' || id, hostname FROM wanted JOIN account ON account.name = username)
  SELECT subject || ' ' || hostname AS key, buckets FROM counted JOIN nochg USING (subject, hostname)`

/**
 * A batch looks up rows by their keys. With few keys, or with statistics from before the tables were filled, the planner would read
 * whole tables. It would also plan each time, which takes longer than the query.
 */
export const KEYED_PLANS = `SELECT set_config('plan_cache_mode', 'force_generic_plan', TRUE), set_config('enable_seqscan', 'off', TRUE),
  set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE),
  set_config('enable_bitmapscan', 'off', TRUE), set_config('jit', 'off', TRUE)`

type RowsByText = ReadonlyMap<string, ReadonlyMap<Bound, Row[]>>

/** What a batch reads: one snapshot, in one round trip to the database. */
export class BatchFacts {
  readonly #rows: RowsByText
  readonly #asked: Asked
  readonly #recordUndo: PostgresCounters['recordUndo']
  #counted: ReadonlySet<string> = new Set()

  private constructor(rows: RowsByText, asked: Asked, recordUndo: PostgresCounters['recordUndo']) {
    this.#rows = rows
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
    const asked: Asked = {
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
      sql.rows(KEYED_PLANS),
      sql(HAS_ACCOUNTS).all(),
      rowsFor(sql, USAGE, lists.principals),
      rowsFor(
        sql,
        NOCHGS,
        pairs.map(({ username }) => username),
        pairs.map(({ hostname }) => hostname),
      ),
      rowsFor(sql, COUNTER_ROWS.failures.read, peers),
      ...MANY.map(async ({ many, of }) => rowsFor(sql, many, lists[of])),
    ])
    const rows: RowsByText = new Map([
      ...MANY.map(({ text }, at) => [text, byWanted(tables[at] ?? [])] as const),
      [HAS_ACCOUNTS, new Map<Bound, Row[]>([['', [...hasAccounts]]])] as const,
    ])
    const facts = new BatchFacts(rows, asked, (undo) => counters.recordUndo(undo))
    const subjects = facts.#subjects()
    facts.#counted = new Set(subjects.values())
    counters.put('usage', [...subjects.values()], usage)
    counters.put('nochgs', nochgKeys(pairs, subjects), nochgs)
    counters.put('failures', peers, failures)
    return facts
  }

  /** Answers statements whose rows were read in advance; any other statement throws Elsewhere. */
  readonly sql: Sql = Object.assign(
    (text: string): Statement => {
      const all = async (value: Bound = ''): Promise<readonly Row[]> => this.#find(text, value)
      return { all, get: async (value) => (await all(value))[0], run: refuse }
    },
    { atOneMoment: refuse, newId: (): never => refuse() },
  )

  /** Changes the value of one Rdata for later jobs of the batch. */
  change({ fqdn }: NameRef, { rdataId, value }: ValueChange): { readonly from: string } {
    const rows = this.#rows.get(NAMES_BY_FQDN)?.get(fqdn) ?? []
    const at = rows.findIndex((row) => row['id'] === rdataId)
    const row = rows[at]
    if (row === undefined) throw new Elsewhere()
    rows[at] = { ...row, value }
    this.#recordUndo(() => {
      rows[at] = row
    })
    return { from: String(row['value']) }
  }

  /** Whether the counters of this principal were read. */
  hasCounted(principal: Pick<Principal, 'kind' | 'id'>): boolean {
    return this.#counted.has(subjectOf(principal))
  }

  /** Of the counters, by username. */
  #subjects(): ReadonlyMap<string, string> {
    const idOf = (text: string, username: string): Value => this.#rows.get(text)?.get(username)?.[0]?.['id']
    const subjects = new Map<string, string>()
    for (const username of this.#asked.principals) {
      const [key, account] = [idOf(KEY_LOGIN, username), idOf(ACCOUNT_LOGIN, username)]
      if (key !== undefined) subjects.set(username, `key:${String(key)}`)
      else if (account !== undefined) subjects.set(username, `account:${String(account)}`)
    }
    return subjects
  }

  #find(text: string, value: Bound): readonly Row[] {
    const rows = this.#rows.get(text)?.get(value)
    if (rows !== undefined) return rows
    const facts = FACTS.find((one) => one.text === text)
    const isKnown = facts?.isComplete === true && this.#asked[facts.of].has(String(value))
    if (!isKnown && text !== HAS_ACCOUNTS) throw new Elsewhere()
    return []
  }
}

const rowsFor = async (
  sql: PostgresSql,
  text: string,
  ...lists: readonly (readonly string[])[]
): Promise<readonly Row[]> => (lists[0]?.length === 0 ? [] : sql.rows(text, ...lists))

const refuse = (): never => {
  throw new Elsewhere()
}

function byWanted(rows: readonly Row[]): ReadonlyMap<Bound, Row[]> {
  const found = new Map<Bound, Row[]>()
  for (const row of rows) {
    const value = row['wanted'] ?? null
    const others = found.get(value)
    if (others === undefined) found.set(value, [row])
    else others.push(row)
  }
  return found
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
