import { select, selects } from '../select.ts'

export const PRAGMAS = selects({
  /** How many scripts of the migrations were applied. */
  userVersion: select({ user_version: 'INTEGER' }, 'PRAGMA user_version'),
  /** Differs after another connection has committed. */
  dataVersion: select({ data_version: 'INTEGER' }, 'PRAGMA data_version'),
  integrity: select({ integrity_check: 'TEXT' }, 'PRAGMA integrity_check'),
  foreignKeys: select(
    { table: 'TEXT', rowid: 'INTEGER NULL', parent: 'TEXT', fkid: 'INTEGER' },
    'PRAGMA foreign_key_check',
  ),
})
