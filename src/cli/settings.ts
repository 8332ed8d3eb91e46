import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Result, err, ok } from '../base/result.ts'
import type * as documents from '../config/document.ts'
import { ACCOUNT_SETTINGS, type AccountSettings, CLIENT_SETTINGS } from '../config/client-settings.ts'
import { type AccountConfig, type ClientConfig, type Needs, readClientConfig } from '../config/read-client.ts'
import type { ParsedFile } from '../config/client-file.ts'
import { type Complaint, formatComplaint, fromEnvironment, fromFlags } from '../config/setting.ts'
import { canBeBasic } from '../net/basic.ts'
import { Secret } from '../net/secret.ts'
import { systemFiles } from '../platform/files.ts'
import { systemPaths } from '../platform/paths.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { passwordFiles } from './password.ts'

const TABLE = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }

/** The account's settings with the password taken from wherever it is kept. */
export interface Account extends AccountConfig {
  readonly password: Secret
  /** PEM, where the user named a file of authorities. */
  readonly authorities?: string
}

export interface Settings {
  readonly config: Omit<ClientConfig, 'accounts'>
  readonly accounts: readonly Account[]
  readonly stateDir: string
  readonly runtimeDir: string
  /** What is not wrong, but not wise either. */
  readonly warnings: readonly string[]
}

export interface Failure {
  readonly exit: Exit
  readonly says: readonly string[]
}

export const isRoot = (): boolean => process.getuid?.() === 0
export const paths = (): ReturnType<typeof systemPaths> => systemPaths(process.env, isRoot())

/**
 * Flags over environment over file, with the files that they name. Everything that is wrong, at once. Who only asks how
 * things stand needs no key, and often has none: the daemon's comes from its supervisor.
 */
export async function readSettings(
  flags: Flags,
  needs: Needs = 'everything',
): Promise<Result<Settings, Failure>> {
  const file = await configFile(flags, ['holdfast.toml', 'holdfast.json'], process.env['HOLDFAST_CONFIG'])
  if (!file.ok) return file
  const config = readClientConfig({
    flags: fromFlags(TABLE, flags),
    environment: fromEnvironment(TABLE, process.env),
    needs,
    passwordFileFor: await passwordFiles({
      credentials: process.env['CREDENTIALS_DIRECTORY'],
      isRoot: isRoot(),
    }),
    chosen: [flags['account'] ?? []].flat().map(String),
    ...(file.value !== undefined && { file: file.value }),
  })
  if (!config.ok) return err({ exit: exitFor(config.error), says: config.error.map(formatComplaint) })
  const { accounts, ...client } = config.value
  const read = await Promise.all(accounts.map(async (account) => withFiles(account, needs !== 'everything')))
  const wrong = read.flatMap((one) => (one.ok ? [] : one.error))
  if (wrong.length > 0) return err({ exit: 'configuration', says: wrong })
  const stateDir = client.stateDir ?? (await paths().state())
  return ok({
    config: client,
    accounts: read.flatMap((one) => (one.ok ? [one.value] : [])),
    stateDir,
    runtimeDir: client.runtimeDir ?? paths().runtime ?? stateDir,
    warnings: await warningsOn(flags, file.value?.name, accounts),
  })
}

/** A slip on the command line is told apart from a wrong configuration. */
const exitFor = (complaints: readonly Complaint[]): Exit =>
  complaints.every(({ where }) => where.startsWith('--')) ? 'usage' : 'configuration'

/** A flag that is given once, as text. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** The file that was named, or else the one in its usual place, if there is one. */
export async function configFile(
  flags: Flags,
  usual: readonly string[],
  fromEnvironmentVariable: string | undefined,
): Promise<Result<ParsedFile | undefined, Failure>> {
  if (Array.isArray(flags['config']))
    return err({ exit: 'usage', says: ['--config is given twice; keep one'] })
  const named = textFlag(flags, 'config') ?? fromEnvironmentVariable
  const folder = named === undefined && usual.length > 0 ? await paths().config() : ''
  const candidates = named === undefined ? usual.map((name) => join(folder, name)) : [named]
  for (const path of candidates) {
    const text = await textOf(path, 'config')
    if (text.ok && text.value !== undefined)
      return ok({ name: path, document: parse(await import('../config/document.ts'), text.value, path) })
    if (!text.ok && (named !== undefined || !text.error.endsWith(MISSING)))
      return err({ exit: 'configuration', says: [text.error] })
  }
  return ok(undefined)
}

const parse = ({ parseDocument }: typeof documents, text: string, path: string): ParsedFile['document'] =>
  parseDocument(text, path)

async function withFiles(
  account: AccountConfig,
  isKeyless: boolean,
): Promise<Result<Account, readonly string[]>> {
  const [password, authorities] = await Promise.all([
    isKeyless ? ok(new Secret('')) : passwordOf(account),
    textOf(account.caFile, 'ca_file'),
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

async function passwordOf({ password, passwordFile }: AccountSettings): Promise<Result<Secret, string>> {
  if (password !== undefined) return ok(password)
  const text = passwordFile === '-' ? ok(await readStdin()) : await textOf(passwordFile, 'password_file')
  if (!text.ok) return text
  const line = (text.value ?? '').replace(/\r?\n$/, '')
  return line === '' ? err(`password_file ${passwordFile} is empty`) : ok(new Secret(line))
}

const MISSING = 'there is no such file'

async function textOf(
  path: string | undefined,
  setting: string,
): Promise<Result<string | undefined, string>> {
  if (path === undefined) return ok(undefined)
  try {
    const text = await systemFiles.read(path)
    return text === undefined ? err(`${setting} ${path}: ${MISSING}`) : ok(text)
  } catch (error) {
    return err(`${setting} ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** Standard input can be read once; several accounts that ask for it get the same. */
let stdin: Promise<string> | undefined
const readStdin = (): Promise<string> => (stdin ??= readAll())

async function readAll(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

async function warningsOn(
  flags: Flags,
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
