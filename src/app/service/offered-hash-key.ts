import { rename, rm } from 'node:fs/promises'
import { ok, type Result } from '../../base/result.ts'
import { formatInstant, type Instant } from '../../base/time.ts'
import { systemFiles } from '../../platform/files.ts'
import { fingerprintOf, type Pepper } from '../../server/auth/hashes.ts'
import { hashKeyIn } from './hash-key.ts'

/**
 * A database and a file cannot change in one step. So a restore first writes the other hash key beside the present one, then commits the
 * rows, with its fingerprint, and then puts it in its place. Wherever that ends, the fingerprint tells which of both is the key.
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

/** The key before is kept beside the new one. */
export async function takeOfferedHashKey(file: string, now: Instant): Promise<void> {
  const present = await systemFiles.read(file)
  if (present !== undefined)
    await systemFiles.replace(`${file}.replaced-${formatInstant(now).replaceAll(':', '')}`, present)
  await rename(offered(file), file)
}

/** The key of this fingerprint: that of the file, or the one of a restore that did not come to its end. */
export async function hashKeyOf(
  file: string,
  fingerprint: string | undefined,
  now: Instant,
): Promise<Result<Pepper, string>> {
  const key = await hashKeyIn(file)
  if (fingerprint === undefined || (key.ok && fingerprintOf(key.value) === fingerprint)) return key
  const other = await hashKeyIn(offered(file))
  if (!other.ok || fingerprintOf(other.value) !== fingerprint) return key
  // Who may only read it uses it where it is.
  await takeOfferedHashKey(file, now).catch(() => undefined)
  return ok(other.value)
}
