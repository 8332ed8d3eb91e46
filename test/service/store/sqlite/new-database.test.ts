import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { sqliteStore } from '../../../../src/service/store/sqlite/store.ts'
import { DATABASE_FILE, openMemory } from '../../../../src/service/store/sqlite/open.ts'
import { makeNew, newMemory } from '../../../lab/new-database.ts'

/** Everything in it, in an order that is not that of its making. */
const contentOf = (database: DatabaseSync): unknown => {
  const all = (sql: string) => database.prepare(sql).all()
  const schema = all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
  const tables = schema.flatMap(({ type, name }) => (type === 'table' ? [String(name)] : []))
  return {
    schema,
    rows: tables.map((name) => [
      name,
      all(`SELECT * FROM "${name}"`).map((row) => ({ ...row, ...(name === 'dns_zone' && { serial: 0 }) })),
    ]),
    pragmas: ['user_version', 'foreign_keys', 'encoding'].map((name) => all(`PRAGMA ${name}`)),
  }
}

it('a database in memory for tests is one that the migrations made', () => {
  const [made, real] = [newMemory().writer, openMemory().writer]

  expect(contentOf(made)).toEqual(contentOf(real))
  const [{ serial = 0 } = {}] = made.prepare('SELECT serial FROM dns_zone').all()
  expect(Math.abs(Number(serial) * 1000 - Date.now())).toBeLessThan(600_000)
})

it('so is one in a folder', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-made-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [made, real] = [join(root, 'made'), join(root, 'real')]
  makeNew(made)
  for (const folder of [made, real]) await sqliteStore(folder, steadyClock).close()

  const [one, other] = [made, real].map((folder) => {
    const path = join(folder, DATABASE_FILE)
    const database = new DatabaseSync(path)
    const found = [
      contentOf(database),
      database.prepare('PRAGMA journal_mode').get(),
      statSync(folder).mode,
      statSync(path).mode,
    ]
    database.close()
    return found
  })
  expect(one).toEqual(other)
})
