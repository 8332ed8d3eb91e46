import { err, ok, type Result } from '../../../base/result.ts'
import type { AccountConfig } from '../../../config/read-client.ts'
import { TSIG_ALGORITHMS, type TsigAlgorithm, type TsigKey } from '../../../dns/tsig.ts'
import { Secret } from '../../../net/secret.ts'

/** Of an account for a name server. */
export const updatesNameServer = ({ provider }: Pick<AccountConfig, 'provider'>): boolean =>
  provider === 'rfc2136'

/**
 * The key of an account, whose password is its secret in Base64, or a whole file as `tsig-keygen` (BIND) or `keymgr` (Knot)
 * write one. The error is a sentence without the secret.
 */
export function tsigKeyOf(
  { username, tsigAlgorithm }: Pick<AccountConfig, 'username' | 'tsigAlgorithm'>,
  password: Secret,
): Result<TsigKey, string> {
  const text = password.reveal().trim()
  const isFile = /\bsecret\b/.test(text)
  const found = (pattern: RegExp): string | undefined => (isFile ? pattern.exec(text)?.[1] : undefined)
  const secret = isFile ? found(/\bsecret:?\s+"?([A-Za-z0-9+/=]+)/) : text
  const name = found(/\bkey\s+"?([^"\s{]+)/) ?? found(/\bid:\s*"?([^"\s]+)/) ?? username
  const algorithm = (found(/\balgorithm:?\s+"?([\w-]+)/) ?? tsigAlgorithm).toLowerCase()
  if (keyName(name) !== keyName(username))
    return err(
      `the password file has the key ${name}, and username is ${username}; write username = "${name}"`,
    )
  if (!Object.hasOwn(TSIG_ALGORITHMS, algorithm))
    return err(`the algorithm ${algorithm} is not one of ${Object.keys(TSIG_ALGORITHMS).join(', ')}`)
  if (secret === undefined || !isBase64(secret))
    return err('the password is not the secret of a TSIG key in Base64, nor a file that has one')
  return ok({ name: keyName(name), algorithm: algorithm as TsigAlgorithm, secret: new Secret(secret) })
}

const keyName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const isBase64 = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64').toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
