import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { instant } from '../../../src/base/time.ts'
import { MIGRATIONS } from '../../../src/server/store/migrations.ts'
import { memoryStore, sqliteStore } from '../../../src/server/store/sqlite.ts'
import { migrate, StoreRefused } from '../../../src/server/store/sqlite-open.ts'
import { recordsContract } from '../../contract/records.ts'
import { fill, storeContract } from '../../contract/store.ts'

const root = mkdtempSync(join(tmpdir(), 'holdfast-store-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const folder = (): string => join(root, String(count++))

storeContract('the SQLite store', async () => sqliteStore(folder()))
storeContract('the store in memory', async () => memoryStore())
recordsContract('the SQLite store', async () => sqliteStore(folder()))
recordsContract('the store in memory', async () => memoryStore())

it('has on disk what it answered for, although the process dies at once', async () => {
  const at = folder()
  const script = `
    const { sqliteStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/server/store/sqlite.ts'))})
    const store = sqliteStore(${JSON.stringify(at)})
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

it('keeps everything over a restart', async () => {
  const at = folder()
  const first = sqliteStore(at)
  const { home, keyId } = await fill(first)
  await first.write((w) => w.setOnly(home, 'A', '192.0.2.1', instant(0)))
  await first.close()

  const second = sqliteStore(at)
  expect(await second.read((r) => r.namesOf(keyId))).toMatchObject([
    { ...home, rdata: [{ value: '192.0.2.1' }] },
  ])
  await second.close()
})

it('refuses the data of a newer program, in words', () => {
  const at = folder()
  const store = sqliteStore(at)
  void store.close()
  const database = new DatabaseSync(join(at, 'holdfast.db'))
  database.exec('PRAGMA user_version = 99')
  database.close()

  expect(() => sqliteStore(at)).toThrow(StoreRefused)
  expect(() => sqliteStore(at)).toThrow(/written by a newer Holdfast \(schema 99/)
})

it('upgrades script by script, and a script that fails leaves the version before it whole', () => {
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

it('names the file when it is no database', () => {
  const at = folder()
  const store = sqliteStore(at)
  void store.close()
  expect(() => sqliteStore('/dev/null/nowhere')).toThrow()
})

it('opens a database of every earlier schema, upgrades it, and keeps what is in it', async () => {
  for (let version = 1; version < MIGRATIONS.length; version++) {
    const at = folder()
    mkdirSync(at)
    const old = new DatabaseSync(join(at, 'holdfast.db'))
    migrate(old, at, MIGRATIONS.slice(0, version))
    old.exec(`INSERT INTO plan (name, most_names, most_rdata, most_name_metadata, most_rrset_metadata, least_ttl, has_offline, has_wildcards)
      VALUES ('old', 1, 1, 1, 1, 60, 1, 1)`)
    old.close()

    const store = sqliteStore(at)
    expect(await store.write((w) => w.planNamed('old'))).toBe(1)
    await store.close()
    const upgraded = new DatabaseSync(join(at, 'holdfast.db'))
    expect(upgraded.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
    upgraded.close()
  }
})

it('loses nothing when it is killed in the middle of an upgrade', async () => {
  const at = folder()
  mkdirSync(at)
  const path = join(at, 'holdfast.db')
  const old = new DatabaseSync(path)
  migrate(old, at, MIGRATIONS.slice(0, 1))
  old.exec(`INSERT INTO plan (name, most_names, most_rdata, most_name_metadata, most_rrset_metadata, least_ttl, has_offline, has_wildcards)
    VALUES ('old', 1, 1, 1, 1, 60, 1, 1)`)
  old.close()
  // The second script begins, and the power goes.
  const script = `
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec("BEGIN IMMEDIATE; CREATE TABLE half (x); DELETE FROM plan")
    process.kill(process.pid, 'SIGKILL')`
  expect(spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]).signal).toBe(
    'SIGKILL',
  )

  const store = sqliteStore(at)
  expect(await store.write((w) => w.planNamed('old'))).toBe(1)
  await store.close()
  const upgraded = new DatabaseSync(path)
  expect(upgraded.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({
    n: 0,
  })
  upgraded.close()
})
