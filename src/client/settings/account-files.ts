import { err, ok, type Result } from '../../shared/base/result.ts'
import type { MakeProtocol } from '../services/protocols/protocol.ts'
import { secretProblem } from '../services/providers/secret-shape.ts'
import type { AccountConfig } from './read-client.ts'
import { fileKeyOf, formatComplaint, type SettingLayer } from '../../shared/settings/setting.ts'
import { canBeBasic, Secret } from '../../shared/base/secret.ts'
import { isReadableByOthers } from '../../shared/platform/files/folder.ts'
import { readNamedFile } from '../../shared/platform/files/named-file.ts'
import { stat } from '../../shared/platform/files/promises.ts'
import { MAX_BYTES, secretText, textOf } from '../../shared/program/config-file.ts'
import { protocolFor, tsigKeyOf, updatesNameServer } from './protocols.ts'
import { text } from 'node:stream/consumers'

/** Standard input can be read once; accounts with password_file = "-" share its content. */
let stdin: Promise<string> | undefined
export const readStdin = async (): Promise<string> => (stdin ??= text(process.stdin))

/** The settings of an account with the content of its files. */
export interface ClientAccount extends AccountConfig {
  readonly password: Secret
  /** PEM, from `ca_file`. */
  readonly authorities?: string
  /** From `webhook_secret_file`. */
  readonly webhookSecret?: Secret
  /** From `webhook_token_file`. */
  readonly webhookToken?: Secret
  /** From `mail_password_file`. */
  readonly mailPassword?: Secret
  /** Of a service that does not speak `/nic/update`. */
  readonly makeProtocol?: MakeProtocol
}

/** An account whose files were read. Without the key of its webhook it is updated all the same: that is a warning. */
interface ReadAccount {
  readonly account: ClientAccount
  readonly warnings: readonly string[]
}

/** Reads the files of an account; without a password for commands that do not send (`isKeyless`). */
export async function readAccountFiles(
  account: AccountConfig,
  isKeyless: boolean,
): Promise<Result<ReadAccount, readonly string[]>> {
  const [password, apiKey, authorities, protocol, webhookSecret, webhookToken, mailPassword] =
    await Promise.all([
      isKeyless ? ok(new Secret('')) : passwordOf(account),
      isKeyless ? ok(undefined) : keyIn(account, 'apiKeyFile', 'the service refuses updates'),
      isKeyless ? ok(undefined) : authoritiesOf(account),
      protocolFor(account),
      keyIn(account, 'webhookSecretFile', 'the webhook is not signed'),
      keyIn(account, 'webhookTokenFile', 'the webhook gets no token'),
      keyIn(account, 'mailPasswordFile', 'the mail server refuses the messages'),
    ])
  const wrong = [password, apiKey, authorities, protocol].flatMap((one) => (one.ok ? [] : one.error))
  if (!password.ok || !apiKey.ok || !authorities.ok || !protocol.ok) return err(wrong)
  const key = updatesNameServer(account) && !isKeyless ? tsigKeyOf(account, password.value) : undefined
  if (key?.ok === false)
    return err([formatComplaint({ where: account.places['provider'] ?? '', problem: key.error })])
  if (key === undefined && !canBeBasic({ username: account.username, password: password.value }))
    return err([
      `the password of ${account.username} contains a control character; a password file must have exactly one line`,
    ])
  const shape = isKeyless ? undefined : secretProblem(password.value, account.provider)
  if (shape !== undefined) {
    const { password: literal, passwordFile, provider = '' } = account.places
    const where = literal ?? passwordFile ?? provider
    return err([formatComplaint({ where, problem: `the password ${shape}` })])
  }
  return ok({
    account: {
      ...account,
      password: password.value,
      ...(apiKey.value !== undefined && { apiKey: apiKey.value }),
      ...(protocol.value !== undefined && { makeProtocol: protocol.value }),
      ...(authorities.value !== undefined && { authorities: authorities.value }),
      ...(webhookSecret.ok && webhookSecret.value !== undefined && { webhookSecret: webhookSecret.value }),
      ...(webhookToken.ok && webhookToken.value !== undefined && { webhookToken: webhookToken.value }),
      ...(mailPassword.ok && mailPassword.value !== undefined && { mailPassword: mailPassword.value }),
    },
    warnings: [webhookSecret, webhookToken, mailPassword].flatMap((one) => (one.ok ? [] : one.error)),
  })
}

/** The error says why the key cannot be read. A value without slash and dot may be the key itself, which is not shown. */
async function keyIn(
  account: AccountConfig,
  key: 'apiKeyFile' | 'webhookSecretFile' | 'webhookTokenFile' | 'mailPasswordFile',
  consequence: string,
): Promise<Result<Secret | undefined, string>> {
  const [path, where, setting] = [account[key], account.places[key], fileKeyOf(key)]
  const complaint = (problem: string) =>
    err(formatComplaint({ where: where ?? '', problem: `${problem}; ${consequence}` }))
  const read = await textOf(path, { setting, maxBytes: MAX_BYTES.password })
  if (!read.ok)
    return complaint(
      path !== undefined && !/[/.]/.test(path)
        ? `${setting} must name a file with the key, and there is no such file`
        : read.error,
    )
  const text = secretText(read.value ?? '')
  if (path !== undefined && text === '') return complaint(`${setting} ${path} is empty`)
  return ok(text === '' ? undefined : new Secret(text))
}

/** PEM with at least one certificate, all of them valid. */
async function authoritiesOf({ caFile, places }: AccountConfig): Promise<Result<string | undefined, string>> {
  const where = places['caFile']
  const text = await textOf(caFile, { setting: 'ca_file', maxBytes: MAX_BYTES.authorities, where })
  if (!text.ok || text.value === undefined) return text
  const certificates = text.value.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  const complaint = (problem: string) =>
    err(formatComplaint({ where: where ?? '', problem: `ca_file ${caFile}: ${problem}` }))
  if (certificates.length === 0)
    return complaint('there is no certificate in PEM format, which begins with -----BEGIN CERTIFICATE-----')
  return certificates.every(isCertificate) ? text : complaint('a certificate in it is invalid')
}

function isCertificate(pem: string): boolean {
  try {
    // Loads the certificate parser only if it is needed.
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
  // Its requests have none; the settings are checked.
  if (passwordFile === undefined) return ok(new Secret(''))
  const where = places['passwordFile']
  const text = passwordFile === '-' ? ok(await readStdin()) : await passwordText(passwordFile, where)
  if (!text.ok) return text
  const line = secretText(text.value ?? '')
  return line === ''
    ? err(formatComplaint({ where: where ?? '', problem: `password_file ${passwordFile} is empty` }))
    : ok(new Secret(line))
}

/** The password in a file, or on standard input with `-`. The error is a predicate without the path. */
export async function readNamedPassword(
  path: string,
  { mayHaveLines = false }: { readonly mayHaveLines?: boolean } = {},
): Promise<Result<Secret, string>> {
  const text = path === '-' ? ok(await readStdin()) : await readNamedFile(path, MAX_BYTES.password)
  if (!text.ok) return text
  const line = secretText(text.value)
  if (line === '') return err('is empty')
  // What a decoder puts for octets that are no UTF-8; a password with this character itself is not to be expected.
  if (line.includes('\uFFFD')) return err('is not UTF-8; save it in that encoding')
  return /[\0-\x1f\x7f]/.test(mayHaveLines ? line.replaceAll(/[\t\r\n]/g, '') : line)
    ? err('must have exactly one line, without control characters')
    : ok(new Secret(line))
}

/** A value without slash and dot that is not a file may be the password itself, which no complaint may show. */
async function passwordText(
  path: string,
  where: string | undefined,
): Promise<Result<string | undefined, string>> {
  const mayBePassword = !/[/.]/.test(path)
  const found = mayBePassword ? await stat(path).catch(() => undefined) : undefined
  if (mayBePassword && found === undefined)
    return err(
      formatComplaint({
        where: where ?? '',
        problem:
          'password_file must name a file with the password, and there is no such file; ' +
          'to give the password itself, use password',
      }),
    )
  return textOf(path, { setting: 'password_file', maxBytes: MAX_BYTES.password, where })
}

/** Warnings about passwords that other users of this host can see. */
export async function passwordWarnings(
  flags: SettingLayer,
  file: string | undefined,
  accounts: readonly AccountConfig[],
): Promise<readonly string[]> {
  const passwordFiles = [
    ...accounts.flatMap(({ passwordFile, apiKeyFile }) => [passwordFile, apiKeyFile]),
    accounts.some(({ places }) => SECRETS.some(([key]) => places[key]?.includes(file ?? '\0') === true))
      ? file
      : undefined,
  ]
  const readable = await Promise.all(passwordFiles.map(readableByOthers))
  return [
    ...SECRETS.flatMap(([key, noun, flag]) =>
      flags[key] === undefined
        ? []
        : [`${noun} on the command line is visible to every user of this host; use ${flag}`],
    ),
    ...new Set(
      readable.flatMap((path) =>
        path === undefined
          ? []
          : [`${path} contains a password and is readable by other users; run chmod 600 ${path}`],
      ),
    ),
  ]
}

/** Settings that have a secret itself, and the flags to use instead. */
const SECRETS = [
  ['password', 'a password', '--password-file'],
  ['apiKey', 'an API key', '--api-key-file'],
] as const

const readableByOthers = async (path: string | undefined): Promise<string | undefined> =>
  path !== undefined && path !== '-' && (await isReadableByOthers(path)) ? path : undefined
