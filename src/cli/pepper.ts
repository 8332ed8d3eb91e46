import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemFiles } from '../platform/files.ts'
import { PEPPER_BYTES, type Pepper } from '../server/auth/hashes.ts'

/** The key of the keyed hashes, beside the database; made at the first start. Without it no DDNS key can log in. */
export async function pepperIn(folder: string): Promise<Pepper> {
  const path = join(folder, 'hash.key')
  const kept = await systemFiles.read(path)
  if (kept !== undefined) return Buffer.from(kept.trim(), 'hex')
  const made = randomBytes(PEPPER_BYTES)
  await systemFiles.replace(path, `${made.toString('hex')}\n`)
  return made
}
