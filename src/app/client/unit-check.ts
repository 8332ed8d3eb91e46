import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemPaths } from '../../platform/paths.ts'
import { EXITS } from '../exit-codes.ts'
import { isRoot } from '../paths.ts'
import { passwordFiles } from './password-files.ts'
import { ran, show } from './systemctl.ts'
import {
  daemonVariant,
  EXAMPLE,
  LAUNCHER,
  timerVariant,
  type UnitVariant,
  unitText,
  unreachable,
} from './unit-files.ts'

/** Why this variant cannot be installed now, in words that say what to do; none where it can. */
export async function refusalsOf(variant: UnitVariant): Promise<readonly string[]> {
  const isForUser = variant.manager.length > 0
  return [
    ...(isForUser || isRoot()
      ? []
      : ['a system service needs root; use sudo, or --user for a service of your own']),
    ...(isForUser ? [] : await closedFolder()),
    ...(await packaged(variant)),
    ...(isForUser ? [] : await twin(variant)),
    ...(await unprepared(variant, isForUser)),
  ]
}

async function closedFolder(): Promise<readonly string[]> {
  const folder = await unreachable()
  return folder === undefined
    ? []
    : [
        `${folder} is closed to other users, so that a system service cannot run from there; install Node and Holdfast for everybody, or use --user`,
      ]
}

/** A unit in /etc would hide the one of the package, and stay when that is upgraded. */
export async function packaged({ unit, manager, files }: UnitVariant): Promise<readonly string[]> {
  const shown = await show(manager, unit)
  if (typeof shown === 'string' || shown.path === '' || files.some(({ path }) => path === shown.path))
    return []
  const enable = ['systemctl', ...manager, 'enable --now', unit.replace(/\.service$/, '')].join(' ')
  return [`a package brings ${shown.path}; use that: ${enable}`]
}

/** The daemon does all that the timer does, and more. */
async function twin(variant: UnitVariant): Promise<readonly string[]> {
  const other = variant.unit === timerVariant.unit ? daemonVariant : timerVariant
  const shown = await show([], other.unit)
  if (typeof shown === 'string' || (shown.active !== 'active' && shown.file !== 'enabled')) return []
  const isOurs = other.files.some(({ path }) => path === shown.path)
  const remove = isOurs ? `holdfast service uninstall${other.flag}` : `systemctl disable --now ${other.unit}`
  return [`${other.unit} is in use, and one of the two is enough; to change over: ${remove}`]
}

/** The configuration and the password, as the unit will find them. */
async function unprepared(variant: UnitVariant, isForUser: boolean): Promise<readonly string[]> {
  const folder = isForUser
    ? await systemPaths({ HOME: process.env['HOME'] }, false).config()
    : await systemPaths({}, true).config()
  const usual = ['holdfast.toml', 'holdfast.json'].map((name) => join(folder, name))
  const isThere = await Promise.all(usual.map(exists))
  const missing = isThere.includes(true) ? [] : [`there is no ${usual[0]}; ${EXAMPLE} is one to begin with`]
  if (missing.length === 0 && (isForUser || isRoot())) return asTheUnitSays(variant)
  return isForUser ? missing : [...missing, ...(await noPassword())]
}

async function noPassword(): Promise<readonly string[]> {
  const stores = await Promise.all(
    ['/etc/credstore', '/etc/credstore.encrypted'].map(async (path) => readdir(path).catch(() => [])),
  )
  const isKept = (await passwordFiles({ credentials: undefined, isRoot: true }))({}) !== undefined
  return isKept || stores.flat().some((name) => name.startsWith('holdfast.password'))
    ? []
    : ['there is no /etc/holdfast/password, and no /etc/credstore/holdfast.password that this user can see']
}

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** systemd-run(1) knows this property from here on. */
const IMPORTS_CREDENTIALS = 254
/** What decides which settings and files the program finds. */
const READS =
  /^(DynamicUser|User|ConfigurationDirectory|ProtectHome|LoadCredential|SetCredential|ImportCredential|Environment|EnvironmentFile)=.*$/gm

/**
 * `config check` with the rights and credentials of the unit: root reads what the unit's user may not. Where no systemd
 * runs the check, the start of the unit will tell.
 */
async function asTheUnitSays({ files, manager, service }: UnitVariant): Promise<readonly string[]> {
  const [program] = files.filter(({ path }) => path.endsWith(service))
  if (program === undefined) return []
  const unit = [await unitText(program.template), ...(await dropIns(program.path))].join('\n')
  const [, version] = /^systemd (\d+)/.exec((await ran('systemd-run', ['--version'])).says) ?? []
  const properties = (unit.match(READS) ?? []).filter(
    (line) => Number(version) >= IMPORTS_CREDENTIALS || !line.startsWith('ImportCredential='),
  )
  // systemd-run takes these as they stand.
  if (properties.some((line) => line.includes('%'))) return []
  const { code, says } = await ran('systemd-run', [
    ...manager,
    '--quiet',
    '--collect',
    '--wait',
    '--pipe',
    ...properties.flatMap((line) => ['--property', line]),
    // The state folder is made when the unit starts; the private /tmp of DynamicUser= stands for it.
    ...(manager.length > 0 ? [] : ['--setenv', 'STATE_DIRECTORY=/tmp']),
    process.execPath,
    LAUNCHER,
    'config',
    'check',
  ])
  const isComplaint = code === EXITS.configuration.code || code === EXITS.usage.code
  return isComplaint ? says.split('\n').map((line) => line.replace(/^holdfast: /, '')) : []
}

/** What the administrator changes of the unit (systemd.unit(5)), in the order in which systemd reads it. */
async function dropIns(path: string): Promise<readonly string[]> {
  const names = await readdir(`${path}.d`).catch(() => [])
  const files = names.filter((name) => name.endsWith('.conf')).toSorted()
  return Promise.all(files.map(async (name) => readFile(join(`${path}.d`, name), 'utf8').catch(() => '')))
}
