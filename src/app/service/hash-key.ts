import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'
import { systemFiles } from '../../platform/files.ts'
import { PEPPER_BYTES, type Pepper, pepperOf } from '../../server/auth/hashes.ts'

/** The file of the pepper of the keyed hashes, in the folder of the store. */
export const HASH_KEY_FILE = 'hash.key'
export const hashKeyPath = (folder: string): string => join(folder, HASH_KEY_FILE)

/** Writes a new pepper. */
export async function makeHashKey(folder: string): Promise<void> {
  await systemFiles.replace(hashKeyPath(folder), `${randomBytes(PEPPER_BYTES).toString('hex')}\n`)
}

/** Reads the pepper. With another one every password is wrong, and clients that obey `badauth` stop for good. */
export async function readHashKey(folder: string): Promise<Result<Pepper, string>> {
  const path = hashKeyPath(folder)
  const text = await systemFiles.read(path).then(
    (read) => ok(read ?? ''),
    (error: Error) => err(`${path} cannot be read: ${error.message}`),
  )
  if (!text.ok) return text
  return new RegExp(`^[0-9a-f]{${PEPPER_BYTES * 2}}$`).test(text.value.trim())
    ? ok(pepperOf(Buffer.from(text.value.trim(), 'hex')))
    : err(`${path} does not hold ${PEPPER_BYTES} bytes in hex: restore it from your backup`)
}
