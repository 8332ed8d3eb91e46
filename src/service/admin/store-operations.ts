import { err, ok, type Result } from '../../shared/base/result.ts'
import { systemClock } from '../../shared/platform/clock/clock.ts'
import type { OperationResult } from './operation.ts'
import type { Store } from '../store/store.ts'
import { configurationFailure, type Failure, usageFailure } from '../../shared/program/exit-codes.ts'
import { backUp, storeProblems } from './backup.ts'
import { findStore, openStore } from './store/open-store.ts'
import { operatorChange } from './operator-changes.ts'
import { restore } from './restore.ts'
import { rotate } from './rotation.ts'
import { removeAccount } from './account-removal.ts'
import { placeName, type SharedPlace, type StorePlace } from './store/place.ts'
import { printZone } from './zone-files.ts'
import { ImportRefused, importIntoZone, readZone } from './zone-import.ts'

/** An operation of `holdfast admin` on a store as a whole: its folder need not hold one yet. */
interface StoreOperation {
  readonly parameters: string
  readonly summary: string
  readonly run: (
    place: StorePlace,
    args: readonly string[],
    nameservers: readonly string[],
  ) => Promise<Result<OperationResult, Failure>>
}

export const STORE_OPERATIONS: Readonly<Record<string, StoreOperation>> = {
  init: {
    parameters: '',
    summary: 'make a new, empty store; an existing one is left as it is',
    run: initStore,
  },
  backup: {
    parameters: 'FOLDER [keep=N]',
    summary:
      'copy database and hash key into a new folder in FOLDER, while the service may run, ' +
      'and check the copy; keep the newest N',
    run: backUpStore,
  },
  restore: {
    parameters: 'BACKUP',
    summary:
      'replace the store with a backup, while the service is stopped; the current files are moved aside',
    run: restoreStore,
  },
  'store copy': {
    parameters: 'from=FOLDER|to=FOLDER',
    summary:
      'copy a store from a folder into the PostgreSQL database of the settings, or back; stop the services first',
    run: copyStore,
  },
  'store migrate': {
    parameters: '',
    summary: 'bring the store to the version of this program, as a service does when it starts',
    run: migrateStore,
  },
  'account remove': {
    parameters: 'NAME export=FILE|none',
    summary: 'write the data of an account into a file, then remove it with its zones, names and keys',
    run: async (folder, args, nameservers) =>
      withStore(folder, async (store) => removeAccount(store, nameservers, args)),
  },
  'zone export': {
    parameters: 'NAME',
    summary: 'print a zone as a master file (RFC 1035)',
    run: async (folder, [name = ''], nameservers) =>
      withStore(folder, async (store) =>
        asUsage(await store.snapshot(async (r) => printZone(r, name, nameservers))),
      ),
  },
  'zone import': {
    parameters: 'NAME FILE [replace] [dry-run]',
    summary:
      'import a master file (- for standard input) into a zone, all at once or not at all; ' +
      'with replace, instead of the names that the zone has; with dry-run, show what would change, and change nothing',
    run: importInto,
  },
  'rotate-hash-key': {
    parameters: '[drop-old] [confirm=N]',
    summary: 'make a new hash key while the service is stopped; drop-old retires the previous one',
    run: onFolder(rotate),
  },
  check: {
    parameters: '',
    summary: 'check the database and its hash key',
    run: checkStore,
  },
}

/** Opens the store for one operation. */
async function withStore(
  place: StorePlace,
  work: (store: Store) => Promise<Result<OperationResult, Failure>>,
): Promise<Result<OperationResult, Failure>> {
  const opened = await openStore(place)
  if (!opened.ok) return opened
  const { store } = opened.value
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const IMPORT_OPTIONS: readonly string[] = ['replace', 'dry-run']

async function importInto(
  place: StorePlace,
  [zoneName = '', path = '', ...options]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  const unknown = options.find((one) => !IMPORT_OPTIONS.includes(one))
  if (unknown !== undefined) return usageFailure(`${unknown} is not ${IMPORT_OPTIONS.join(', nor ')}`)
  return withStore(place, async (store) => {
    try {
      const read = await readZone(zoneName, path)
      return ok(
        await importIntoZone(store, {
          ...read,
          zoneName,
          isReplacing: options.includes('replace'),
          isDryRun: options.includes('dry-run'),
        }),
      )
    } catch (error) {
      if (error instanceof ImportRefused)
        return error.isPassing
          ? err({ exit: 'waiting', messages: error.messages })
          : usageFailure(...error.messages)
      throw error
    }
  })
}

/**
 * After a restore. Name servers have newer serials than the backup, and would not fetch what is older. A store of an
 * older version is left as it is: the service upgrades it first, and its serials then begin with the time.
 */
async function completeRestore(folder: string, from: string): Promise<void> {
  const now = systemClock.now()
  await withStore(folder, async (store) => {
    await store.write(async (w) => {
      await w.raiseSerialsAfter(now)
      await w.addOperatorChange(operatorChange('restore', [from], now))
    })
    return ok({ lines: [], data: {} })
  })
}

const asUsage = (result: Result<OperationResult, string>): Result<OperationResult, Failure> =>
  result.ok ? result : usageFailure(result.error)

async function initStore(place: StorePlace): Promise<Result<OperationResult, Failure>> {
  const folder = placeName(place)
  if (await isMade(place))
    return ok({
      lines: [`there is a store in ${folder} already; it is unchanged`],
      data: { store: folder, isNew: false },
    })
  const made = await openStore(place, { mayMake: true })
  if (!made.ok) return made
  await made.value.store.close()
  return ok({
    lines: [
      `made a store in ${folder}`,
      ...(typeof place === 'string' ? [] : [`every node needs the file ${place.hashKeyFile}: copy it`]),
      'next: holdfast admin plan add basic, holdfast admin account add NAME basic',
    ],
    data: { store: folder, isNew: true },
  })
}

async function isMade(place: StorePlace): Promise<boolean> {
  if (typeof place === 'string') return findStore(place).kind === 'whole'
  const opened = await openStore(place)
  if (opened.ok) await opened.value.store.close()
  return opened.ok
}

/** What the files of a store are needed for. */
function onFolder(
  run: (folder: string, args: readonly string[]) => Promise<Result<OperationResult, Failure>>,
): StoreOperation['run'] {
  return async (place, args) =>
    typeof place === 'string'
      ? run(place, args)
      : configurationFailure(
          `this is for a store in a folder, and not for ${placeName(place)}, whose nodes each have the hash key`,
        )
}

async function copyStore(
  place: StorePlace,
  [way = '']: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  const [, direction, folder = ''] = /^(from|to)=(.+)$/s.exec(way) ?? []
  if (direction === undefined)
    return usageFailure('name the folder: holdfast admin store copy from=FOLDER, or to=FOLDER')
  if (typeof place === 'string')
    return configurationFailure(
      `the store of the settings is the folder ${place}: ` +
        'set store = "postgres://…" and hash_key_file first; ' +
        'a folder is copied to another one with backup and restore',
    )
  const { copyFromFolder, copyToFolder } = await import('./store-copies.ts')
  const copy = direction === 'from' ? copyFromFolder : copyToFolder
  const copied = await copy(place, folder, systemClock.now())
  if (!copied.ok) return copied
  const [from, to] = direction === 'from' ? [folder, placeName(place)] : [placeName(place), folder]
  return ok({
    lines: [
      `copied ${copied.value} rows from ${from} to ${to}; ${from} is unchanged`,
      ...(direction === 'from' ? [`every node needs the file ${place.hashKeyFile}: copy it`] : []),
    ],
    data: { from, to, rows: copied.value },
  })
}

async function migrateStore(place: StorePlace): Promise<Result<OperationResult, Failure>> {
  const opened = await openStore(place, { mayUpgrade: true })
  if (!opened.ok) return opened
  await opened.value.store.close()
  const name = placeName(place)
  return ok({ lines: [`the store in ${name} is of this version`], data: { store: name } })
}

async function checkStore(place: StorePlace): Promise<Result<OperationResult, Failure>> {
  const name = placeName(place)
  const found =
    typeof place === 'string'
      ? ok(await storeProblems(place))
      : await (await import('./store-copies.ts')).databaseProblemsOf(place)
  if (!found.ok) return found
  return found.value.length === 0
    ? ok({ lines: [`the store in ${name} is whole`], data: { store: name, problems: [] } })
    : configurationFailure(...found.value)
}

async function backUpStore(
  place: StorePlace,
  [into, kept]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  if (into === undefined)
    return usageFailure('name the folder for backups: holdfast admin backup FOLDER [keep=N]')
  const [, keep] = /^keep=([1-9]\d{0,3})$/.exec(kept ?? '') ?? []
  if (kept !== undefined && keep === undefined)
    return usageFailure(`${kept} is not keep=N with a number from 1 to 9999`)
  const options = { now: systemClock.now(), keep: keep === undefined ? undefined : Number(keep) }
  const made = await (typeof place === 'string'
    ? backUp(place, into, options).then((result) => (result.ok ? result : configurationFailure(result.error)))
    : (await import('./store-copies.ts')).backUpDatabase(place, into, options))
  if (!made.ok) return made
  const { folder, size, removed } = made.value
  const older = removed.length === 0 ? [] : [`removed ${removed.length} older`]
  return ok({
    lines: [`backup in ${folder}, ${Math.ceil(size / 1024)} KiB, checked`, ...older],
    data: { backup: folder, size, removed },
  })
}

async function restoreStore(
  place: StorePlace,
  [from]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  if (from === undefined) return usageFailure('name the backup: holdfast admin restore BACKUP')
  return typeof place === 'string' ? restoreFolder(place, from) : restoreShared(place, from)
}

async function restoreShared(place: SharedPlace, from: string): Promise<Result<OperationResult, Failure>> {
  const done = await (await import('./store-copies.ts')).restoreDatabase(place, from, systemClock.now())
  if (!done.ok) return done
  const { replaced = null, isKeyChanged } = done.value
  const store = placeName(place)
  return ok({
    lines: [
      `restored ${from} to ${store}`,
      ...(replaced === null ? [] : [`its earlier contents are in the backup ${replaced}`]),
      ...(isKeyChanged ? [`every node needs the file ${place.hashKeyFile} again: copy it`] : []),
    ],
    data: { store, backup: from, replaced },
  })
}

async function restoreFolder(store: string, from: string): Promise<Result<OperationResult, Failure>> {
  const done = await restore(store, from, systemClock.now())
  if (!done.ok) return configurationFailure(done.error)
  await completeRestore(store, from)
  const { replaced } = done.value
  return ok({
    lines: [
      `restored ${from} to ${store}`,
      ...(replaced === undefined
        ? []
        : [`the earlier files are in ${replaced}; remove them when everything works`]),
    ],
    data: { store, backup: from, replaced: replaced ?? null },
  })
}
