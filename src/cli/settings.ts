import { join } from 'node:path'
import { type Result, err, ok } from '../base/result.ts'
import type * as documents from '../config/document.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../config/client-settings.ts'
import { type ClientConfig, type Needs, readClientConfig } from '../config/read-client.ts'
import type { ParsedFile } from '../config/client-file.ts'
import { type Complaint, formatComplaint, fromEnvironment, fromFlags } from '../config/setting.ts'
import { MISSING } from '../platform/named-file.ts'
import { systemPaths } from '../platform/paths.ts'
import { proxyFor } from '../platform/proxy.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { type Account, LONGEST, textOf, warningsOn, withFiles } from './account-files.ts'
import { atHome, withHome } from './home.ts'
import { SYSTEM, closedToUs, notTaken, systemFile } from './system-config.ts'
import { strangeVariables } from './variables.ts'
import { passwordFiles } from './password.ts'

const TABLE = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }

export type { Account }

export interface Settings {
  readonly config: Omit<ClientConfig, 'accounts'>
  readonly accounts: readonly Account[]
  readonly stateDir: string
  readonly runtimeDir: string
  /** What is not wrong, but not wise either. */
  readonly warnings: readonly string[]
  /** Those of the warnings that a check does not let pass: what may come later, and what may be meant for others. */
  readonly doubts: readonly string[]
}

export interface Failure {
  readonly exit: Exit
  readonly says: readonly string[]
}

export const isRoot = (): boolean => process.getuid?.() === 0
export const paths = (): ReturnType<typeof systemPaths> => systemPaths(process.env, isRoot())

const USUAL = ['holdfast.toml', 'holdfast.json'] as const

/**
 * Flags over environment over file, with the files that they name. Everything that is wrong, at once. Who only asks how
 * things stand needs no key, and often has none: the daemon's comes from its supervisor.
 */
export async function readSettings(
  flags: Flags,
  needs: Needs = 'everything',
): Promise<Result<Settings, Failure>> {
  const found = await fileFor(flags, needs)
  if (!found.ok) return found
  const { file, system } = found.value
  const strangers = needs === 'everything' ? await strangeVariables(process.env) : []
  const config = await configOf(flags, needs, file)
  const meant = strangers.filter(({ isMeant }) => isMeant).map(({ says }) => says)
  if (!config.ok) {
    const remarks = system === undefined ? [] : [system]
    return err({ ...config.error, says: [...config.error.says, ...meant, ...remarks] })
  }
  const host = needs === 'everything' ? await onThisHost(config.value) : NOTHING
  const { accounts, ...client } = config.value
  const read = await Promise.all(accounts.map(async (account) => withFiles(account, needs !== 'everything')))
  const proxies = needs === 'everything' ? proxyFlaws(accounts) : []
  const wrong = [...meant, ...proxies, ...host.flaws, ...read.flatMap((one) => (one.ok ? [] : one.error))]
  if (wrong.length > 0) return err({ exit: 'configuration', says: wrong })
  const folders = await foldersOf(client, found.value.isBorrowed)
  if (!folders.ok) return folders
  const doubts = [
    ...unusedCommand(client),
    ...strangers.filter(({ isMeant }) => !isMeant).map(({ says }) => says),
    ...host.absent,
  ]
  return ok({
    config: client,
    accounts: read.flatMap((one) => (one.ok ? [one.value] : [])),
    ...folders.value,
    warnings: [...(await warningsOn(flags, file?.name, accounts)), ...doubts],
    doubts,
  })
}

/** The settings with "~" in their paths put right. */
async function configOf(
  flags: Flags,
  needs: Needs,
  file: ParsedFile | undefined,
): Promise<Result<ClientConfig, Failure>> {
  const config = readClientConfig({
    flags: fromFlags(TABLE, flags),
    environment: fromEnvironment(TABLE, process.env),
    needs,
    passwordFileFor: await passwordFiles({
      credentials: process.env['CREDENTIALS_DIRECTORY'],
      isRoot: isRoot(),
    }),
    chosen: [flags['account'] ?? []].flat().map(String),
    lookedFor: join(await paths().config(), USUAL[0]),
    ...(file !== undefined && { file }),
  })
  if (!config.ok) return err({ exit: exitFor(config.error), says: config.error.map(formatComplaint) })
  const whole = withHome(config.value)
  return whole.ok ? whole : err({ exit: 'configuration', says: whole.error })
}

async function foldersOf(
  { stateDir, runtimeDir }: Omit<ClientConfig, 'accounts'>,
  isBorrowed: boolean,
): Promise<Result<Pick<Settings, 'stateDir' | 'runtimeDir'>, Failure>> {
  const closed = isBorrowed ? await closedToUs() : undefined
  if (closed !== undefined) return err({ exit: 'configuration', says: [closed] })
  const state = stateDir ?? (isBorrowed ? SYSTEM.state : await paths().state())
  const runtime = isBorrowed ? SYSTEM.runtime : paths().runtime
  return ok({ stateDir: state, runtimeDir: runtimeDir ?? runtime ?? state })
}

interface Found {
  readonly file?: ParsedFile
  /** It is the one of the system's daemon, and this user is another. */
  readonly isBorrowed: boolean
  /** What to say of that one, where it is there and was not taken. */
  readonly system?: string
}

/**
 * The user's own file. Where there is none, a look at how things stand takes the one of the system's daemon; a command
 * that would send only hears that it is there.
 */
async function fileFor(flags: Flags, needs: Needs): Promise<Result<Found, Failure>> {
  const variable = process.env['HOLDFAST_CONFIG']
  const own = await configFile(flags, USUAL, variable)
  if (!own.ok) return own
  if (own.value !== undefined) return ok({ file: own.value, isBorrowed: false })
  const given = { ...fromEnvironment(TABLE, process.env), ...fromFlags(TABLE, flags) }
  const saysWho = ['server', 'username', 'hostnames'].some((key) => given[key] !== undefined)
  if (isRoot() || process.platform !== 'linux' || needs === 'nothing' || saysWho)
    return ok({ isBorrowed: false })
  const system = await systemFile(USUAL)
  if (!system.ok)
    return needs === 'names'
      ? err({ exit: 'configuration', says: [system.error] })
      : ok({ isBorrowed: false, system: system.error })
  if (system.value === undefined) return ok({ isBorrowed: false })
  if (needs === 'everything') return ok({ isBorrowed: false, system: notTaken(system.value) })
  const borrowed = await configFile({ config: system.value }, USUAL, undefined)
  return borrowed.ok
    ? ok({ isBorrowed: true, ...(borrowed.value !== undefined && { file: borrowed.value }) })
    : borrowed
}

const NOTHING = { flaws: [], absent: [] } as const

/** A proxy that the environment names and that cannot be used. */
const proxyFlaws = (accounts: ClientConfig['accounts']): readonly string[] => [
  ...new Set(
    accounts.flatMap(({ server }) => {
      const proxy = proxyFor(server, process.env)
      return proxy.ok ? [] : [proxy.error]
    }),
  ),
]

/** A program that no source runs. */
const unusedCommand = ({ command, sources, places }: Omit<ClientConfig, 'accounts'>): readonly string[] =>
  command === undefined || sources?.some(({ kind }) => kind === 'command') === true
    ? []
    : [
        formatComplaint({
          where: places['command'] ?? '',
          says: 'command is given, and sources does not list it; write sources = ["command"]',
        }),
      ]

/** What can only be known by a look at this host; nothing is loaded for it where nothing has to be looked at. */
async function onThisHost(
  config: ClientConfig,
): Promise<{ readonly flaws: readonly string[]; readonly absent: readonly string[] }> {
  const namesProgram = config.sources?.some(({ kind }) => kind === 'command') === true
  const namesInterface =
    config.sources?.some((spec) => spec.kind === 'interface' && spec.interface !== undefined) === true ||
    config.accounts.some(({ hosts }) => hosts.some((host) => host.interface !== undefined))
  if (!namesProgram && !namesInterface) return NOTHING
  const { absentInterfaces, commandFlaws } = await import('./local-checks.ts')
  const [flaws, absent] = await Promise.all([commandFlaws(config), absentInterfaces(config)])
  return { flaws: flaws.map(formatComplaint), absent }
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
  const named =
    textFlag(flags, 'config') ?? (fromEnvironmentVariable === '' ? undefined : fromEnvironmentVariable)
  const folder = named === undefined && usual.length > 0 ? await paths().config() : ''
  const candidates = named === undefined ? usual.map((name) => join(folder, name)) : [named]
  for (const candidate of candidates) {
    const place = atHome(candidate)
    if (!place.ok) return err({ exit: 'configuration', says: [`config ${place.error}`] })
    const path = place.value
    const text = await textOf(path, { setting: 'config', most: LONGEST.config })
    if (text.ok && text.value !== undefined)
      return ok({ name: path, document: parse(await import('../config/document.ts'), text.value, path) })
    if (!text.ok && (named !== undefined || !text.error.endsWith(MISSING)))
      return err({ exit: 'configuration', says: [text.error] })
  }
  return ok(undefined)
}

const parse = ({ parseDocument }: typeof documents, text: string, path: string): ParsedFile['document'] =>
  parseDocument(text, path)
