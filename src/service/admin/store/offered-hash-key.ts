import { rename, rm } from 'node:fs/promises'
import { ok, type Result } from '../../../shared/base/result.ts'
import { formatInstant, type Instant } from '../../../shared/base/time.ts'
import { systemFiles } from '../../../shared/platform/files/files.ts'
import { fingerprintOf, type Pepper } from '../../auth/hashes.ts'
import { hashKeyIn } from './hash-key.ts'

/**
 * A database and a file cannot change in one step. So a restore first writes the new hash key next to the present one,
 * then commits the rows with its fingerprint, and then renames it. If this is interrupted, the fingerprint says which
 * of the two is valid.
 */
const offered = (file: string): string => `${file}.incoming`

/** Resolves with whether the key differs from that of the file. */
export async function offerHashKey(file: string, key: string): Promise<boolean> {
  const present = await systemFiles.read(file)
  if (present?.trim() === key.trim()) {
    await rm(offered(file), { force: true })
    return false
  }
  await systemFiles.replace(offered(file), key)
  return true
}

/** Keeps the previous key in a file next to the new one. */
export async function takeOfferedHashKey(file: string, now: Instant): Promise<void> {
  const present = await systemFiles.read(file)
  if (present !== undefined)
    await systemFiles.replace(`${file}.replaced-${formatInstant(now).replaceAll(':', '')}`, present)
  await rename(offered(file), file)
}

/** The key with this fingerprint: that of the file, or that of an interrupted restore. */
export async function hashKeyOf(
  file: string,
  fingerprint: string | undefined,
  now: Instant,
): Promise<Result<Pepper, string>> {
  const key = await hashKeyIn(file)
  if (fingerprint === undefined || (key.ok && fingerprintOf(key.value) === fingerprint)) return key
  const other = await hashKeyIn(offered(file))
  if (!other.ok || fingerprintOf(other.value) !== fingerprint) return key
  // A process that may only read uses it where it is.
  await takeOfferedHashKey(file, now).catch(() => undefined)
  return ok(other.value)
}
