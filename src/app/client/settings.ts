import { join } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'
import type { ParsedFile } from '../../config/client-file.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../config/client-settings.ts'
import type { SettingNeeds } from '../../config/client-checks.ts'
import { type ClientConfig, readClientConfig } from '../../config/read-client.ts'
import { type Complaint, formatComplaint, fromEnvironment } from '../../config/setting.ts'
import { proxyFor } from '../../platform/proxy.ts'
import { readConfigFile } from '../config-file.ts'
import type { Exit } from '../exit-codes.ts'
import type { Failure } from '../failure.ts'
import { isRoot, paths } from '../paths.ts'
import type { ClientSettingFlags } from '../setting-flags.ts'
import { type ClientAccount, warningsOn, withFiles } from './account-files.ts'
import { withExpandedPaths } from './expanded-paths.ts'
import { passwordFiles } from './password-files.ts'
import { SYSTEM, systemAccessProblem, systemConfigIgnored, systemFile } from './system-config.ts'
import { unknownVariables } from './variables.ts'

const TABLE = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }

export type { ClientAccount }

export interface ResolvedSettings {
  readonly config: Omit<ClientConfig, 'accounts'>
  readonly accounts: readonly ClientAccount[]
  readonly stateDir: string
  readonly runtimeDir: string
  /** What is not wrong, but not wise either. */
  readonly warnings: readonly string[]
  /** Those of the warnings that a check does not let pass: what may come later, and what may be meant for others. */
  readonly strictWarnings: readonly string[]
}

const USUAL = ['holdfast.toml', 'holdfast.json'] as const

/**
 * Flags before environment before file, with the files that they name. The error lists every mistake. A command that only
 * shows the state needs no password and often has none: the supervisor passes it to the daemon alone.
 */
export async function readSettings(
  flags: ClientSettingFlags,
  needs: SettingNeeds = 'everything',
): Promise<Result<ResolvedSettings, Failure>> {
  const found = await fileFor(flags, needs)
  if (!found.ok) return found
  const { file, system } = found.value
  const unknown = needs === 'everything' ? await unknownVariables(process.env) : []
  const config = await configOf(flags, needs, file)
  const misspelled = unknown.filter(({ isMeant }) => isMeant).map(({ problem }) => problem)
  if (!config.ok) {
    const remarks = system === undefined ? [] : [system]
    return err({ ...config.error, messages: [...config.error.messages, ...misspelled, ...remarks] })
  }
  const host = needs === 'everything' ? await onThisHost(config.value) : NOTHING
  const { accounts, ...client } = config.value
  const read = await Promise.all(accounts.map(async (account) => withFiles(account, needs !== 'everything')))
  const proxies = needs === 'everything' ? proxyFlaws(accounts) : []
  const messages = [
    ...misspelled,
    ...proxies,
    ...host.flaws,
    ...read.flatMap((account) => (account.ok ? [] : account.error)),
  ]
  if (messages.length > 0) return err({ exit: 'configuration', messages })
  const folders = await foldersOf(client, found.value.isBorrowed)
  if (!folders.ok) return folders
  const strictWarnings = [
    ...unusedCommand(client),
    ...unknown.filter(({ isMeant }) => !isMeant).map(({ problem }) => problem),
    ...host.absent,
  ]
  return ok({
    config: client,
    accounts: read.flatMap((account) => (account.ok ? [account.value] : [])),
    ...folders.value,
    warnings: [...(await warningsOn(flags.layer, file?.name, accounts)), ...strictWarnings],
    strictWarnings,
  })
}

/** The settings with "~" in their paths put right. */
async function configOf(
  { layer, accounts }: ClientSettingFlags,
  needs: SettingNeeds,
  file: ParsedFile | undefined,
): Promise<Result<ClientConfig, Failure>> {
  const config = readClientConfig({
    flags: layer,
    environment: fromEnvironment(TABLE, process.env),
    needs,
    passwordFileFor: await passwordFiles({
      credentials: process.env['CREDENTIALS_DIRECTORY'],
      isRoot: isRoot(),
    }),
    chosen: accounts,
    lookedFor: join(await paths().config(), USUAL[0]),
    ...(file !== undefined && { file }),
  })
  if (!config.ok) return err({ exit: exitFor(config.error), messages: config.error.map(formatComplaint) })
  const whole = withExpandedPaths(config.value)
  return whole.ok ? whole : err({ exit: 'configuration', messages: whole.error })
}

async function foldersOf(
  { stateDir, runtimeDir }: Omit<ClientConfig, 'accounts'>,
  isBorrowed: boolean,
): Promise<Result<Pick<ResolvedSettings, 'stateDir' | 'runtimeDir'>, Failure>> {
  const closed = isBorrowed ? await systemAccessProblem() : undefined
  if (closed !== undefined) return err({ exit: 'configuration', messages: [closed] })
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
async function fileFor(flags: ClientSettingFlags, needs: SettingNeeds): Promise<Result<Found, Failure>> {
  const variable = process.env['HOLDFAST_CONFIG']
  const own = await readConfigFile(flags.configFile ?? (variable === '' ? undefined : variable), USUAL)
  if (!own.ok) return own
  if (own.value !== undefined) return ok({ file: own.value, isBorrowed: false })
  const given = { ...fromEnvironment(TABLE, process.env), ...flags.layer }
  const saysWho = ['server', 'username', 'hostnames'].some((key) => given[key] !== undefined)
  if (isRoot() || process.platform !== 'linux' || needs === 'nothing' || saysWho)
    return ok({ isBorrowed: false })
  const system = await systemFile(USUAL)
  if (!system.ok)
    return needs === 'names'
      ? err({ exit: 'configuration', messages: [system.error] })
      : ok({ isBorrowed: false, system: system.error })
  if (system.value === undefined) return ok({ isBorrowed: false })
  if (needs === 'everything') return ok({ isBorrowed: false, system: systemConfigIgnored(system.value) })
  const borrowed = await readConfigFile(system.value, USUAL)
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
          problem: 'command is given, and sources does not list it; write sources = ["command"]',
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
