import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { instant } from '../../../../src/shared/base/time.ts'
import { DEFAULT_PLAN } from '../../../../src/service/admin/default-plan.ts'
import { MIGRATIONS } from '../../../../src/service/store/sqlite/migrations.ts'
import { memoryStore, sqliteStore } from '../../../../src/service/store/sqlite/store.ts'
import { migrate } from '../../../../src/service/store/sqlite/open.ts'
import { StoreBusy, StoreLocked, StoreRefused } from '../../../../src/service/store/errors.ts'
import type { Store, StoreReads } from '../../../../src/service/store/store.ts'
import { bulkContract } from '../../../contract/bulk.ts'
import { listsContract } from '../../../contract/lists.ts'
import { recordsContract } from '../../../contract/records.ts'
import { fill, storeContract } from '../../../contract/store.ts'
import { newMemory } from '../../../lab/new-database.ts'
import { fileStore, storeFolder } from '../../../lab/stores.ts'

const root = storeFolder()
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const folder = (): string => join(root, String(count++))

storeContract('the SQLite store', async () => fileStore(folder()))
storeContract('the store in memory', async () => memoryStore(steadyClock, newMemory()))
bulkContract('the SQLite store', async () => fileStore(folder()))
bulkContract('the store in memory', async () => memoryStore(steadyClock, newMemory()))
listsContract('the SQLite store', async () => fileStore(folder()))
listsContract('the store in memory', async () => memoryStore(steadyClock, newMemory()))
recordsContract('the SQLite store', async () => fileStore(folder()))
recordsContract('the store in memory', async () => memoryStore(steadyClock, newMemory()))

it('has a resolved write on disk although the process is killed immediately', async () => {
  const at = folder()
  const script = `
    const { sqliteStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/service/store/sqlite/store.ts'))})
    const { steadyClock } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/shared/platform/clock/clock.ts'))})
    const store = sqliteStore(${JSON.stringify(at)}, steadyClock)
    await store.write((w) => w.addPlan({ name: 'p', maxNames: 1, maxRdata: 1, maxNameMetadata: 1, maxRRSetMetadata: 1, minTtl: 1, hasOffline: true, hasWildcards: true }))
    void store.write((w) => w.addPlan({ name: 'q', maxNames: 1, maxRdata: 1, maxNameMetadata: 1, maxRRSetMetadata: 1, minTtl: 1, hasOffline: true, hasWildcards: true }))
    process.kill(process.pid, 'SIGKILL')`
  const child = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  })

  expect([child.signal, child.stderr]).toEqual(['SIGKILL', ''])
  const database = new DatabaseSync(join(at, 'holdfast.db'))
  expect(
    database
      .prepare('SELECT name FROM plan')
      .all()
      .map((row) => row['name']),
  ).toEqual(['p'])
  database.close()
})

it('is not made where it must exist', () => {
  const at = folder()
  mkdirSync(at)

  expect(() => sqliteStore(at, steadyClock, 'rw')).toThrow('unable to open database file')
  expect(readdirSync(at)).toEqual([])
})

it('an update waits for one long write, and not for all of them', async () => {
  const store = fileStore(folder())
  onTestFinished(async () => store.close())
  await fill(store)
  const order: string[] = []
  const busy = (name: string, span: number) => async (): Promise<void> => {
    const end = performance.now() + span
    while (performance.now() < end);
    order.push(name)
  }
  const long = Array.from({ length: 5 }, async () => store.write(busy('long', 12)))
  await Promise.resolve()
  const about = () => ({ username: 'abc1234', hostnames: [], peers: [] })
  await Promise.all([long[0], store.write(busy('update', 0), about)])
  expect(order.filter((one) => one === 'long').length).toBeLessThanOrEqual(1)
  await Promise.all(long)

  order.length = 0
  await Promise.all(Array.from({ length: 5 }, async () => store.write(busy('short', 1))))
  expect(order).toEqual(Array(5).fill('short'))
})

it('the end waits for long writes that are under way', async () => {
  const store = fileStore(folder())
  const done: number[] = []
  const writes = Array.from({ length: 5 }, async (_, n) =>
    store.write(async (w) => {
      await w.setFact(`k${n}`, 'v')
      await new Promise((resolve) => setTimeout(resolve, 15))
      done.push(n)
    }),
  )
  await store.close()
  await Promise.all(writes)
  expect(done).toHaveLength(5)
})

describe('while another program writes', () => {
  const username = async (r: StoreReads): Promise<string | undefined> =>
    (await r.keyNamed('abc1234'))?.username
  const locked = async (isClosing = true): Promise<{ store: Store; other: DatabaseSync }> => {
    const at = folder()
    const store = fileStore(at)
    await fill(store)
    // A counter that is not stored yet.
    await store.write(async (w) => w.putFailures('192.0.2.9', { buckets: [{ start: 1000, count: 1 }] }))
    const other = new DatabaseSync(join(at, 'holdfast.db'))
    other.exec('BEGIN IMMEDIATE')
    onTestFinished(async () => {
      other.close()
      if (isClosing) await store.close()
    })
    return { store, other }
  }

  it('writes wait, and reads and the event loop do not', async () => {
    const { store, other } = await locked()
    const written = store.write(async (w) => w.setFact('k', 'v')).then(() => 'written')
    for (let turn = 0; turn < 5; turn++) {
      expect(await store.read(username)).toBe('abc1234')
      expect(await Promise.race([written, new Promise((done) => setTimeout(done, 1, 'timer'))])).toBe('timer')
    }
    other.exec('COMMIT')
    expect(await written).toBe('written')
  })

  it('the end of the store waits for a second, also with writes under way, and is no error', async () => {
    const { store } = await locked(false)
    vi.useFakeTimers()
    const written = store.write(async (w) => w.setFact('k', 'v')).catch((error: unknown) => error)
    const closed = store.close().then(() => 'closed')
    await vi.advanceTimersByTimeAsync(1100)
    vi.useRealTimers()
    expect(await Promise.race([closed, new Promise((done) => setTimeout(done, 500, 'open'))])).toBe('closed')
    expect(await written).toBeInstanceOf(StoreLocked)
  })

  it('each write is refused as busy when its own time is over, not later', async () => {
    const { store, other } = await locked()
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const outcomes: string[] = []
    const write = (who: string): void =>
      void store
        .write(async (w) => w.setFact('k', who))
        .then(
          () => outcomes.push(`${who} written`),
          (error: unknown) => outcomes.push(`${who} ${error instanceof StoreBusy ? 'busy' : String(error)}`),
        )
    write('first')
    await vi.advanceTimersByTimeAsync(3000)
    write('second')
    await vi.advanceTimersByTimeAsync(1900)
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(outcomes).toEqual(['first busy'])
    other.exec('COMMIT')
    await vi.advanceTimersByTimeAsync(50)
    expect(outcomes).toEqual(['first busy', 'second written'])
  })

  it('updates do not wait behind writes of the API that keep coming', async () => {
    const { store, other } = await locked()
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const about = () => ({ username: '', hostnames: [], peers: [] })
    const write = (value: string): void =>
      void store.write(async (w) => w.setFact('k', value)).catch(() => undefined)
    write('0')
    await vi.advanceTimersByTimeAsync(10)
    let outcome = 'waits'
    store
      .write(async (w) => w.setFact('k', 'update'), about)
      .then(
        () => (outcome = 'written'),
        () => (outcome = 'busy'),
      )
    for (let second = 0; second < 5; second++) {
      expect(outcome).toBe('waits')
      write(String(second))
      await vi.advanceTimersByTimeAsync(1000)
    }
    await vi.advanceTimersByTimeAsync(100)
    expect(outcome).toBe('busy')
    other.exec('COMMIT')
    await vi.advanceTimersByTimeAsync(50)
  })
})

it('a database that cannot be used ends each write with an error, at once', async () => {
  const store = fileStore(storeFolder())
  await store.close()
  const writes = ['one', 'two'].map(async (name) => store.write(async (w) => w.setFact(name, '')))
  expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

it('has all data after a restart', async () => {
  const at = folder()
  const first = sqliteStore(at, steadyClock)
  const { home, keyId } = await fill(first)
  await first.write((w) => w.setSingleValue(home, { dnsType: 'A', value: '192.0.2.1' }, instant(0)))
  await first.close()

  const second = sqliteStore(at, steadyClock)
  expect(await second.read((r) => r.namesOfKey(keyId))).toMatchObject([
    { ...home, rdata: [{ value: '192.0.2.1' }] },
  ])
  await second.close()
})

it('rejects the data of a newer version with a message for the operator', () => {
  const at = folder()
  const store = sqliteStore(at, steadyClock)
  void store.close()
  const database = new DatabaseSync(join(at, 'holdfast.db'))
  database.exec('PRAGMA user_version = 99')
  database.close()

  expect(() => sqliteStore(at, steadyClock)).toThrow(StoreRefused)
  expect(() => sqliteStore(at, steadyClock)).toThrow(/written by a newer Holdfast \(schema 99/)
})

it('upgrades script by script; a script that fails leaves the version before it intact', () => {
  const database = new DatabaseSync(':memory:')
  const scripts = ['CREATE TABLE a (x INTEGER)', 'CREATE TABLE b (x INTEGER)']
  migrate(database, 'db', scripts.slice(0, 1))
  database.exec('INSERT INTO a VALUES (7)')

  expect(() =>
    migrate(database, 'db', [...scripts, 'CREATE TABLE c (x INTEGER); CREATE TABLE a (x INTEGER)']),
  ).toThrow()
  if (database.isTransaction) database.exec('ROLLBACK')
  expect(database.prepare('PRAGMA user_version').get()?.['user_version']).toBe(2)
  expect(database.prepare("SELECT name FROM sqlite_master WHERE name = 'c'").get()).toBeUndefined()
  migrate(database, 'db', scripts)
  expect(database.prepare('SELECT x FROM a').get()?.['x']).toBe(7)
})

it('throws when the file is not a database', () => {
  const at = folder()
  mkdirSync(at)
  writeFileSync(join(at, 'holdfast.db'), 'this is text, not a database'.repeat(99))

  expect(() => sqliteStore(at, steadyClock)).toThrow(/file is not a database/)
})

it('upgrades a database of every earlier schema without loss of data and blocks, but without counts', async () => {
  for (let version = 1; version < MIGRATIONS.length; version++) {
    const at = folder()
    mkdirSync(at)
    const old = new DatabaseSync(join(at, 'holdfast.db'))
    migrate(old, at, MIGRATIONS.slice(0, 1))
    old.exec(`INSERT INTO plan (name, most_names, most_rdata, most_name_metadata, most_rrset_metadata, least_ttl, has_offline, has_wildcards)
      VALUES ('old', 11, 12, 13, 14, 60, 1, 1)`)
    old.exec(`INSERT INTO account (name, password_hash, plan_id, created_at) VALUES ('acme', x'00', 1, 0)`)
    old.exec(`INSERT INTO zone (name, account_id, most_labels, least_ttl, created_at, updated_at)
      VALUES ('example.test', 1, 3, 90, 0, 0)`)
    old.exec(`INSERT INTO login_failure (peer, ring, deaf_until)
      VALUES ('192.0.2.9', x'0700000008000000', 9000), ('192.0.2.10', x'0700000008000000', NULL)`)
    old.exec(`INSERT INTO usage (subject, requests_ring, refusals_ring, blocked_until, undescriptive, used_at, agent, peer, reply)
      VALUES ('account:1', x'0700000008000000', x'0800000009000000', 8000, 5, 0, 'a', '192.0.2.9', 'nochg')`)
    old.exec(
      `INSERT INTO nochg (subject, hostname, ring) VALUES ('account:1', 'h.test', x'0900000009000000')`,
    )
    migrate(old, at, MIGRATIONS.slice(0, version))
    old.close()

    const store = sqliteStore(at, steadyClock)
    const account = { kind: 'account', id: 1, accountId: 1 } as const
    expect(await store.read((r) => r.account(1))).toMatchObject({
      plan: {
        name: 'old',
        maxNames: 11,
        maxRdata: 12,
        maxNameMetadata: 13,
        maxRRSetMetadata: 14,
        minTtl: 60,
      },
    })
    expect(await store.read((r) => r.zoneNamed('example.test'))).toMatchObject({ maxLabels: 3, minTtl: 90 })
    expect(await store.read((r) => r.failuresOf('update 192.0.2.9'))).toEqual({
      buckets: [],
      blockedUntil: instant(9000),
    })
    expect(await store.read((r) => r.failuresOf('update 192.0.2.10'))).toEqual({ buckets: [] })
    expect(await store.read((r) => r.usageOf(account))).toEqual({
      requests: [],
      refusals: [],
      nondescriptive: 5,
      blockedUntil: instant(8000),
    })
    expect(await store.read((r) => r.nochgsOf(account, 'h.test'))).toEqual([])
    await store.close()
    const upgraded = new DatabaseSync(join(at, 'holdfast.db'))
    expect(upgraded.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
    upgraded.close()
  }
})

it('loses nothing when the process is killed during an upgrade', async () => {
  const at = folder()
  mkdirSync(at)
  const path = join(at, 'holdfast.db')
  const old = new DatabaseSync(path)
  migrate(old, at, MIGRATIONS.slice(0, 1))
  old.exec(`INSERT INTO plan (name, most_names, most_rdata, most_name_metadata, most_rrset_metadata, least_ttl, has_offline, has_wildcards)
    VALUES ('old', 1, 1, 1, 1, 60, 1, 1)`)
  old.close()
  // The process is killed inside the second script.
  const script = `
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec("BEGIN IMMEDIATE; CREATE TABLE half (x); DELETE FROM plan")
    process.kill(process.pid, 'SIGKILL')`
  expect(spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]).signal).toBe(
    'SIGKILL',
  )

  const store = sqliteStore(at, steadyClock)
  expect(await store.write((w) => w.planNamed('old'))).toBe(1)
  await store.close()
  const upgraded = new DatabaseSync(path)
  expect(upgraded.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({
    n: 0,
  })
  upgraded.close()
})

it('after a checkpoint the database file alone has everything', async () => {
  const at = folder()
  const store = sqliteStore(at, steadyClock)
  await store.write(async (w) => w.addPlan({ name: 'p', ...DEFAULT_PLAN }))
  const plansInCopy = (): number => {
    const copy = join(folder(), 'copy.db')
    mkdirSync(dirname(copy))
    copyFileSync(join(at, 'holdfast.db'), copy)
    const database = new DatabaseSync(copy)
    const isThere = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'plan'").get() !== undefined
    const found = isThere ? database.prepare('SELECT count(*) AS n FROM plan').get()?.['n'] : 0
    database.close()
    return Number(found)
  }
  const before = plansInCopy()
  store.checkpoint()

  expect([before, plansInCopy()]).toEqual([0, 1])
  await store.close()
})
