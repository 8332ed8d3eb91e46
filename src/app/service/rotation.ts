import { err, ok, type Result } from '../../base/result.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OperationResult } from '../../server/admin/operation.ts'
import type { OverviewRow } from '../../server/store/overview.ts'
import { isDatabaseInUse } from '../../server/store/sqlite-files.ts'
import type { Failure } from '../failure.ts'
import { dropPreviousHashKey, rotateHashKey } from './hash-key.ts'
import { openStore } from './open-store.ts'

/** `holdfast admin rotate-hash-key [drop-old] [confirm=N]`. A running service has read the hash key, so it must be stopped. */
export async function rotate(
  folder: string,
  [step, confirm]: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  if (step !== undefined && step !== 'drop-old')
    return usage('holdfast admin rotate-hash-key, or rotate-hash-key drop-old [confirm=N]')
  const old = await oldHashes(folder)
  if (!old.ok) return old
  if (isDatabaseInUse(folder)) return refusal('a process has the store open; stop the service first')
  return step === undefined ? makeNew(folder, old.value) : dropOld(folder, old.value, confirm)
}

interface OldHashes {
  /** Usernames of DDNS keys, and numbers of API keys, that have not logged in since the last rotation. */
  readonly lines: readonly string[]
  readonly hasPrevious: boolean
}

async function oldHashes(folder: string): Promise<Result<OldHashes, Failure>> {
  const opened = await openStore(folder)
  if (!opened.ok) return opened
  const { store, pepper } = opened.value
  try {
    return await store.read(async (r) => {
      const number = Number((await r.fact('hash_key_number')) ?? 1)
      const query = { filter: {}, now: systemClock.now() }
      const isOld = (row: OverviewRow): boolean => Number(row['hash_key']) < number
      const keys = (await r.overview('keys', query)).filter(isOld)
      const apiKeys = (await r.overview('apiKeys', query)).filter(isOld)
      const lines = [
        ...keys.map(({ username, account }) => `DDNS key ${String(username)} of ${String(account)}`),
        ...apiKeys.map(({ id, account }) => `API key ${String(id)} of ${String(account)}`),
      ]
      return ok({ lines, hasPrevious: pepper.previous !== undefined })
    })
  } finally {
    await store.close()
  }
}

async function makeNew(
  folder: string,
  { lines, hasPrevious }: OldHashes,
): Promise<Result<OperationResult, Failure>> {
  if (hasPrevious && lines.length > 0)
    return refusal(
      `${lines.length} keys have not logged in since the last rotation; drop them first with holdfast admin rotate-hash-key drop-old`,
    )
  await rotateHashKey(folder)
  // Opening the store records the rotation.
  const opened = await openStore(folder)
  if (!opened.ok) return opened
  await opened.value.store.close()
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
  { lines, hasPrevious }: OldHashes,
  confirm: string | undefined,
): Promise<Result<OperationResult, Failure>> {
  if (!hasPrevious) return refusal('there is no previous hash key')
  if (lines.length > 0 && confirm !== `confirm=${lines.length}`)
    return refusal(
      `these ${lines.length} keys have not logged in since the rotation and could never log in again; to drop them, add confirm=${lines.length}:\n  ${lines.join('\n  ')}`,
    )
  await dropPreviousHashKey(folder)
  return ok({
    lines: [`dropped the previous hash key; ${lines.length} keys are lost`],
    data: { lost: lines },
  })
}

const refusal = (message: string): Result<never, Failure> =>
  err({ exit: 'configuration', messages: [message] })
const usage = (message: string): Result<never, Failure> =>
  err({ exit: 'usage', messages: [`usage: ${message}`] })
