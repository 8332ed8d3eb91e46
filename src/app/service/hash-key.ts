import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'
import { systemFiles } from '../../platform/files.ts'
import { PEPPER_BYTES, type Pepper, pepperOf } from '../../server/auth/hashes.ts'

/**
 * Reads the pepper of the password hashes from the store's folder; the first start creates it. A store that already has
 * keys refuses a missing pepper: with a new one every password is wrong, and clients that obey `badauth` stop for good.
 */
export async function openHashKey(folder: string, hasKeys: boolean): Promise<Result<Pepper, string>> {
  const path = join(folder, 'hash.key')
  try {
    const text = await systemFiles.read(path)
    if (text !== undefined) return parsePepper(text.trim(), path)
  } catch (error) {
    return err(`${path} cannot be read: ${(error as Error).message}`)
  }
  if (hasKeys)
    return err(`${path} is missing; without it no key of this store can log in: restore it from your backup`)
  const bytes = randomBytes(PEPPER_BYTES)
  await systemFiles.replace(path, `${bytes.toString('hex')}\n`)
  return ok(pepperOf(bytes))
}

function parsePepper(text: string, path: string): Result<Pepper, string> {
  return new RegExp(`^[0-9a-f]{${PEPPER_BYTES * 2}}$`).test(text)
    ? ok(pepperOf(Buffer.from(text, 'hex')))
    : err(`${path} does not hold ${PEPPER_BYTES} bytes in hex: restore it from your backup`)
}
