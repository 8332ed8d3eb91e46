import { execFile } from 'node:child_process'
import { access, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { fail, print } from './output.ts'
import { isRoot } from './settings.ts'

const NAME = 'holdfast.service'
/** Beside dist/ in the installed package. */
const TEMPLATES = join(__dirname, '..', 'systemd')
const LAUNCHER = join(__dirname, '..', 'bin', 'holdfast.js')

interface Place {
  readonly template: string
  readonly path: string
  readonly systemctl: readonly string[]
}

/** systemd.unit(5): where an administrator's units live, and a user's own. */
const placeOf = (isForUser: boolean): Place =>
  isForUser
    ? {
        template: 'holdfast.user.service',
        path: join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'systemd/user', NAME),
        systemctl: ['--user'],
      }
    : { template: NAME, path: join('/etc/systemd/system', NAME), systemctl: [] }

/** `holdfast service`: writes and enables the unit for this installed program, takes it away again, or shows it. */
export async function unitCommand(flags: Flags): Promise<Exit> {
  const place = placeOf(flags['user'] === true)
  const isDry = flags['dry-run'] === true
  if (flags['what'] === 'status') return status(place)
  if (flags['user'] !== true && !isRoot() && !isDry)
    return fail(
      {
        exit: 'configuration',
        says: ['a system service needs root; use sudo, or --user for a service of your own'],
      },
      false,
    )
  return flags['what'] === 'install' ? install(place, isDry) : uninstall(place, isDry)
}

async function install(place: Place, isDry: boolean): Promise<Exit> {
  const hidden = place.template === NAME ? await unreachable() : undefined
  if (hidden !== undefined)
    return fail(
      {
        exit: 'configuration',
        says: [
          `${hidden} is closed to other users, so that a system service cannot run from there; install Node and Holdfast for everybody, or use --user`,
        ],
      },
      false,
    )
  const text = await unitText(place)
  print(`${isDry ? 'would write' : 'writes'} ${place.path}`)
  if (isDry)
    print(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`),
    )
  else {
    await mkdir(dirname(place.path), { recursive: true })
    await writeFile(place.path, text)
  }
  return systemctl(place, isDry, [['daemon-reload'], ['enable', '--now', NAME]])
}

async function uninstall(place: Place, isDry: boolean): Promise<Exit> {
  const ended = await systemctl(place, isDry, [['disable', '--now', NAME]])
  print(`${isDry ? 'would remove' : 'removes'} ${place.path}`)
  if (!isDry) await rm(place.path, { force: true })
  const reloaded = await systemctl(place, isDry, [['daemon-reload']])
  return ended === 'settled' ? reloaded : ended
}

/** The unit with the paths of this Node and this program: what `npm install -g` put where is not known before. */
export async function unitText({ template }: Pick<Place, 'template'>): Promise<string> {
  const text = await readFile(join(TEMPLATES, template), 'utf8')
  const isAtHome = [process.execPath, LAUNCHER].some((path) => /^\/(home|root|run\/user)\//.test(path))
  return text
    .replace('ExecStart=holdfast run', `ExecStart=${quoted(process.execPath)} ${quoted(LAUNCHER)} run`)
    .replace('ProtectHome=yes', isAtHome ? 'ProtectHome=read-only' : 'ProtectHome=yes')
}

/** The first folder on the way to our programs that only its owner may pass; the unit's user is another. */
async function unreachable(): Promise<string | undefined> {
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

async function systemctl(
  place: Place,
  isDry: boolean,
  commands: readonly (readonly string[])[],
): Promise<Exit> {
  for (const command of commands) {
    const args = [...place.systemctl, ...command]
    print(`${isDry ? 'would run' : 'runs'} systemctl ${args.join(' ')}`)
    const ended = isDry ? { ok: true, says: '' } : await ran('systemctl', args)
    if (!ended.ok)
      return fail({ exit: 'configuration', says: [`systemctl ${args.join(' ')}: ${ended.says}`] }, false)
  }
  return 'settled'
}

async function status(place: Place): Promise<Exit> {
  const isThere = await access(place.path).then(
    () => true,
    () => false,
  )
  print(isThere ? `${place.path} is installed` : `${place.path} is not installed`)
  if (isThere) print((await ran('systemctl', [...place.systemctl, 'status', '--no-pager', NAME])).says)
  return 'settled'
}

async function ran(
  program: string,
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly says: string }> {
  return new Promise((done) => {
    execFile(program, args, (error, stdout, stderr) =>
      done({ ok: error === null, says: `${stdout}${stderr}`.trim() || (error?.message ?? '') }),
    )
  })
}
