import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { StoreRefused } from '../errors.ts'
import { MIGRATIONS } from './migrations.ts'
import { migrate, versionOf } from './open.ts'
import { select, selects } from '../select.ts'
import { statements } from './transaction.ts'

/**
 * How the schema of a database differs from the one that the migrations make. Data of a table that is missing is lost, and a
 * trigger that was added changes what this program writes.
 */
export function schemaProblems(database: DatabaseSync): readonly string[] {
  const version = versionOf(database)
  // Opening such a database says what to do.
  if (version > MIGRATIONS.length) return []
  const right = new DatabaseSync(':memory:')
  try {
    migrate(right, 'memory', MIGRATIONS.slice(0, version))
    return differences(objectsIn(database), objectsIn(right))
  } finally {
    right.close()
  }
}

/** Of the schema that all migrations make: to make one for each start takes longer than the start. */
export const SCHEMA_DIGEST = 'a3d8e85bc5cb84d8'

/** Of a schema, the same for a new database and for one that was upgraded. */
export const schemaDigest = (database: DatabaseSync): string =>
  createHash('sha256')
    .update(JSON.stringify([...objectsIn(database)].toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
    .slice(0, 16)

/** Objects of others that change nothing of what is written or read. */
const HARMLESS = /^the (?:table|view|index) \S+ is not from Holdfast$/

/** Throws StoreRefused if something of the schema is missing or changed: a later write would fail, or write other data. */
export function checkSchema(database: DatabaseSync, path: string): void {
  if (schemaDigest(database) === SCHEMA_DIGEST) return
  const problems = schemaProblems(database).filter((problem) => !HARMLESS.test(problem))
  if (problems.length > 0)
    throw new StoreRefused(
      `${path} was changed by something else than Holdfast: ${problems.join('; ')}; ` +
        'restore a backup with holdfast admin restore',
    )
}

/** What an object consists of, by its kind and name. */
type Objects = ReadonlyMap<string, string>

/** SQLite writes the text of a table in its own way when a column is renamed, so a table is compared by its columns. */
function objectsIn(database: DatabaseSync): Objects {
  const sql = statements(database)
  return new Map(
    sql(SCHEMA.objects)
      .all()
      .map(({ type, name, sql: text }) => [
        `${type} ${name}`,
        type === 'table' ? JSON.stringify(sql(SCHEMA.columns).all(name)) : String(text),
      ]),
  )
}

export const SCHEMA = selects({
  objects: select(
    { type: 'TEXT', name: 'TEXT', sql: 'TEXT NULL' },
    `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  ),
  columns: select(
    { name: 'TEXT', type: 'TEXT', notnull: 'INTEGER', pk: 'INTEGER' },
    'SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid',
  ),
})

const differences = (found: Objects, right: Objects): readonly string[] => [
  ...[...right].flatMap(([object, made]) => {
    if (!found.has(object)) return [`the ${object} is missing`]
    return found.get(object) === made ? [] : [`the ${object} is not the one of this version of Holdfast`]
  }),
  ...[...found.keys()]
    .filter((object) => !right.has(object))
    .map((object) => `the ${object} is not from Holdfast`),
]
