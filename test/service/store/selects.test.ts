import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { STORE_TABLES } from '../../../src/service/store/copy-rows.ts'
import { StoreRefused } from '../../../src/service/store/errors.ts'
import { checkPostgres, POSTGRES_SELECTS } from '../../../src/service/store/postgres/open.ts'
import { connect, type PostgresPlace } from '../../../src/service/store/postgres/connection.ts'
import { openPostgresStore } from '../../../src/service/store/postgres/open.ts'
import { namedSelects } from '../../../src/service/store/select-check.ts'
import { type Columns, select, type Selects, selects } from '../../../src/service/store/select.ts'
import { checkSqlite, SQLITE_SELECTS, sqliteStore } from '../../../src/service/store/sqlite/store.ts'
import { DATABASE_FILE } from '../../../src/service/store/sqlite/open.ts'
import { statements } from '../../../src/service/store/sqlite/transaction.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../../lab/postgres.ts'
import { makeNew, newMemory } from '../../lab/new-database.ts'
import { storeFolder } from '../../lab/stores.ts'

const ROOT = resolve(import.meta.dirname, '../../../src/service/store')
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

const isSelects = (value: unknown): value is Selects =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).length > 0 &&
  Object.values(value).every((one) => one?.constructor?.name === 'Select')

describe('the statements that are checked at the start', () => {
  const checked = [...Object.values(SQLITE_SELECTS), ...Object.values(POSTGRES_SELECTS)]

  it.each(files)('are all of %s', async (path) => {
    const members: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(ROOT, path)).href)
    const lists = Object.entries(members).filter(([, value]) => isSelects(value))

    expect(lists.filter(([, list]) => !checked.includes(list as Selects)).map(([name]) => name)).toEqual([])
    // A list that is not exported would not be found here.
    const made = readFileSync(join(ROOT, path), 'utf8').match(/^.* = selects\(/gm) ?? []
    expect(made.filter((line) => !line.startsWith('export const '))).toEqual([])
  })

  it('are many', () => expect(namedSelects(SQLITE_SELECTS).length).toBeGreaterThan(80))
})

it('no statement reads columns that it does not name: a newer node may have added one', () => {
  const stars = namedSelects(SQLITE_SELECTS).filter(({ select: { text } }) => /[ .]\*(?=[ ,]|$)/.test(text))

  expect(stars.map(({ name }) => name)).toEqual([])
})

const TABLES: ReadonlySet<string> = new Set(STORE_TABLES)

it('a column that may be NULL in its table is one that may be NULL in every statement', () => {
  const { writer } = newMemory()
  const info = writer.prepare('SELECT "notnull" OR pk AS filled FROM pragma_table_info(?) WHERE name = ?')
  const wrong = namedSelects(SQLITE_SELECTS).flatMap(({ name, select: { columns, text } }) =>
    writer
      .prepare(text)
      .columns()
      .filter(
        (one) =>
          TABLES.has(one.table ?? '') &&
          !columns[one.name]?.endsWith(' NULL') &&
          info.get(one.table, one.column)?.['filled'] === 0,
      )
      .map((one) => `${name}: ${one.name}`),
  )
  writer.close()

  expect(wrong).toEqual([])
})

interface Mistake {
  readonly what: string
  readonly columns: Columns
  readonly text: string
  readonly message: string
  /** Of PostgreSQL, where it says it in its own words. */
  readonly postgres?: string
}

const MISTAKES: readonly Mistake[] = [
  {
    what: 'a column of the list that the text lacks',
    columns: { id: 'INTEGER', naem: 'TEXT' },
    text: 'SELECT id, name FROM zone',
    message: 'it has no column naem, but name',
  },
  {
    what: 'a column of the text that no table has',
    columns: { id: 'INTEGER', is_shraed: 'FLAG' },
    text: 'SELECT id, is_shraed FROM zone',
    message: 'no such column: is_shraed (its list: id, is_shraed)',
    postgres:
      'column "is_shraed" does not exist; Perhaps you meant to reference the column "zone.is_shared". (its list: id, is_shraed)',
  },
  {
    what: 'a column that the list lacks',
    columns: { id: 'INTEGER' },
    text: 'SELECT id, name FROM zone',
    message: 'it has the column name, which is not in its list',
  },
  {
    what: 'two columns of one name',
    columns: { id: 'INTEGER' },
    text: 'SELECT zone.id, account.id FROM zone, account',
    message: 'it has the column id twice',
  },
  {
    what: 'a column of another type',
    columns: { name: 'TIME NULL' },
    text: 'SELECT name FROM zone',
    message: 'its column name is TEXT, and not TIME NULL',
  },
  {
    what: 'a table that does not exist',
    columns: { id: 'INTEGER' },
    text: 'SELECT id FROM zoen',
    message: 'no such table: zoen (its list: id)',
    postgres: 'relation "zoen" does not exist (its list: id)',
  },
]

it('a condition that has no place in its statement is no statement without it', () => {
  const { open, twice, one } = selects({
    open: select({ id: 'INTEGER' }, 'SELECT id FROM name'),
    twice: select({ id: 'INTEGER' }, 'SELECT id FROM name WHERE TRUE UNION SELECT id FROM zone WHERE TRUE'),
    one: select({ id: 'INTEGER' }, 'SELECT id FROM name WHERE TRUE ORDER BY id'),
  })

  for (const wrong of [open, twice])
    expect(() => wrong.where('account_id = ?')).toThrow(/^not one WHERE TRUE in: /)
  expect(one.where('account_id = ?').text).toBe('SELECT id FROM name WHERE account_id = ? ORDER BY id')
})

it.each(MISTAKES)('SQLite: $what is told', ({ columns, text, message }) => {
  const { writer } = newMemory()
  const lists = { ...SQLITE_SELECTS, TEST: selects({ wrong: select(columns, text) }) }

  expect(() => checkSqlite(statements(writer), lists)).toThrow(
    new StoreRefused(`the statement TEST.wrong does not fit the database: ${message}`),
  )
  writer.close()
})

it('a store of SQLite does not open on a database with another column, and lets go of it', () => {
  const folder = storeFolder()
  makeNew(folder)
  const database = new DatabaseSync(join(folder, DATABASE_FILE))
  database.exec('ALTER TABLE account RENAME COLUMN is_suspended TO is_paused')

  expect(() => sqliteStore(folder, steadyClock)).toThrow(
    /holdfast\.db was changed by something else than Holdfast: the table account is not the one of this version.*admin restore$/,
  )
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  database.close()
  rmSync(folder, { recursive: true })
})

const lacking = whyNoPostgres()
describe.skipIf(lacking !== undefined)('PostgreSQL', () => {
  let postgres: Postgres
  let place: PostgresPlace
  beforeAll(async () => {
    postgres = await startPostgres()
    place = await postgres.store()
  })
  afterAll(async () => postgres?.stop(), 60_000)

  it.each(MISTAKES)('$what is told', async ({ columns, text, message, postgres: own }) => {
    const { client } = await connect(place)
    const lists = { ...POSTGRES_SELECTS, TEST: selects({ wrong: select(columns, text) }) }
    const checking = checkPostgres(client, { own: lists })

    await expect(checking).rejects.toThrow(
      new StoreRefused(`the statement TEST.wrong does not fit the database: ${own ?? message}`),
    )
    await client.end()
  })

  it('a store does not open on a database with another column', async () => {
    await postgres.query('ALTER TABLE account RENAME COLUMN is_suspended TO is_paused', place.database)

    await expect(openPostgresStore(place, steadyClock)).rejects.toThrow(
      /^the statement \S+ does not fit the database: column "?(?:account\.)?is_suspended"? does not exist/,
    )
  })
})
