import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Next to dist/ in the installed package. */
const TEMPLATES = join(__dirname, '..', 'systemd')
/** The commented example configuration of the package. */
export const EXAMPLE = join(__dirname, '..', 'config', 'holdfast.toml')
export const LAUNCHER = join(__dirname, '..', 'bin', 'holdfast.js')

/** One of the ways to run this program under systemd. */
export interface UnitVariant {
  /** The files to write: the name of the template, and the path of the unit. */
  readonly files: readonly { readonly template: string; readonly path: string }[]
  /** The unit that is enabled. */
  readonly unit: string
  /** The unit that runs the program: the same one, or the one that the timer starts. */
  readonly service: string
  /** The arguments of systemctl and systemd-run that select the manager. */
  readonly manager: readonly string[]
  /** The flag of `holdfast service` that selects this variant. */
  readonly flag: string
  /** Further units that are enabled and started with it. */
  readonly also: readonly string[]
}

const DAEMON = 'holdfast.service'
const [ONE_SHOT, TIMER] = ['holdfast-update.service', 'holdfast-update.timer']
/** systemd.unit(5): the units of the administrator. */
const SYSTEM = '/etc/systemd/system'

export const daemonVariant: UnitVariant = {
  files: [{ template: DAEMON, path: join(SYSTEM, DAEMON) }],
  unit: DAEMON,
  service: DAEMON,
  manager: [],
  flag: '',
  also: [],
}

export const timerVariant: UnitVariant = {
  files: [ONE_SHOT, TIMER].map((name) => ({ template: name, path: join(SYSTEM, name) })),
  unit: TIMER,
  service: ONE_SHOT,
  manager: [],
  flag: ' --timer',
  also: [],
}

const SERVICE = 'holdfast-service.service'
const SOCKET = 'holdfast-service.socket'
const [BACKUP, BACKUP_TIMER] = ['holdfast-service-backup.service', 'holdfast-service-backup.timer']

/** The update service with its ports and its backup. */
export const serveVariant: UnitVariant = {
  files: [SERVICE, SOCKET, BACKUP, BACKUP_TIMER].map((name) => ({
    template: name,
    path: join(SYSTEM, name),
  })),
  unit: SERVICE,
  service: SERVICE,
  manager: [],
  flag: ' --serve',
  also: [SOCKET, BACKUP_TIMER],
}

/** A user's own units. */
export const userVariant = (): UnitVariant => ({
  files: [
    {
      template: 'holdfast.user.service',
      path: join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'systemd/user', DAEMON),
    },
  ],
  unit: DAEMON,
  service: DAEMON,
  manager: ['--user'],
  flag: ' --user',
  also: [],
})

/** The text of the unit, with the paths of this Node and this program, which depend on the installation. */
export async function unitText(template: string): Promise<string> {
  const text = await readFile(join(TEMPLATES, template), 'utf8')
  const isAtHome = [process.execPath, LAUNCHER].some((path) => /^\/(home|root|run\/user)\//.test(path))
  return text
    .replace(
      /^(Exec(?:Start|Reload)=)holdfast /gm,
      (_, key: string) => `${key}${unitArgument(process.execPath)} ${unitArgument(LAUNCHER)} `,
    )
    .replace('ProtectHome=yes', isAtHome ? 'ProtectHome=read-only' : 'ProtectHome=yes')
}

/** The first folder above Node or this program that the user of the unit may not enter. */
export async function closedFolder(): Promise<string | undefined> {
  const folders = [process.execPath, LAUNCHER].flatMap((path) =>
    path.split('/').map((_, at, parts) => parts.slice(0, at).join('/')),
  )
  for (const folder of folders.filter((one) => one !== ''))
    if (((await stat(folder)).mode & 0o001) === 0) return folder
  return undefined
}

/** systemd.service(5), COMMAND LINES: spaces and special characters would split or change an argument. */
const unitArgument = (path: string): string => {
  const plain = path.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w%$./@+-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`
}
