import { ok, type Result } from '../../shared/base/result.ts'
import { systemClock } from '../../shared/platform/clock/clock.ts'
import type { OperationResult } from './operation.ts'
import { fingerprintOf, type Pepper } from '../auth/hashes.ts'
import type { OverviewRow } from '../store/overview.ts'
import { exclusively, type HeldStore } from '../store/sqlite/files.ts'
import { configurationFailure, type Failure, usageFailure } from '../../shared/program/exit-codes.ts'
import { dropPreviousHashKey, readHashKey, recordRotation, rotateHashKey } from './store/hash-key.ts'
import { openStore } from './store/open-store.ts'
import { operatorChange } from './operator-changes.ts'
import { STOP_ADVICE } from './stop-advice.ts'

/**
 * `holdfast admin rotate-hash-key [drop-old] [confirm=N]`. A running service has read the hash key, so it must be stopped.
 * The database is held from the first check to the end: nothing else can read the old key or make another one meanwhile.
 */
export async function rotate(
  folder: string,
  args: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  const [step, confirm] = args
  if (step !== undefined && step !== 'drop-old')
    return usageFailure('usage: holdfast admin rotate-hash-key, or rotate-hash-key drop-old [confirm=N]')
  // Refuses what is no whole store, and completes a rotation that was interrupted.
  const opened = await openStore(folder)
  if (!opened.ok) return opened
  await opened.value.store.close()
  const outcome = await exclusively(folder, async (held) => {
    const keys = await keysOf(folder, held)
    if (!keys.ok) return keys
    const done = await (step === undefined
      ? makeNew({ folder, held }, keys.value)
      : dropOld(folder, keys.value, confirm))
    if (done.ok) await held.addOperatorChange(operatorChange('rotate-hash-key', args, systemClock.now()))
    return done
  })
  return outcome ?? configurationFailure(`a process has the store open; ${STOP_ADVICE}`)
}

interface Keys {
  readonly pepper: Pepper
  /** Usernames of DDNS keys, and numbers of API keys, that have not logged in since the last rotation. */
  readonly old: readonly string[]
}

/** The hash key as it is now, and the keys whose hashes are of the one before. */
async function keysOf(folder: string, held: HeldStore): Promise<Result<Keys, Failure>> {
  const pepper = await readHashKey(folder)
  if (!pepper.ok) return configurationFailure(pepper.error)
  if ((await held.fact('hash_key')) !== fingerprintOf(pepper.value))
    return configurationFailure(
      'another process has changed the hash key meanwhile; nothing was done; try again',
    )
  const number = Number((await held.fact('hash_key_number')) ?? 1)
  const query = { filter: {}, now: systemClock.now() }
  const isOld = (row: OverviewRow): boolean => Number(row['hash_key']) < number
  const ddnsKeys = (await held.overview('keys', query)).filter(isOld)
  const apiKeys = (await held.overview('apiKeys', query)).filter(isOld)
  const old = [
    ...ddnsKeys.map(({ username, account }) => `DDNS key ${String(username)} of ${String(account)}`),
    ...apiKeys.map(({ id, account }) => `API key ${String(id)} of ${String(account)}`),
  ]
  return ok({ pepper: pepper.value, old })
}

async function makeNew(
  { folder, held }: { readonly folder: string; readonly held: HeldStore },
  { pepper, old }: Keys,
): Promise<Result<OperationResult, Failure>> {
  if (pepper.previous !== undefined && old.length > 0)
    return configurationFailure(
      `${old.length} keys have not logged in since the last rotation; ` +
        'drop them first with holdfast admin rotate-hash-key drop-old',
    )
  await rotateHashKey(folder)
  const made = await readHashKey(folder)
  if (!made.ok) return configurationFailure(made.error)
  await recordRotation(held, made.value)
  return ok({
    lines: [
      'made a new hash key; each key gets a new hash at its next login',
      'later: holdfast admin rotate-hash-key drop-old lists the keys that have not logged in',
    ],
    data: { rotated: true },
  })
}

async function dropOld(
  folder: string,
  { pepper, old }: Keys,
  confirm: string | undefined,
): Promise<Result<OperationResult, Failure>> {
  if (pepper.previous === undefined) return configurationFailure('there is no previous hash key')
  if (old.length > 0 && confirm !== `confirm=${old.length}`)
    return configurationFailure(
      `these ${old.length} keys have not logged in since the rotation and could never log in again; ` +
        `to drop them, add confirm=${old.length}:\n  ${old.join('\n  ')}`,
    )
  await dropPreviousHashKey(folder)
  return ok({
    lines: [`dropped the previous hash key; ${old.length} keys are lost`],
    data: { lost: old },
  })
}
