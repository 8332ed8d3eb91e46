import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemPaths } from '../../../shared/platform/files/paths.ts'
import { EXITS } from '../../../shared/program/exit-codes.ts'
import { isRoot } from '../../../shared/program/paths.ts'
import { CONFIG_NAMES } from '../../settings/system-config.ts'
import {
  CREDENTIAL_STORE,
  PASSWORD_CREDENTIAL,
  passwordFiles,
  ROOT_PASSWORD_FILE,
} from '../../settings/password-files.ts'
import { execute, showUnit } from './systemctl.ts'
import {
  closedFolder,
  daemonVariant,
  EXAMPLE,
  LAUNCHER,
  serveVariant,
  timerVariant,
  type UnitVariant,
  unitText,
} from './unit-files.ts'

/** Why this variant cannot be installed now, and what to do; empty where it can. */
export async function installProblems(variant: UnitVariant): Promise<readonly string[]> {
  const isForUser = variant.manager.length > 0
  return [
    ...(isForUser || isRoot()
      ? []
      : ['a system service needs root; use sudo, or --user for a service of this user']),
    ...(isForUser ? [] : await folderProblem()),
    ...(isForUser || variant === serveVariant ? [] : await otherVariantProblem(variant)),
    ...(variant === serveVariant ? await serveProblems() : await configurationProblems(variant, isForUser)),
  ]
}

async function folderProblem(): Promise<readonly string[]> {
  const folder = await closedFolder()
  return folder === undefined
    ? []
    : [
        `${folder} is closed to other users, so a system service cannot run from there; ` +
          'install Node and Holdfast for all users, or use --user',
      ]
}

/**
 * The unit of a package, which is used as it is: one in /etc would override it, and would not be upgraded with it. Undefined
 * without one.
 */
export async function packagedUnit({ unit, manager, files }: UnitVariant): Promise<string | undefined> {
  const shown = await showUnit(manager, unit)
  // Without a running systemd, as in the build of an image, only its file tells.
  if (typeof shown === 'string')
    return manager.length === 0 && (await exists(join(PACKAGED, unit))) ? join(PACKAGED, unit) : undefined
  const isOther = shown.path !== '' && !files.some(({ path }) => path === shown.path)
  return isOther ? shown.path : undefined
}

/** systemd.unit(5): the units of packages. */
const PACKAGED = '/usr/lib/systemd/system'

const SERVICE_CONFIG = '/etc/holdfast/service.toml'

/** What the update service needs before its first start. */
async function serveProblems(): Promise<readonly string[]> {
  const { code, output } = await execute(process.execPath, [
    LAUNCHER,
    'admin',
    'check',
    '--config',
    SERVICE_CONFIG,
  ])
  const example = EXAMPLE.replace(/holdfast\.toml$/, 'service.toml')
  return [
    ...((await exists(SERVICE_CONFIG)) ? [] : [`there is no ${SERVICE_CONFIG}; copy ${example} and edit it`]),
    ...(code === 0 || !isRoot() ? [] : output.split('\n').map((line) => line.replace(/^holdfast: /, ''))),
  ]
}

/** The daemon and the timer do the same work, so only one of them may be enabled. */
async function otherVariantProblem(variant: UnitVariant): Promise<readonly string[]> {
  const other = variant.unit === timerVariant.unit ? daemonVariant : timerVariant
  const shown = await showUnit([], other.unit)
  if (typeof shown === 'string' || (shown.active !== 'active' && shown.file !== 'enabled')) return []
  const isOurs = other.files.some(({ path }) => path === shown.path)
  const remove = isOurs ? `holdfast service uninstall${other.flag}` : `systemctl disable --now ${other.unit}`
  return [`${other.unit} is in use, and only one of the two may run; to change, run: ${remove}`]
}

/** Problems of the configuration and the password, as the unit reads them. */
async function configurationProblems(variant: UnitVariant, isForUser: boolean): Promise<readonly string[]> {
  const folder = isForUser
    ? await systemPaths({ HOME: process.env['HOME'] }, false).config()
    : await systemPaths({}, true).config()
  const files = CONFIG_NAMES.map((name) => join(folder, name))
  const isThere = await Promise.all(files.map(exists))
  const missing = isThere.includes(true) ? [] : [`there is no ${files[0]}; copy ${EXAMPLE} and edit it`]
  if (missing.length === 0 && (isForUser || isRoot())) return checkAsUnit(variant)
  return isForUser ? missing : [...missing, ...(await passwordProblem())]
}

async function passwordProblem(): Promise<readonly string[]> {
  const stores = await Promise.all(
    [CREDENTIAL_STORE, `${CREDENTIAL_STORE}.encrypted`].map(async (path) => readdir(path).catch(() => [])),
  )
  const hasFile = (await passwordFiles({ credentials: undefined, isRoot: true }))({}) !== undefined
  return hasFile || stores.flat().some((name) => name.startsWith(PASSWORD_CREDENTIAL))
    ? []
    : [
        `there is no password: neither ${ROOT_PASSWORD_FILE} nor ` +
          `${CREDENTIAL_STORE}/${PASSWORD_CREDENTIAL} exists, or this user cannot see it`,
      ]
}

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** The first version whose systemd-run(1) has the property ImportCredential. */
const IMPORT_CREDENTIAL_VERSION = 254
/** The properties that decide which settings and files the program can read. */
const ACCESS_PROPERTIES = /^((Dynamic)?User|ProtectHome|(Load|Set|Import)Credential|Environment(File)?)=.*$/gm

/**
 * `config check` with the user, the rights and the credentials of the unit, because root can read files that the unit
 * cannot. Without systemd there is no check, and mistakes show at the start of the unit.
 */
async function checkAsUnit({ files, manager, service }: UnitVariant): Promise<readonly string[]> {
  const [program] = files.filter(({ path }) => path.endsWith(service))
  if (program === undefined) return []
  const unit = [await unitText(program.template), ...(await dropIns(program.path))].join('\n')
  const [, version] = /^systemd (\d+)/.exec((await execute('systemd-run', ['--version'])).output) ?? []
  const properties = (unit.match(ACCESS_PROPERTIES) ?? []).filter(
    (line) => Number(version) >= IMPORT_CREDENTIAL_VERSION || !line.startsWith('ImportCredential='),
  )
  // systemd-run does not expand specifiers.
  if (properties.some((line) => line.includes('%'))) return []
  const { code, output } = await execute('systemd-run', [
    ...manager,
    '--quiet',
    '--collect',
    '--wait',
    '--pipe',
    ...properties.flatMap((line) => ['--property', line]),
    // systemd makes the state folder when the unit starts; until then, the private /tmp of DynamicUser= replaces it.
    ...(manager.length > 0 ? [] : ['--setenv', 'STATE_DIRECTORY=/tmp']),
    process.execPath,
    LAUNCHER,
    'config',
    'check',
  ])
  const isComplaint = code === EXITS.configuration.code || code === EXITS.usage.code
  return isComplaint ? output.split('\n').map((line) => line.replace(/^holdfast: /, '')) : []
}

/** The drop-in files of the administrator (systemd.unit(5)), in the order in which systemd reads them. */
async function dropIns(path: string): Promise<readonly string[]> {
  const names = await readdir(`${path}.d`).catch(() => [])
  const files = names.filter((name) => name.endsWith('.conf')).toSorted()
  return Promise.all(files.map(async (name) => readFile(join(`${path}.d`, name), 'utf8').catch(() => '')))
}
