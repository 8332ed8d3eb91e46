import { stat } from 'node:fs/promises'
import { err, ok, type Result } from '../../base/result.ts'
import type { AccountSettings } from '../../config/client-settings.ts'
import type { AccountConfig } from '../../config/read-client.ts'
import { formatComplaint, type SettingLayer } from '../../config/setting.ts'
import { canBeBasic } from '../../net/basic.ts'
import { Secret } from '../../net/secret.ts'
import { MAX_BYTES, textOf } from '../text-file.ts'

/** The account's settings with the password taken from wherever it is kept. */
export interface ClientAccount extends AccountConfig {
  readonly password: Secret
  /** PEM, where the user named a file of authorities. */
  readonly authorities?: string
}

/** The account with what its files hold. */
export async function withFiles(
  account: AccountConfig,
  isKeyless: boolean,
): Promise<Result<ClientAccount, readonly string[]>> {
  const [password, authorities] = await Promise.all([
    isKeyless ? ok(new Secret('')) : passwordOf(account),
    isKeyless ? ok(undefined) : authoritiesOf(account),
  ])
  const wrong = [password, authorities].flatMap((one) => (one.ok ? [] : [one.error]))
  if (!password.ok || !authorities.ok) return err(wrong)
  if (!canBeBasic({ username: account.username, password: password.value }))
    return err([
      `the password of ${account.username} holds a control character; a password file holds one line`,
    ])
  return ok({
    ...account,
    password: password.value,
    ...(authorities.value !== undefined && { authorities: authorities.value }),
  })
}

/** PEM that holds a certificate at least, and each of them whole. */
async function authoritiesOf({ caFile, places }: AccountConfig): Promise<Result<string | undefined, string>> {
  const where = places['caFile']
  const text = await textOf(caFile, { setting: 'ca_file', maxBytes: MAX_BYTES.authorities, where })
  if (!text.ok || text.value === undefined) return text
  const certificates = text.value.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  const complaint = (says: string) =>
    err(formatComplaint({ where: where ?? '', problem: `ca_file ${caFile}: ${says}` }))
  if (certificates.length === 0)
    return complaint('there is no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----')
  return certificates.every(isCertificate) ? text : complaint('a certificate in it is broken')
}

function isCertificate(pem: string): boolean {
  try {
    // What reads certificates is loaded only for those who name some.
    void new (process.getBuiltinModule('node:crypto').X509Certificate)(pem)
    return true
  } catch {
    return false
  }
}

async function passwordOf({
  password,
  passwordFile,
  places,
}: AccountConfig): Promise<Result<Secret, string>> {
  if (password !== undefined) return ok(password)
  const where = places['passwordFile']
  const text = passwordFile === '-' ? ok(await readStdin()) : await passwordText(passwordFile, where)
  if (!text.ok) return text
  const line = (text.value ?? '').replace(/\r?\n$/, '')
  return line === ''
    ? err(formatComplaint({ where: where ?? '', problem: `password_file ${passwordFile} is empty` }))
    : ok(new Secret(line))
}

/** What has no slash and no dot, and is no file, may be the password itself, and a complaint may not hold that. */
async function passwordText(
  path: string | undefined,
  where: string | undefined,
): Promise<Result<string | undefined, string>> {
  const isPlain = path !== undefined && !/[/.]/.test(path)
  const found = isPlain ? await stat(path).catch(() => undefined) : undefined
  if (isPlain && found === undefined)
    return err(
      formatComplaint({
        where: where ?? '',
        problem:
          'password_file names a file that holds the password, and there is no such file; the password itself is given as password',
      }),
    )
  return textOf(path, { setting: 'password_file', maxBytes: MAX_BYTES.password, where })
}

/** Standard input can be read once; several accounts that ask for it get the same. */
let stdin: Promise<string> | undefined
const readStdin = (): Promise<string> => (stdin ??= readAll())

async function readAll(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

export async function warningsOn(
  flags: SettingLayer,
  file: string | undefined,
  accounts: readonly AccountSettings[],
): Promise<readonly string[]> {
  const holders = [
    ...accounts.map(({ passwordFile }) => passwordFile),
    accounts.some(({ password }) => password) ? file : undefined,
  ]
  const open = await Promise.all(holders.map(isOpenToOthers))
  return [
    ...(flags['password'] === undefined
      ? []
      : ['a password on the command line can be seen by every user of this host; use --password-file']),
    ...new Set(
      open.flatMap((path) =>
        path === undefined ? [] : [`${path} holds a password and can be read by other users; chmod 600 it`],
      ),
    ),
  ]
}

async function isOpenToOthers(path: string | undefined): Promise<string | undefined> {
  if (path === undefined || path === '-') return undefined
  const mode = await stat(path)
    .then((found) => (found.isFile() ? found.mode : 0))
    .catch(() => 0)
  return (mode & 0o004) === 0 ? undefined : path
}
