import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { makeFolder } from '../../../shared/platform/files/folder.ts'
import { fingerprintOf, type Pepper } from '../../auth/hashes.ts'
import { DATABASE_FILES, identityOf } from '../../store/sqlite/files.ts'
import {
  claimDatabase,
  DATABASE_FILE,
  makeDatabase,
  SCHEMA_VERSION,
  schemaVersionIn,
  upgradeCopyAt,
} from '../../store/sqlite/open.ts'
import { steadyClock } from '../../../shared/platform/clock/clock.ts'
import { isPassing, StoreRefused } from '../../store/errors.ts'
import { sqliteStore } from '../../store/sqlite/store.ts'
import { configurationFailure, type Failure } from '../../../shared/program/exit-codes.ts'
import { hashKeyPath, makeHashKey, readHashKey, recordRotation, removeHashKey } from './hash-key.ts'
import { closeToOthers, refuseIfOpen } from './modes.ts'
import { programName } from '../../../shared/program/about.ts'
import { adviceOnStore } from './advice.ts'
import type { OpenOptions, OpenStore } from './opened-store.ts'
import type { StorePlace } from './place.ts'

/** What is in the folder of a store. `half`: a part is missing, and the message says which. */
type FoundStore =
  | { readonly kind: 'none' }
  | { readonly kind: 'half'; readonly message: string }
  | { readonly kind: 'whole'; readonly version: number }

/** Looks without changing anything. Throws where the database cannot be read. */
export function findStore(folder: string): FoundStore {
  const version = schemaVersionIn(folder)
  const hasKey = existsSync(hashKeyPath(folder))
  if (version === undefined && !hasKey) return { kind: 'none' }
  if (version === undefined)
    return half(`${folder} contains hash.key and no holdfast.db: restore the database from your backup`)
  if (version === 0) return half(`holdfast.db in ${folder} is empty: restore it from your backup`)
  return hasKey
    ? { kind: 'whole', version }
    : half(
        `${hashKeyPath(folder)} is missing; without it no key of this store can log in: restore it from your backup`,
      )
}

const half = (message: string): FoundStore => ({ kind: 'half', message })

/**
 * A service on a new store would answer 911 or badauth to every client, so
 * a store is made only on request (decision 0034).
 */
const NO_STORE = (folder: string): string =>
  `there is no store in ${folder}. If there should be one, check the path, and that its disk is mounted. ` +
  `To make a new store, run: ${programName()} admin init`

const UPGRADED = (copy: string): string =>
  `the database was of an older version and is upgraded; ${copy} has it as it was: ` +
  'delete this copy when you no longer want to go back'

/** Opens the store in this folder, or in this database. */
export async function openStore(
  place: StorePlace,
  options: OpenOptions = {},
): Promise<Result<OpenStore, Failure>> {
  if (typeof place === 'string') return openFolder(place, options)
  const { openPostgres } = await import('./open-postgres.ts')
  return openPostgres(place, options)
}

async function openFolder(folder: string, options: OpenOptions): Promise<Result<OpenStore, Failure>> {
  try {
    const found = findStore(folder)
    if (found.kind === 'half') return configurationFailure(found.message)
    if (found.kind === 'none' && options.mayMake !== true) return configurationFailure(NO_STORE(folder))
    const tooOld = found.kind === 'whole' && found.version < SCHEMA_VERSION && options.mayUpgrade !== true
    if (tooOld)
      return configurationFailure(
        `the store in ${folder} is of an older version of Holdfast: restart the service, which upgrades it, then try again`,
      )
    if (found.kind === 'none') return await makeStore(folder)
    closeToOthers(folder)
    const copy = upgradeCopyAt(join(folder, DATABASE_FILE), found.version)
    const opened = await openDatabase(folder)
    if (opened.ok && found.version < SCHEMA_VERSION) options.warn?.(UPGRADED(copy))
    return opened
  } catch (error) {
    return err(storeFailure(folder, error))
  }
}

/**
 * The database first, of which only one process can make the file; until it has tables, the folder is refused as half a
 * store. A making that fails leaves nothing: half a store could be neither opened nor made again.
 */
async function makeStore(folder: string): Promise<Result<OpenStore, Failure>> {
  await makeFolder(folder)
  refuseIfOpen(folder)
  claimDatabase(folder)
  try {
    await makeHashKey(folder)
    makeDatabase(folder)
    return await openDatabase(folder)
  } catch (error) {
    for (const name of DATABASE_FILES) await rm(join(folder, name), { force: true })
    await removeHashKey(folder)
    throw error
  }
}

/**
 * Opens the database if the hash key is that of its hashes. The database first: while it is open, no other process can
 * change the hash key (see rotation.ts).
 */
async function openDatabase(folder: string): Promise<Result<OpenStore, Failure>> {
  const identity = identityOf(folder)
  const store = sqliteStore(folder, steadyClock, 'rw')
  try {
    if (identityOf(folder) !== identity) throw new StoreRefused(REPLACED(folder))
    const key = await readHashKey(folder)
    const opened = key.ok
      ? await withFingerprint({ store, folder, identity }, key.value)
      : configurationFailure(key.error)
    if (!opened.ok) await store.close()
    return opened
  } catch (error) {
    await store.close()
    throw error
  }
}

const REPLACED = (folder: string): string =>
  `the database in ${folder} was replaced while it was opened; nothing was done; try again`

/** A store of an earlier version learns the fingerprint here. */
async function withFingerprint(
  opened: Omit<OpenStore, 'pepper'>,
  pepper: Pepper,
): Promise<Result<OpenStore, Failure>> {
  const { store, folder } = opened
  const fingerprint = fingerprintOf(pepper)
  const stored = await store.read((r) => r.fact('hash_key'))
  if (stored === undefined) await store.write(async (w) => w.setFact('hash_key', fingerprint))
  if (stored === undefined || stored === fingerprint) return ok({ ...opened, pepper })
  // A rotation that was interrupted between the file and the database.
  if (pepper.previous !== undefined && stored === fingerprintOf(pepper.previous)) {
    await store.write(async (w) => recordRotation(w, pepper))
    return ok({ ...opened, pepper })
  }
  return configurationFailure(
    `${hashKeyPath(folder)} is not the hash key of this database: restore both from the same backup`,
  )
}

/** The failure for an error that the operator can fix; every other error is a bug and is thrown again. */
export function storeFailure(folder: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof StoreRefused) return { exit: 'configuration', messages: [message] }
  const advice = (code === undefined ? undefined : adviceOnStore(message)) ?? ''
  if (isPassing(error))
    return { exit: 'waiting', messages: [`the store in ${folder}: ${message}${advice || '; try again'}`] }
  if (code === undefined) throw error
  return {
    exit: 'configuration',
    messages: [`the store in ${folder} cannot be opened: ${message}${advice}`],
  }
}
