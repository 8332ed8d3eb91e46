import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeFolder } from '../../../lab/stores.ts'
import { steadyClock } from '../../../../src/shared/platform/clock/clock.ts'
import { MIGRATIONS } from '../../../../src/service/store/sqlite/migrations.ts'
import { databaseProblems, exclusively, identityOf } from '../../../../src/service/store/sqlite/files.ts'
import { migrate } from '../../../../src/service/store/sqlite/open.ts'
import { sqliteStore } from '../../../../src/service/store/sqlite/store.ts'

let folder: string
beforeEach(() => {
  folder = storeFolder()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function inDatabase(work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(folder, 'holdfast.db'))
  work(database)
  database.close()
}

describe('the schema of a database', () => {
  it.each(MIGRATIONS.map((_, at) => at + 1))(
    'of version %i has no problems, also after an upgrade',
    async (version) => {
      inDatabase((database) => migrate(database, '', MIGRATIONS.slice(0, version)))
      expect(await databaseProblems(folder)).toEqual([])
      inDatabase((database) => migrate(database, ''))
      expect(await databaseProblems(folder)).toEqual([])
    },
  )

  // biome-ignore format: a table
  it.each([
    ['DROP TABLE fact',                                     'the table fact is missing'],
    ['ALTER TABLE plan DROP COLUMN fixed_ttl',              'the table plan is not the one of this version of Holdfast'],
    ['DROP INDEX name_by_fqdn',                             'the index name_by_fqdn is missing'],
    ['DROP INDEX name_by_fqdn; CREATE INDEX name_by_fqdn ON name (name)', 'the index name_by_fqdn is not the one of this version of Holdfast'],
    ['DROP TRIGGER rdata_goes',                             'the trigger rdata_goes is missing'],
    ['CREATE TRIGGER t AFTER INSERT ON plan BEGIN DELETE FROM plan; END', 'the trigger t is not from Holdfast'],
    ['CREATE VIEW v AS SELECT 1',                           'the view v is not from Holdfast'],
    ['CREATE TABLE more (a)',                               'the table more is not from Holdfast'],
  ])('after %s: %s', async (sql, problem) => {
    inDatabase((database) => {
      migrate(database, '')
      database.exec(sql)
    })
    expect(await databaseProblems(folder)).toEqual([problem])
  })
})

describe('work on a database that is held', () => {
  it('is not done while another connection has the database open', async () => {
    const store = sqliteStore(folder, steadyClock)
    expect(await exclusively(folder, async () => 'done')).toBeUndefined()
    await store.close()
    expect(await exclusively(folder, async () => 'done')).toBe('done')
  })

  it('keeps others out, and is rolled back if it throws', async () => {
    await sqliteStore(folder, steadyClock).close()
    const fact = async () => exclusively(folder, async (held) => held.fact('hash_key'))
    await exclusively(folder, async (held) => {
      await held.setFact('hash_key', 'a')
      expect(await exclusively(folder, async () => 'done')).toBeUndefined()
    })
    expect(await fact()).toBe('a')
    const failing = exclusively(folder, async (held) => {
      await held.setFact('hash_key', 'b')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await fact()).toBe('a')
  })

  it('leaves no log, and the store opens as before', async () => {
    await sqliteStore(folder, steadyClock).close()
    await exclusively(folder, async () => expect(readdirSync(folder)).toEqual(['holdfast.db']))
    const store = sqliteStore(folder, steadyClock)
    expect(await store.read(async (r) => r.hasAccounts())).toBe(false)
    await store.close()
  })
})

it('a database that is removed, or made again, is another one', async () => {
  await sqliteStore(folder, steadyClock).close()
  const before = identityOf(folder)
  expect(before).toBe(identityOf(folder))
  rmSync(join(folder, 'holdfast.db'))
  expect([typeof before, identityOf(folder)]).toEqual(['string', undefined])
})
