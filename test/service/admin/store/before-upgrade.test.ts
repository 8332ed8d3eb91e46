import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../../../src/service/store/sqlite/migrations.ts'
import {
  DATABASE_FILE,
  migrate,
  schemaVersionIn,
  SCHEMA_VERSION,
} from '../../../../src/service/store/sqlite/open.ts'
import { linesOfStart, newStore, storeFolder } from '../../program/started.ts'

/** A store of an earlier version. */
async function storeOfSchema(version: number): Promise<string> {
  const folder = await newStore()
  for (const name of readdirSync(folder)) if (name.startsWith(DATABASE_FILE)) rmSync(join(folder, name))
  const path = join(folder, DATABASE_FILE)
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  migrate(database, path, MIGRATIONS.slice(0, version))
  // A mark that no migration changes.
  database.exec('PRAGMA application_id = 4711')
  database.close()
  return folder
}

const copyOf = (version: number): string => `${DATABASE_FILE}.schema-${version}`
const copiesIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith(`${DATABASE_FILE}.schema-`))
/** One step, and several at once: there is one copy, of the version that was there. */
const EARLIER = [SCHEMA_VERSION - 1, SCHEMA_VERSION - 5]

describe('a start that upgrades the schema', () => {
  it.each(EARLIER)('copies the database of schema %i first, and says where it is', async (version) => {
    const folder = await storeOfSchema(version)
    const lines = await linesOfStart(folder)
    const copy = join(folder, copyOf(version))

    expect(copiesIn(folder)).toEqual([copyOf(version)])
    expect(lines.filter((line) => line.includes(copy))).toHaveLength(1)
    expect(schemaVersionIn(folder)).toBe(SCHEMA_VERSION)
    // The copy is a whole database of the version before, in one file that a person can put back.
    const database = new DatabaseSync(copy, { readOnly: true })
    const read = (sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0]
    expect([
      read('PRAGMA user_version'),
      read('PRAGMA integrity_check'),
      read('PRAGMA application_id'),
    ]).toEqual([version, 'ok', 4711])
    database.close()
    // It has all hashes that the database has.
    expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  it('is once: the next start copies nothing and says nothing', async () => {
    const folder = await storeOfSchema(SCHEMA_VERSION - 1)
    await linesOfStart(folder)
    const copy = join(folder, copyOf(SCHEMA_VERSION - 1))
    const before = readFileSync(copy)
    const lines = await linesOfStart(folder)

    expect(lines.filter((line) => line.includes('schema-'))).toEqual([])
    expect([copiesIn(folder), readFileSync(copy).equals(before)]).toEqual([
      [copyOf(SCHEMA_VERSION - 1)],
      true,
    ])
  })

  it('does not write over a copy of an earlier upgrade', async () => {
    const folder = await storeOfSchema(SCHEMA_VERSION - 1)
    const there = join(folder, copyOf(SCHEMA_VERSION - 1))
    writeFileSync(there, 'an earlier copy')
    await linesOfStart(folder).catch(() => undefined)
    const isSame = existsSync(there) && readFileSync(there, 'utf8') === 'an earlier copy'
    // A second copy, or a refusal; never an upgrade without a copy.
    expect([isSame, copiesIn(folder).length > 1 || schemaVersionIn(folder) === SCHEMA_VERSION - 1]).toEqual([
      true,
      true,
    ])
  })
})

it('a new store has no copy', async () => {
  const folder = storeFolder()
  const lines = await linesOfStart(folder)
  expect([copiesIn(folder), lines.filter((line) => line.includes('schema-'))]).toEqual([[], []])
})

it('neither has one of this version', async () => {
  const folder = await newStore()
  const lines = await linesOfStart(folder)
  expect([copiesIn(folder), lines.filter((line) => line.includes('schema-'))]).toEqual([[], []])
})
