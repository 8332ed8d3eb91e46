import { err, ok, type Result } from '../../base/result.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OperationResult } from '../../server/admin/operation.ts'
import type { Failure } from '../failure.ts'
import { backUp, restore, storeProblems } from './backup.ts'
import { findStore, openStore } from './open-store.ts'
import { rotate } from './rotation.ts'

/** An operation of `holdfast admin` on a store as a whole: its folder need not hold one yet. */
export interface StoreOperation {
  readonly parameters: string
  readonly summary: string
  readonly run: (folder: string, args: readonly string[]) => Promise<Result<OperationResult, Failure>>
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
      'copy database and hash key into a new folder in FOLDER, beside a running service, and check the copy; keep the newest N',
    run: backUpStore,
  },
  restore: {
    parameters: 'BACKUP',
    summary:
      'put a backup in the place of the store, while the service is stopped; the present files are moved aside',
    run: restoreStore,
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
  [into, ...rest]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  const [, keep] = /^keep=([1-9]\d{0,3})$/.exec(rest[0] ?? '') ?? []
  if (into === undefined || (rest.length > 0 && keep === undefined))
    return usage('name the folder for backups: holdfast admin backup FOLDER [keep=N]')
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
