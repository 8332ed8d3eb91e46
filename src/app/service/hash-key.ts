import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'
import { systemFiles } from '../../platform/files.ts'
import { PEPPER_BYTES, type Pepper, pepperOf } from '../../server/auth/hashes.ts'

/**
 * The key of the keyed hashes, beside the database; made at the first start. A new one beside old hashes would turn
 * every right password into a wrong one, and obedient clients would stop for good: so a lost key is refused.
 */
export async function openHashKey(folder: string, hasKeys: boolean): Promise<Result<Pepper, string>> {
  const path = join(folder, 'hash.key')
  try {
    const kept = await systemFiles.read(path)
    if (kept !== undefined) return parsePepper(kept.trim(), path)
  } catch (error) {
    return err(`${path} cannot be read: ${(error as Error).message}`)
  }
  if (hasKeys)
    return err(
      `${path} is missing; without it no key of the store beside it can log in: bring it back from your backup`,
    )
  const made = randomBytes(PEPPER_BYTES)
  await systemFiles.replace(path, `${made.toString('hex')}\n`)
  return ok(pepperOf(made))
}

function parsePepper(text: string, path: string): Result<Pepper, string> {
  return new RegExp(`^[0-9a-f]{${PEPPER_BYTES * 2}}$`).test(text)
    ? ok(pepperOf(Buffer.from(text, 'hex')))
    : err(`${path} does not hold ${PEPPER_BYTES} bytes in hex: bring it back from your backup`)
}
