import { err, ok, type Result } from '../../shared/base/result.ts'
import type { AccountConfig } from './read-client.ts'
import { KEY_NAME, TSIG_ALGORITHMS, type TsigAlgorithm, type TsigKey } from '../../shared/dns/tsig.ts'
import { tsigKeysIn } from '../../shared/dns/tsig-key-file.ts'
import { Secret } from '../../shared/base/secret.ts'

/** Of an account for a name server. */
export const updatesNameServer = ({ provider }: Pick<AccountConfig, 'provider'>): boolean =>
  provider === 'rfc2136'

/**
 * The key of an account, whose password is its secret in Base64, or a whole file as `tsig-keygen` (BIND) or `keymgr` (Knot)
 * write one. The error is a sentence without the secret.
 */
export function tsigKeyOf(
  {
    username,
    tsigAlgorithm = 'hmac-sha256',
  }: Pick<AccountConfig, 'username'> & Partial<Pick<AccountConfig, 'tsigAlgorithm'>>,
  password: Secret,
): Result<TsigKey, string> {
  const text = password.reveal().trim()
  const keys = tsigKeysIn(text)
  const own = keys.find(({ name }) => keyName(name) === keyName(username))
  if (own === undefined && keys.length > 0)
    return err(
      `the password file has the key ${keys.map(({ name }) => name).join(', ')}, and username is ${username}; ` +
        'write the name of a key in it',
    )
  const { secret, algorithm } = own ?? { secret: text, algorithm: undefined }
  const known = (algorithm ?? tsigAlgorithm).toLowerCase().replace(/\.$/, '')
  const name = keyName(username)
  if (!KEY_NAME.test(name) || name.length > 253)
    return err(`username ${username} is not the name of a TSIG key, such as home-key`)
  if (!Object.hasOwn(TSIG_ALGORITHMS, known))
    return err(`the algorithm ${known} is not one of ${Object.keys(TSIG_ALGORITHMS).join(', ')}`)
  if (secret === undefined || !isBase64(secret))
    return err('the password is not the secret of a TSIG key in Base64, nor a file that has one')
  return ok({ name, algorithm: known as TsigAlgorithm, secret: new Secret(secret) })
}

const keyName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const isBase64 = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64').toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
