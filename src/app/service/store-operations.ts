import { err, ok, type Result } from '../../base/result.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OperationResult } from '../../server/admin/operation.ts'
import type { Store } from '../../server/store/store.ts'
import type { Failure } from '../failure.ts'
import { backUp, storeProblems } from './backup.ts'
import { findStore, openStore } from './open-store.ts'
import { operatorChange } from './operator-changes.ts'
import { restore } from './restore.ts'
import { rotate } from './rotation.ts'
import { removeAccount } from './account-removal.ts'
import { exportZone, ImportRefused, importZone, readZone } from './zone-files.ts'

/** An operation of `holdfast admin` on a store as a whole: its folder need not hold one yet. */
export interface StoreOperation {
  readonly parameters: string
  readonly summary: string
  readonly run: (
    folder: string,
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
      'copy database and hash key into a new folder in FOLDER, while the service may run, and check the copy; keep the newest N',
    run: backUpStore,
  },
  restore: {
    parameters: 'BACKUP',
    summary:
      'put a backup in the place of the store, while the service is stopped; the present files are moved aside',
    run: restoreStore,
  },
  'account remove': {
    parameters: 'NAME export=FILE|none',
    summary: 'write the data of an account into a file, then remove it with its zones, names and keys',
    run: async (folder, args, nameservers) =>
      withStore(folder, async (store) => asUsage(await removeAccount(store, nameservers, args))),
  },
  'zone export': {
    parameters: 'NAME',
    summary: 'print a zone as a master file (RFC 1035)',
    run: async (folder, [name = ''], nameservers) =>
      withStore(folder, async (store) =>
        asUsage(await store.read(async (r) => exportZone(r, name, nameservers))),
      ),
  },
  'zone import': {
    parameters: 'NAME FILE',
    summary: 'read a master file into a zone that has no names yet; all of it or nothing',
    run: importInto,
  },
  'rotate-hash-key': {
    parameters: '[drop-old] [confirm=N]',
    summary: 'make a new hash key while the service is stopped; drop-old ends the use of the one before',
    run: rotate,
  },
  check: {
    parameters: '',
    summary: 'check the database and its hash key',
    run: async (folder) => {
      const problems = await storeProblems(folder)
      return problems.length === 0
        ? ok({ lines: [`the store in ${folder} is whole`], data: { store: folder, problems } })
        : err({ exit: 'configuration', messages: problems })
    },
  },
}

/** Opens the store for one operation. */
async function withStore(
  folder: string,
  work: (store: Store) => Promise<Result<OperationResult, Failure>>,
): Promise<Result<OperationResult, Failure>> {
  const opened = await openStore(folder)
  if (!opened.ok) return opened
  const { store } = opened.value
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function importInto(
  folder: string,
  [name = '', path = '']: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  return withStore(folder, async (store) => {
    try {
      const read = await readZone(name, path)
      return ok(await store.write(async (w) => importZone(w, name, read)))
    } catch (error) {
      if (error instanceof ImportRefused) return err({ exit: 'usage', messages: error.messages })
      throw error
    }
  })
}

/**
 * After a restore. Name servers have newer serials than the backup, and would not fetch what is older. A store of an older version is
 * left as it is: the service upgrades it first, and its serials then begin with the time.
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
  result.ok ? result : usage(result.error)

async function initStore(folder: string): Promise<Result<OperationResult, Failure>> {
  if (findStore(folder).kind === 'whole')
    return refusal(`there is a store in ${folder} already; it is unchanged`)
  const made = await openStore(folder, { mayMake: true })
  if (!made.ok) return made
  await made.value.store.close()
  return ok({
    lines: [
      `made a store in ${folder}`,
      'next: holdfast admin plan add basic, holdfast admin account add NAME basic',
    ],
    data: { store: folder },
  })
}

async function backUpStore(
  store: string,
  [into, kept]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  if (into === undefined) return usage('name the folder for backups: holdfast admin backup FOLDER [keep=N]')
  const [, keep] = /^keep=([1-9]\d{0,3})$/.exec(kept ?? '') ?? []
  if (kept !== undefined && keep === undefined)
    return usage(`${kept} is not keep=N with a number from 1 to 9999`)
  const made = await backUp(store, into, {
    now: systemClock.now(),
    keep: keep === undefined ? undefined : Number(keep),
  })
  if (!made.ok) return refusal(made.error)
  const { folder, size, removed } = made.value
  const older = removed.length === 0 ? [] : [`removed ${removed.length} older`]
  return ok({
    lines: [`backup in ${folder}, ${Math.ceil(size / 1024)} KiB, checked`, ...older],
    data: { backup: folder, size, removed },
  })
}

async function restoreStore(
  store: string,
  [from]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  if (from === undefined) return usage('name the backup: holdfast admin restore BACKUP')
  const done = await restore(store, from, systemClock.now())
  if (!done.ok) return refusal(done.error)
  await completeRestore(store, from)
  const { replaced } = done.value
  return ok({
    lines: [
      `restored ${from} to ${store}`,
      ...(replaced === undefined
        ? []
        : [`the files before are in ${replaced}; remove them when all is well`]),
    ],
    data: { store, backup: from, replaced: replaced ?? null },
  })
}

const refusal = (message: string): Result<never, Failure> =>
  err({ exit: 'configuration', messages: [message] })
const usage = (message: string): Result<never, Failure> => err({ exit: 'usage', messages: [message] })
