import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { holdfast, serveStore, storeWith } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { type Postgres, postgresUser, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { mayMount, smallDisk } from '../lab/small-disk.ts'

/** Of each outage; `HOLDFAST_TEST_LARGE` is ten times as many. */
const RELOADS = process.env['HOLDFAST_TEST_LARGE'] === undefined ? 10 : 100

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of outages are SKIPPED\n`)

const readyOf = async (url: string): Promise<number> =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  )

/** What happens to the database, and its end. */
interface Outage {
  readonly begin: (postgres: Postgres) => Promise<unknown>
  readonly end: (postgres: Postgres) => Promise<unknown>
  /** The exit code of a service that starts now, and what it says. */
  readonly start?: readonly [code: number, says: RegExp]
}

const hbaOf = ({ folder }: Postgres): string => join(folder, 'data', 'pg_hba.conf')
const cut = async (postgres: Postgres): Promise<unknown> =>
  postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'node'`)
let usual = ''
const withRules =
  (rule: string): Outage['begin'] =>
  async (postgres) => {
    usual = readFileSync(hbaOf(postgres), 'utf8')
    writeFileSync(hbaOf(postgres), `${rule}\n${usual}`)
    await postgres.query('SELECT pg_reload_conf()')
    await sleep(200)
    await cut(postgres)
  }
const withUsualRules: Outage['end'] = async (postgres) => {
  writeFileSync(hbaOf(postgres), usual)
  await postgres.query('SELECT pg_reload_conf()')
}
const sql =
  (...texts: readonly string[]): Outage['begin'] =>
  async (postgres) => {
    for (const text of texts) await postgres.query(text)
    await cut(postgres)
  }
let holder: pg.Client | undefined

/** Of a store of its own. */
interface StoreOutage {
  readonly begin: () => unknown
  readonly end: () => unknown
  /** What the last reload changed. */
  readonly stored: () => string | Promise<string>
  readonly flags?: readonly string[]
}

const SETTINGS_FACT = `SELECT value FROM fact WHERE name = 'publish_settings'`

const OUTAGES: Readonly<Record<string, Outage>> = {
  'the database is killed': {
    begin: async (postgres) => postgres.kill9(),
    end: async (postgres) => postgres.start(),
    start: [75, /cannot be reached/],
  },
  'the database is frozen': {
    begin: async (postgres) => Promise.resolve(postgres.freeze()),
    end: async (postgres) => Promise.resolve(postgres.thaw()),
  },
  'pg_hba.conf refuses the node': {
    begin: withRules('host service node 127.0.0.1/32 reject'),
    end: withUsualRules,
    start: [75, /pg_hba\.conf rejects.*; check its user/],
  },
  'the server wants TLS now': {
    begin: withRules('hostssl service node 127.0.0.1/32 trust\nhostnossl service node 127.0.0.1/32 reject'),
    end: withUsualRules,
    start: [75, /no encryption.*; check its user/],
  },
  'the server wants a password now': {
    begin: withRules('host service node 127.0.0.1/32 scram-sha-256'),
    end: withUsualRules,
    start: [75, /the server wants a password: set store_password_file; check its user/],
  },
  'the role may not log in': {
    begin: sql('ALTER ROLE node NOLOGIN'),
    end: sql('ALTER ROLE node LOGIN'),
    start: [75, /not permitted to log in.*; check its user/],
  },
  'the role has no connection left': {
    begin: sql('ALTER ROLE node CONNECTION LIMIT 0'),
    end: sql('ALTER ROLE node CONNECTION LIMIT -1'),
    start: [75, /too many connections/],
  },
  'the database has another name': {
    begin: async (postgres) => {
      await postgres.query(`ALTER DATABASE service ALLOW_CONNECTIONS false`)
      await cut(postgres)
      await eventually(async () =>
        postgres.query('ALTER DATABASE service RENAME TO other').then(
          () => 'renamed',
          () => 'busy',
        ),
      ).toBe('renamed')
    },
    end: sql('ALTER DATABASE other RENAME TO service', 'ALTER DATABASE service ALLOW_CONNECTIONS true'),
    start: [78, /database "service" does not exist/],
  },
  'the database is read-only': {
    begin: sql('ALTER ROLE node SET default_transaction_read_only = on'),
    end: sql('ALTER ROLE node RESET default_transaction_read_only'),
    start: [75, /takes no writes/],
  },
  'another session has locked a table': {
    begin: async ({ port }) => {
      holder = new pg.Client({ host: '127.0.0.1', port, user: 'holdfast', database: 'service' })
      await holder.connect()
      await holder.query('BEGIN; LOCK TABLE fact IN ACCESS EXCLUSIVE MODE')
    },
    end: async () => holder?.end(),
  },
}

describe.skipIf(lacking !== undefined)('a reload ends no service', { timeout: 300_000 }, () => {
  let postgres: Postgres
  let folder = ''
  const more = (): readonly string[] => ['--hash-key-file', join(folder, 'hash.key'), '--store-wait', '1s']
  const url = (): string => `postgres://node@127.0.0.1:${postgres.port}/service`
  beforeAll(async () => {
    postgres = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'holdfast-outages-'))
    await postgres.query('CREATE ROLE node LOGIN')
    await postgres.query('CREATE DATABASE service OWNER node')
    const made = await holdfast(['admin', 'init', '--store', url(), ...more()], { node: process.execPath })
    expect([made.code, made.stderr]).toEqual([0, ''])
  }, 120_000)
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  it.each(Object.entries(OUTAGES))('%s', async (_, { begin, end, start }) => {
    const config = join(mkdtempSync(join(folder, 'config-')), 'service.toml')
    const settings = (contact: string): void =>
      writeFileSync(
        config,
        `soa_contact = "${contact}@example.test"\nnameservers = ["${contact}.example.test"]\n`,
      )
    settings('first')
    const at = await serveStore(url(), ...more(), '--config', config)
    expect(await readyOf(at.url)).toBe(200)
    await begin(postgres)
    let isOver = false
    onTestFinished(async () => void (isOver || (await end(postgres))))
    for (let nth = 0; nth < RELOADS; nth++) {
      // A changed setting is written into the store.
      settings(`n${nth}`)
      at.child.kill('SIGHUP')
      await sleep(100)
    }
    await sleep(1500)
    if (start !== undefined) {
      const [code, says] = start
      const fresh = await holdfast(['serve', '--listen', '127.0.0.1:0', '--store', url(), ...more()], {
        node: process.execPath,
      })
      expect([fresh.code, fresh.stderr.split('\n').length]).toEqual([code, 2])
      expect(fresh.stderr).toMatch(says)
    }
    await end(postgres)
    isOver = true
    await eventually(async () => readyOf(at.url), 30).toBe(200)
    expect([at.child.exitCode, at.child.signalCode]).toEqual([null, null])
    expect(at.log()).not.toMatch(/bug|internal error/)
    // What the last reload changed is stored after the outage.
    const fact = async (): Promise<string> => JSON.stringify(await postgres.query(SETTINGS_FACT, 'service'))
    await eventually(fact, 30).toContain(`n${RELOADS - 1}.example.test`)
  })

  it('another program writes to the folder of SQLite', async () => {
    const { folder: store } = await storeWith()
    const other = new DatabaseSync(join(store, 'holdfast.db'), { timeout: 5000 })
    onTestFinished(() => other.close())
    await outageOf(store, {
      begin: () => other.exec('BEGIN IMMEDIATE'),
      end: () => other.exec('COMMIT'),
      stored: () => String(other.prepare(SETTINGS_FACT).get()?.['value']),
    })
  })

  it.runIf(mayMount())('the disk of SQLite is full', async () => {
    const disk = smallDisk(24)
    onTestFinished(disk.end)
    const store = join(disk.folder, 'store')
    mkdirSync(store, { mode: 0o700 })
    cpSync((await storeWith()).folder, store, { recursive: true })
    const stored = (): string => {
      const database = new DatabaseSync(join(store, 'holdfast.db'), { readOnly: true })
      try {
        return String(database.prepare(SETTINGS_FACT).get()?.['value'])
      } finally {
        database.close()
      }
    }
    await outageOf(store, { begin: disk.fill, end: disk.free, stored })
  })

  it.runIf(mayMount())('the disk of PostgreSQL is full', async () => {
    const disk = smallDisk(24)
    onTestFinished(disk.end)
    const place = join(disk.folder, 'place')
    mkdirSync(place, { mode: 0o700 })
    const { uid, gid } = postgresUser()
    if (uid !== undefined && gid !== undefined) chownSync(place, uid, gid)
    await postgres.query(`CREATE TABLESPACE small LOCATION '${place}'`)
    await postgres.query('CREATE DATABASE small OWNER node TABLESPACE small')
    const small = `postgres://node@127.0.0.1:${postgres.port}/small`
    expect(
      (await holdfast(['admin', 'init', '--store', small, ...more()], { node: process.execPath })).code,
    ).toBe(0)
    // Rows fit into pages that are there, until they are full.
    const fill = async (): Promise<void> => {
      disk.fill()
      await postgres
        .query(
          `INSERT INTO fact SELECT 'filler ' || n, repeat('x', 500) FROM generate_series(1, 100000) AS n`,
          'small',
        )
        .catch(() => undefined)
    }
    const stored = async (): Promise<string> => JSON.stringify(await postgres.query(SETTINGS_FACT, 'small'))
    await outageOf(small, { begin: fill, end: disk.free, stored, flags: more() })
    await postgres.query('DROP DATABASE small WITH (FORCE)')
    await postgres.query('DROP TABLESPACE small')
  })

  async function outageOf(store: string, { begin, end, stored, flags = [] }: StoreOutage): Promise<void> {
    const config = join(mkdtempSync(join(folder, 'config-')), 'service.toml')
    writeFileSync(config, '')
    const at = await serveStore(store, ...flags, '--config', config)
    await begin()
    for (let nth = 0; nth < RELOADS; nth++) {
      writeFileSync(config, `nameservers = ["n${nth}.example.test"]\n`)
      at.child.kill('SIGHUP')
      await sleep(100)
    }
    await eventually(async () => readyOf(at.url), 15).toBe(503)
    await end()
    await eventually(async () => readyOf(at.url), 30).toBe(200)
    expect([at.child.exitCode, at.child.signalCode]).toEqual([null, null])
    expect(at.log()).not.toMatch(/bug|internal error/)
    await eventually(stored, 30).toContain(`n${RELOADS - 1}.example.test`)
  }
})
