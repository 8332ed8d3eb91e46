import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Next to dist/ in the installed package. */
const TEMPLATES = join(__dirname, '..', 'systemd')
/** The commented configuration that the package brings. */
export const EXAMPLE = join(__dirname, '..', 'config', 'holdfast.toml')
export const LAUNCHER = join(__dirname, '..', 'bin', 'holdfast.js')

/** One of the three ways to have systemd run this program. */
export interface UnitVariant {
  /** What is written: name of the template, path of the unit. */
  readonly files: readonly { readonly template: string; readonly path: string }[]
  /** The unit that is enabled. */
  readonly unit: string
  /** The unit that runs the program: the same one, or the one that the timer starts. */
  readonly service: string
  /** The manager that is asked: systemctl's and systemd-run's first arguments. */
  readonly manager: readonly string[]
  /** How the command line asks for it. */
  readonly flag: string
}

const DAEMON = 'holdfast.service'
const [ONE_SHOT, TIMER] = ['holdfast-update.service', 'holdfast-update.timer']
/** systemd.unit(5): where an administrator's units live. */
const SYSTEM = '/etc/systemd/system'

export const daemonVariant: UnitVariant = {
  files: [{ template: DAEMON, path: join(SYSTEM, DAEMON) }],
  unit: DAEMON,
  service: DAEMON,
  manager: [],
  flag: '',
}

export const timerVariant: UnitVariant = {
  files: [ONE_SHOT, TIMER].map((name) => ({ template: name, path: join(SYSTEM, name) })),
  unit: TIMER,
  service: ONE_SHOT,
  manager: [],
  flag: ' --timer',
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
})

/** The unit with the paths of this Node and this program: what `npm install -g` put where is not known before. */
export async function unitText(template: string): Promise<string> {
  const text = await readFile(join(TEMPLATES, template), 'utf8')
  const isAtHome = [process.execPath, LAUNCHER].some((path) => /^\/(home|root|run\/user)\//.test(path))
  return text
    .replace(/^ExecStart=holdfast /m, () => `ExecStart=${quoted(process.execPath)} ${quoted(LAUNCHER)} `)
    .replace('ProtectHome=yes', isAtHome ? 'ProtectHome=read-only' : 'ProtectHome=yes')
}

/** The first folder on the way to our programs that only its owner may pass; the unit's user is another. */
export async function unreachable(): Promise<string | undefined> {
  for (const path of [process.execPath, LAUNCHER]) {
    const folders = path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))
    for (const folder of folders.filter((one) => one !== ''))
      if (((await stat(folder)).mode & 0o001) === 0) return folder
  }
  return undefined
}

/** systemd.service(5), COMMAND LINES: blanks and its own signs would split or change a word. */
const quoted = (path: string): string => {
  const plain = path.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w%$./@+-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`
}
