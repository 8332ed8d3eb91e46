import { readFileSync, statSync } from 'node:fs'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { KEY_NAME, TSIG_ALGORITHMS, type TsigAlgorithm, type TsigKey } from '../../../shared/dns/tsig.ts'
import { Secret } from '../../../shared/base/secret.ts'
import { isOpenToOthers } from '../../../shared/platform/files/folder.ts'

/** In octets: a shorter secret can be guessed (RFC 8945 §8). */
const MIN_SECRET = 16

/** The keys of a file with one key per line: NAME ALGORITHM BASE64. Complaints name the line, and never a secret. */
export function readTsigKeys(path: string): Result<readonly TsigKey[], string> {
  let text: string
  try {
    const mode = statSync(path).mode & 0o777
    if (isOpenToOthers(mode))
      return err(
        `${path} is open to other users of this host (mode ${mode.toString(8)}): run chmod 600 ${path}`,
      )
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return err(`${path} cannot be read: ${(error as Error).message}`)
  }
  const keys: TsigKey[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const key = keyIn(line.trim())
    if (!key.ok) return err(`${path}: line ${at + 1}: ${key.error}`)
    if (keys.some(({ name }) => name === key.value.name))
      return err(`${path}: line ${at + 1}: there is a key ${key.value.name} already`)
    keys.push(key.value)
  }
  return ok(keys)
}

function keyIn(line: string): Result<TsigKey, string> {
  const [name = '', algorithm = '', secret = '', ...rest] = line.split(/\s+/)
  const keyName = name.toLowerCase().replace(/\.$/, '')
  const octets = Buffer.from(secret, 'base64')
  if (rest.length > 0 || secret === '' || !KEY_NAME.test(keyName))
    return err('write NAME ALGORITHM BASE64, such as: ns1-key hmac-sha256 and the secret in Base64')
  if (!Object.hasOwn(TSIG_ALGORITHMS, algorithm.toLowerCase()))
    return err(`the algorithm is not one of ${Object.keys(TSIG_ALGORITHMS).join(', ')}`)
  if (
    octets.toString('base64').replace(/=+$/, '') !== secret.replace(/=+$/, '') ||
    octets.length < MIN_SECRET
  )
    return err(
      `the secret is not Base64 of at least ${MIN_SECRET} octets; make one with: openssl rand -base64 32`,
    )
  return ok({
    name: keyName,
    algorithm: algorithm.toLowerCase() as TsigAlgorithm,
    secret: new Secret(secret),
  })
}
