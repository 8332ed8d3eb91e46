import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { systemEntropy } from '../../../shared/platform/clock/clock.ts'
import { systemFiles } from '../../../shared/platform/files/files.ts'
import { fingerprintOf, PEPPER_BYTES, type Pepper, pepperOf } from '../../auth/hashes.ts'
import { resealTotp } from '../../auth/second-factors.ts'
import { seal, unseal } from '../../auth/sealed.ts'
import type { StoreWrites } from '../../store/store.ts'

/** The file of the pepper of the keyed hashes, in the folder of the store. */
export const HASH_KEY_FILE = 'hash.key'
/** The pepper before the last rotation. */
export const PREVIOUS_HASH_KEY_FILE = 'hash.key.previous'
export const hashKeyPath = (folder: string): string => join(folder, HASH_KEY_FILE)
const previousPath = (folder: string): string => join(folder, PREVIOUS_HASH_KEY_FILE)

const newPepper = (): string => Buffer.from(systemEntropy(PEPPER_BYTES)).toString('hex')

/** Writes a new pepper. */
export async function makeHashKey(folder: string): Promise<void> {
  await systemFiles.replace(hashKeyPath(folder), `${newPepper()}\n`)
}

export const removeHashKey = async (folder: string): Promise<void> => rm(hashKeyPath(folder), { force: true })

/** For a store without a folder: makes the file, if there is none. */
export async function makeHashKeyIn(file: string): Promise<void> {
  if ((await systemFiles.read(file)) === undefined) await systemFiles.replace(file, `${newPepper()}\n`)
}

/** The same, of a file. */
export async function hashKeyIn(file: string): Promise<Result<Pepper, string>> {
  const pepper = await readPepper(file)
  if (!pepper.ok) return pepper
  return pepper.value === undefined ? err(`${file} is missing: copy it from another node`) : ok(pepper.value)
}

/** Reads the pepper. With another one every password is wrong, and clients that obey `badauth` stop for good. */
export async function readHashKey(folder: string): Promise<Result<Pepper, string>> {
  const [current, previous] = [await readPepper(hashKeyPath(folder)), await readPepper(previousPath(folder))]
  if (!current.ok) return current
  if (!previous.ok) return previous
  if (current.value === undefined) return err(`${hashKeyPath(folder)} is missing`)
  return ok({ ...current.value, ...(previous.value !== undefined && { previous: previous.value }) })
}

/** Undefined without the file. */
async function readPepper(path: string): Promise<Result<Pepper | undefined, string>> {
  const text = await systemFiles
    .read(path)
    .then(ok, (error: Error) => err(`${path} cannot be read: ${error.message}`))
  if (!text.ok) return text
  if (text.value === undefined) return ok(undefined)
  return new RegExp(`^[0-9a-f]{${PEPPER_BYTES * 2}}$`).test(text.value.trim())
    ? ok(pepperOf(Buffer.from(text.value.trim(), 'hex')))
    : err(`${path} does not hold ${PEPPER_BYTES} bytes in hex: restore it from your backup`)
}

/**
 * Makes a new pepper and keeps the present one for checks. The files
 * first: a database of the previous key is recognized.
 */
export async function rotateHashKey(folder: string): Promise<void> {
  const present = await systemFiles.read(hashKeyPath(folder))
  if (present === undefined) throw new Error('there is no hash key')
  await systemFiles.replace(previousPath(folder), present)
  await makeHashKey(folder)
}

/**
 * The database takes note of the current pepper; hashes made before are of an earlier number. What is sealed is sealed
 * again: it can be, because it can be read.
 */
export async function recordRotation(
  w: Pick<
    StoreWrites,
    'fact' | 'setFact' | 'allTsigKeys' | 'resealTsigKey' | 'sealedFactors' | 'resealFactor'
  >,
  pepper: Pepper,
): Promise<void> {
  for (const { name, sealed } of await w.allTsigKeys()) {
    const secret = unseal(pepper, sealed, name)
    if (secret !== undefined) await w.resealTsigKey(name, seal(pepper, secret, name))
  }
  for (const factor of await w.sealedFactors()) {
    const content = resealTotp(pepper, factor)
    if (content !== undefined) await w.resealFactor(factor.id, content)
  }
  const number = Number((await w.fact('hash_key_number')) ?? 1)
  await w.setFact('hash_key_number', String(number + 1))
  await w.setFact('hash_key', fingerprintOf(pepper))
}

/** After this, hashes of the previous pepper are never right again. */
export const dropPreviousHashKey = async (folder: string): Promise<void> =>
  rm(previousPath(folder), { force: true })
