import { connect, type PostgresPlace } from './connection.ts'
import { POSTGRES_SCHEMA, POSTGRES_TABLES } from './schema.ts'
import { postgresStatements } from './statements.ts'
import { existing } from '../select.ts'
import { POSTGRES_TRIGGERS } from './triggers.ts'
import { StoreRefused } from '../errors.ts'

interface Migration {
  readonly sql: string
  /**
   * Programs that know at least this version of the schema can use the present one: a release adds first, a later one
   * removes.
   */
  readonly oldestReader: number
}

/** Scripts are never edited after a release, only added. */
const MIGRATIONS: readonly Migration[] = [
  {
    sql: `${POSTGRES_TABLES}
${POSTGRES_TRIGGERS}
INSERT INTO dns_zone (id, apex, serial) VALUES (0, '', extract(epoch FROM clock_timestamp())::bigint);`,
    oldestReader: 1,
  },
  {
    sql: `CREATE TABLE zone_draft (id bigint PRIMARY KEY REFERENCES zone (id) ON DELETE CASCADE,
      of_zone bigint NOT NULL, lease_until bigint NOT NULL)`,
    oldestReader: 1,
  },
  {
    sql: `CREATE SEQUENCE trail_n;
      CREATE TABLE trail (account_id bigint NOT NULL, is_update smallint NOT NULL,
        n bigint NOT NULL DEFAULT nextval('trail_n'), at bigint NOT NULL, actor text NOT NULL, peer text NOT NULL,
        operation text NOT NULL, subject text NOT NULL, dns_type text, went text, came text,
        PRIMARY KEY (account_id, is_update, n))`,
    oldestReader: 1,
  },
  {
    // The planner uses an index for an order only if they agree on where nulls are, also where there can be none. After an
    // import, a million names have the same age: their ids must be in the index, in both directions.
    sql: `DROP INDEX name_in_order, name_by_age, name_by_name;
      CREATE INDEX name_in_order ON name (account_id, replace(labels_reversed, '.', chr(1)) NULLS FIRST, id);
      CREATE INDEX name_by_age ON name (account_id, created_at NULLS FIRST, id);
      CREATE INDEX name_by_age_down ON name (account_id, created_at DESC NULLS LAST, id);
      CREATE INDEX name_by_name ON name (account_id, name NULLS FIRST, id);`,
    oldestReader: 1,
  },
  {
    sql: `ALTER TABLE zone ADD COLUMN description text NOT NULL DEFAULT '';
      CREATE TABLE tsig_key (name text COLLATE "C" PRIMARY KEY,
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE, algorithm text NOT NULL, sealed bytea NOT NULL,
        description text NOT NULL, scopes text, created_at bigint NOT NULL, expires_at bigint, last_used_at bigint);
      CREATE INDEX tsig_key_of_account ON tsig_key (account_id);
      CREATE TABLE dns_update (mac bytea PRIMARY KEY, rcode bigint NOT NULL, at bigint NOT NULL);
      CREATE INDEX dns_update_by_age ON dns_update (at)`,
    oldestReader: 1,
  },
]

export const POSTGRES_VERSION = MIGRATIONS.length

const VERSIONS = `CREATE TABLE IF NOT EXISTS schema_version
  (version int PRIMARY KEY, oldest_reader int NOT NULL, at timestamptz NOT NULL DEFAULT now())`
/** Any number, the same in every process: one migrates, and the others wait for it. */
const LOCK = 4_613_027

/** The version of the schema; 0 without one. */
export async function postgresVersion(place: PostgresPlace): Promise<number> {
  const { client } = await connect(place)
  const sql = postgresStatements(client, place)
  try {
    const [table] = await sql.rows(POSTGRES_SCHEMA.table)
    const [version] = table === undefined ? [] : await sql.rows(POSTGRES_SCHEMA.version)
    return version?.version ?? 0
  } finally {
    await client.end()
  }
}

/** How far the clock of this host is ahead of that of the database, in milliseconds. */
export async function clockAhead(place: PostgresPlace, now: () => number): Promise<number> {
  const { client } = await connect(place)
  try {
    const [clock] = await postgresStatements(client, place).rows(POSTGRES_SCHEMA.clock)
    return now() - existing(clock).at
  } finally {
    await client.end()
  }
}

/** Makes the schema, or brings it to this version. Throws StoreRefused if this program is too old for it. */
export async function migratePostgres(place: PostgresPlace): Promise<void> {
  const { client } = await connect(place)
  try {
    // A migration may take longer than the time limit of a request.
    await client.query('SET statement_timeout = 0')
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
    await client.query(VERSIONS)
    const [found] = await postgresStatements(client, place).rows(POSTGRES_SCHEMA.version)
    const { version, oldest } = existing(found)
    if ((oldest ?? 0) > POSTGRES_VERSION)
      throw new StoreRefused(
        `the database was changed by a newer Holdfast ` +
          `(schema ${version ?? 0}; this version supports ${POSTGRES_VERSION}): upgrade Holdfast`,
      )
    const done = version ?? 0
    for (const [at, { sql, oldestReader }] of MIGRATIONS.slice(done).entries()) {
      await client.query(sql)
      await client.query('INSERT INTO schema_version (version, oldest_reader) VALUES ($1, $2)', [
        done + at + 1,
        oldestReader,
      ])
    }
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}
