import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { DATABASE_FILE, openMemory } from '../../../../src/service/store/sqlite/open.ts'
import { SCHEMA_DIGEST, schemaDigest } from '../../../../src/service/store/sqlite/schema-check.ts'
import { sqliteStore } from '../../../../src/service/store/sqlite/store.ts'

it('the digest is that of the schema of this version', () =>
  expect(SCHEMA_DIGEST).toBe(schemaDigest(openMemory().writer)))

/** A store whose database another program has changed. */
async function changed(sql: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-schema-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await sqliteStore(folder, steadyClock).close()
  const database = new DatabaseSync(join(folder, DATABASE_FILE))
  database.exec(sql)
  database.close()
  return folder
}

it.each([
  [
    'a column that only writes use',
    'ALTER TABLE rdata RENAME COLUMN created_at TO made_at',
    /the table rdata is not the one/,
  ],
  ['a column more', 'ALTER TABLE rdata ADD COLUMN note TEXT', /the table rdata is not the one/],
  ['a table that is gone', 'DROP TABLE dns_gone', /the table dns_gone is missing/],
  [
    'a trigger of another program',
    'CREATE TRIGGER x AFTER INSERT ON rdata BEGIN SELECT 1; END',
    /the trigger x is not from Holdfast/,
  ],
])('a store with %s does not open', async (_, sql, problem) => {
  const folder = await changed(sql)
  expect(() => sqliteStore(folder, steadyClock)).toThrow(problem)
  expect(() => sqliteStore(folder, steadyClock)).toThrow(/admin restore$/)
})

it('a table, a view and an index of another program change nothing', async () => {
  const folder = await changed(
    'CREATE TABLE x (y); CREATE VIEW z AS SELECT * FROM x; CREATE INDEX i ON rdata (created_at)',
  )
  await sqliteStore(folder, steadyClock).close()
})
