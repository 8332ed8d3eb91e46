import { join } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { soundParts } from './client-file.ts'
import type { ParsedFile } from '../../shared/settings/file-layer.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from './client-settings.ts'
import { literalSecrets, onlyOperator, type SettingNeeds } from './client-checks.ts'
import { HOOKS } from './notify-settings.ts'
import { type ClientConfig, readClientConfig } from './read-client.ts'
import {
  closestSetting,
  envOf,
  type Complaint,
  fileKeyOf,
  formatComplaint,
  fromEnvironment,
} from '../../shared/settings/setting.ts'
import { fallbackFolders } from '../../shared/platform/files/paths.ts'
import { proxyFor } from '../../shared/platform/http/proxy.ts'
import { readConfigFile } from '../../shared/program/config-file.ts'
import { expandHome, isRoot, paths } from '../../shared/program/paths.ts'
import type { Exit, Failure } from '../../shared/program/exit-codes.ts'
import { type ClientAccount, passwordWarnings, readAccountFiles } from './account-files.ts'
import { passwordFiles } from './password-files.ts'
import {
  CONFIG_NAMES,
  SYSTEM,
  systemAccessProblem,
  systemConfigIgnored,
  systemFile,
} from './system-config.ts'
import type { SettingFlags } from '../../shared/program/setting-flags.ts'

/** The same for a command of the client. */
export interface ClientSettingFlags extends SettingFlags {
  /** --account: only these accounts of the file; an empty list stands for all. */
  readonly accounts: readonly string[]
  /** The environment variables of all commands of this program: one environment file may serve client and service. */
  readonly knownVariables: () => Promise<readonly string[]>
}

const PREFIX = 'HOLDFAST_'
/** Variables of the tests, and for announcements of a later version. */
const IGNORED = ['HOLDFAST_TEST_', 'HOLDFAST_NEWS_', 'HOLDFAST_PROGRAM']

interface UnknownVariable {
  readonly problem: string
  /** Similar to a setting, so probably a spelling mistake. */
  readonly isMeant: boolean
}

/** Environment variables that begin like a setting and are not one. */
async function unknownVariables(
  environment: NodeJS.ProcessEnv,
  knownVariables: () => Promise<readonly string[]>,
): Promise<readonly UnknownVariable[]> {
  const named = Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      environment[name] !== '' &&
      name !== 'HOLDFAST_CONFIG' &&
      !IGNORED.some((prefix) => name.startsWith(prefix)),
  )
  const own = new Set(Object.keys(TABLE).map(envOf))
  const others = named.filter((name) => !own.has(name))
  if (others.length === 0) return []
  // Another program may read it; its table is loaded only now.
  const known = new Set(await knownVariables())
  return others.filter((name) => !known.has(name)).map(describe)
}

function describe(name: string): UnknownVariable {
  const keys = ['config', ...Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(fileKeyOf)]
  const meant = closestSetting(name.slice(PREFIX.length).toLowerCase(), keys)
  return meant === undefined
    ? { problem: `${name} is not a setting`, isMeant: false }
    : { problem: `${name} is not a setting; did you mean ${PREFIX}${meant.toUpperCase()}?`, isMeant: true }
}

const TABLE = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }

export type { ClientAccount }

export interface ResolvedSettings {
  readonly config: Omit<ClientConfig, 'accounts'>
  readonly accounts: readonly ClientAccount[]
  readonly stateDir: string
  /** The state folder, and those that are used while it is not writable. */
  readonly stateFolders: readonly string[]
  readonly runtimeDir: string
  /** The configuration file, if there is one. */
  readonly configFile: string | undefined
  /** Valid settings that the user should change. */
  readonly warnings: readonly string[]
  /** Those that `config check` treats as errors: what may exist later, and variables that may be for other programs. */
  readonly strictWarnings: readonly string[]
  /** What is wrong in the file; what is wrong is not in these settings. Always empty for a command that sends. */
  readonly faults: readonly string[]
}

/**
 * The settings for a command that only reports. A fault of the file hides nothing that runs: what is right in the file is
 * read, and `faults` has the rest (decision 0069).
 */
export const readSoundSettings = async (
  flags: ClientSettingFlags,
  needs: Exclude<SettingNeeds, 'everything'>,
): Promise<Result<ResolvedSettings, Failure>> => read(flags, needs, true)

/**
 * Flags over environment over file, with the files that they name. The failure lists every mistake. Commands that send
 * nothing need no password, and often have none: that of the daemon comes from its supervisor.
 */
export const readSettings = async (
  flags: ClientSettingFlags,
  needs: SettingNeeds = 'everything',
): Promise<Result<ResolvedSettings, Failure>> => read(flags, needs, false)

async function read(
  flags: ClientSettingFlags,
  needs: SettingNeeds,
  isReport: boolean,
): Promise<Result<ResolvedSettings, Failure>> {
  const found = await fileFor(flags, needs)
  // A report asks the daemon, whatever is with the file.
  const isUnread = !found.ok && isReport && found.error.exit === 'configuration'
  if (!found.ok && !isUnread) return found
  const { file, system, isBorrowed }: ChosenFile = found.ok ? found.value : { isBorrowed: false }
  const unknown = needs === 'everything' ? await unknownVariables(process.env, flags.knownVariables) : []
  const config = await configOf(flags, needs, { file, isReport, isUnread })
  const meant = unknown.filter(({ isMeant }) => isMeant).map(({ problem }) => problem)
  const setUp = file === undefined && system === undefined ? [SET_UP] : []
  const remarks = [...(system === undefined ? [] : [system]), ...setUp]
  if (!config.ok) {
    const { exit, messages } = config.error
    return err({ exit, messages: [...messages, ...meant, ...(exit === 'configuration' ? remarks : [])] })
  }
  const { accounts, ...client } = config.value.config
  const host = needs === 'everything' ? await onThisHost(config.value.config) : NOTHING
  const files = await Promise.all(
    accounts.map(async (account) => readAccountFiles(account, needs !== 'everything')),
  )
  const proxies = needs === 'everything' ? proxyProblems(accounts) : []
  const unread = files.flatMap((one) => (one.ok ? [] : one.error))
  const wrong = [...meant, ...proxies, ...host.problems, ...unread]
  if (wrong.length > 0 && !isReport) return err({ exit: 'configuration', messages: wrong })
  const folders = await foldersOf(client, isBorrowed)
  if (!folders.ok) return folders
  const strictWarnings = [
    ...unusedCommand(client),
    ...unknown.filter(({ isMeant }) => !isMeant).map(({ problem }) => problem),
    ...host.absent,
    // A setting at the top of the file belongs to every account.
    ...new Set(files.flatMap((one) => (one.ok ? one.value.warnings : []))),
  ]
  return ok({
    config: client,
    accounts: files.flatMap((one) => (one.ok ? [one.value.account] : [])),
    ...folders.value,
    configFile: file?.name,
    warnings: [
      ...(await passwordWarnings(flags.layer, file?.name, accounts)),
      ...accounts.flatMap(literalSecrets).map(formatComplaint),
      ...loneOperator(client),
      ...strictWarnings,
    ],
    strictWarnings,
    faults: found.ok
      ? config.value.faults.length > 0
        ? [...config.value.faults, ...remarks]
        : wrong
      : found.error.messages,
  })
}

/** The last line of every command where there is no configuration. */
const SET_UP = 'set it up: sudo holdfast init'

interface ReadFile {
  readonly file: ParsedFile | undefined
  readonly isReport: boolean
  /** There is one, or was, and it cannot be read. */
  readonly isUnread: boolean
}

interface FaultyConfig {
  readonly config: ClientConfig
  readonly faults: readonly string[]
}

/** The settings with the home folder in the place of "~". For a report, those that are right. */
async function configOf(
  { layer, accounts }: ClientSettingFlags,
  needs: SettingNeeds,
  { file, isReport, isUnread }: ReadFile,
): Promise<Result<FaultyConfig, Failure>> {
  // An unreadable file may forbid third parties, so none is asked.
  const closed = { thirdParties: { value: false, where: file?.name ?? '' }, ...layer }
  const layers = {
    flags: isUnread ? closed : layer,
    environment: fromEnvironment(TABLE, process.env),
    needs,
    passwordFileFor: await passwordFiles({
      credentials: process.env['CREDENTIALS_DIRECTORY'],
      isRoot: isRoot(),
    }),
    chosen: accounts,
    wholePath: expandHome,
    lookedFor: join(await paths().config(), CONFIG_NAMES[0]),
    ...(file !== undefined && { file }),
  }
  const config = readClientConfig(layers)
  if (config.ok) return ok({ config: config.value, faults: [] })
  const [exit, faults] = [exitFor(config.error), config.error.map(formatComplaint)]
  const { file: _, flags, ...rest } = layers
  const parts = file === undefined ? [undefined] : soundParts(file, config.error)
  for (const part of isReport && exit === 'configuration' ? parts : []) {
    const sound = readClientConfig({
      ...rest,
      flags: file !== undefined && part === undefined ? closed : flags,
      needs: 'nothing',
      chosen: [],
      ...(part && { file: part }),
    })
    if (sound.ok) return ok({ config: sound.value, faults })
  }
  return err({ exit, messages: faults })
}

async function foldersOf(
  { stateDir, runtimeDir }: Omit<ClientConfig, 'accounts'>,
  isBorrowed: boolean,
): Promise<Result<Pick<ResolvedSettings, 'stateDir' | 'stateFolders' | 'runtimeDir'>, Failure>> {
  const problem = isBorrowed ? await systemAccessProblem() : undefined
  if (problem !== undefined) return err({ exit: 'denied', messages: [problem] })
  const state = stateDir ?? (isBorrowed ? SYSTEM.state : await paths().state())
  const runtime = isBorrowed ? SYSTEM.runtime : paths().runtime
  return ok({
    stateDir: state,
    stateFolders: [state, ...fallbackFolders(state, process.env)],
    runtimeDir: runtimeDir ?? runtime ?? state,
  })
}

interface ChosenFile {
  readonly file?: ParsedFile
  /** It is the file of the system's daemon, which runs as another user. */
  readonly isBorrowed: boolean
  /** A remark on the file of the system's daemon, where that exists and is not used. */
  readonly system?: string
}

/**
 * The user's own file. Without one, commands that only read use the file of the system's daemon; commands that send get a
 * remark that it exists.
 */
async function fileFor(flags: ClientSettingFlags, needs: SettingNeeds): Promise<Result<ChosenFile, Failure>> {
  const variable = process.env['HOLDFAST_CONFIG']
  const own = await readConfigFile(flags.configFile ?? (variable === '' ? undefined : variable), CONFIG_NAMES)
  if (!own.ok) return own
  if (own.value !== undefined) return ok({ file: own.value, isBorrowed: false })
  const given = { ...fromEnvironment(TABLE, process.env), ...flags.layer }
  const namesAccount = ['server', 'username', 'hostnames'].some((key) => given[key] !== undefined)
  if (isRoot() || process.platform !== 'linux' || needs === 'nothing' || namesAccount)
    return ok({ isBorrowed: false })
  const system = await systemFile(CONFIG_NAMES)
  if (!system.ok)
    return needs === 'names'
      ? err({ exit: 'denied', messages: [system.error] })
      : ok({ isBorrowed: false, system: system.error })
  if (system.value === undefined) return ok({ isBorrowed: false })
  if (needs === 'everything') return ok({ isBorrowed: false, system: systemConfigIgnored(system.value) })
  const borrowed = await readConfigFile(system.value, CONFIG_NAMES)
  return borrowed.ok
    ? ok({ isBorrowed: true, ...(borrowed.value !== undefined && { file: borrowed.value }) })
    : borrowed
}

const NOTHING = { problems: [], absent: [] } as const

/** Proxies of the environment that cannot be used. */
const proxyProblems = (accounts: ClientConfig['accounts']): readonly string[] => [
  ...new Set(
    accounts.flatMap(({ server }) => {
      const proxy = proxyFor(server, process.env)
      return proxy.ok ? [] : [proxy.error]
    }),
  ),
]

/** A `command` that no source runs. */
const unusedCommand = ({ command, sources, places }: Omit<ClientConfig, 'accounts'>): readonly string[] =>
  command === undefined || sources?.some(({ kind }) => kind === 'command') === true
    ? []
    : [
        formatComplaint({
          where: places['command'] ?? '',
          problem: 'command is set, but sources does not list it; write sources = ["command"]',
        }),
      ]

/** Several sources of one operator count as one. */
function loneOperator({ agreement, sources, places }: Omit<ClientConfig, 'accounts'>): readonly string[] {
  const operator = agreement === 'one' ? undefined : onlyOperator(sources)
  if (operator === undefined || (sources?.length ?? 0) < 2) return []
  const problem =
    `${operator} alone determines the address, because sources has no other operator; ` +
    'add one, or write agreement = "one"'
  return [formatComplaint({ where: places['sources'] ?? '', problem })]
}

/** Checks against this host. The module that makes them is loaded only if there is something to check. */
async function onThisHost(
  config: ClientConfig,
): Promise<{ readonly problems: readonly string[]; readonly absent: readonly string[] }> {
  const namesProgram =
    config.sources?.some(({ kind }) => kind === 'command') === true ||
    config.accounts.some((account) => HOOKS.some((key) => account[key] !== undefined))
  const namesInterface =
    config.sources?.some((spec) => spec.kind === 'interface' && spec.interface !== undefined) === true ||
    config.accounts.some(({ interface: lines, hosts }) =>
      [lines, ...hosts.flatMap((host) => [host.interface, host.ipv6Interface])].some(
        (one) => one !== undefined,
      ),
    )
  if (!namesProgram && !namesInterface) return NOTHING
  const { absentInterfaces, commandComplaints, notificationComplaints } = await import('./local-checks.ts')
  const [complaints, absent, notifying] = await Promise.all([
    commandComplaints(config),
    absentInterfaces(config),
    notificationComplaints(config),
  ])
  return {
    problems: complaints.map(formatComplaint),
    absent: [...absent, ...notifying.map(formatComplaint)],
  }
}

/** A mistake on the command line has its own exit code. */
const exitFor = (complaints: readonly Complaint[]): Exit =>
  complaints.every(({ where }) => where.startsWith('--')) ? 'usage' : 'configuration'
