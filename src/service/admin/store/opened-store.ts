import type { Result } from '../../../shared/base/result.ts'
import type { Pepper } from '../../auth/hashes.ts'
import type { Store } from '../../store/store.ts'

/** A store with the key of its hashes. */
export interface OpenStore {
  readonly store: Store
  readonly pepper: Pepper
  /** Or the address of the database. */
  readonly folder: string
  /** Of the file of the database, from before it was opened. */
  readonly identity: string | undefined
  /** Reads the credentials of the database again; what it returns makes them those of new connections. */
  readonly renew?: () => Promise<Result<() => void, string>>
}

export interface OpenOptions {
  /** Called with what its operator should know, also while it is open. */
  readonly warn?: (message: string) => void
  /** Makes a store where there is none. A store of which a part is missing is never completed. */
  readonly mayMake?: boolean
  /** Upgrades the database of an older version. */
  readonly mayUpgrade?: boolean
  /** Opens a database that lacks a table or a column, to find out what else it lacks. */
  readonly mayLack?: boolean
}
