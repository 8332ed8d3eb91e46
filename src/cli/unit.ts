import { access, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { ran, show } from '../app/client/systemctl.ts'
import { packaged, refusalsOf } from '../app/client/unit-check.ts'
import {
  daemonVariant,
  timerVariant,
  type UnitVariant,
  unitText,
  userVariant,
} from '../app/client/unit-files.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { isRoot } from '../app/paths.ts'
import { makeFolder } from '../platform/folder.ts'
import { fail, print } from './output.ts'

/** `holdfast service`: writes and enables the unit for this installed program, takes it away again, or shows it. */
export async function unitCommand(flags: Flags): Promise<Exit> {
  const isForUser = flags['user'] === true
  if (isForUser && flags['timer'] === true)
    return fail(
      { exit: 'usage', messages: ['--timer is for the whole system; leave one of --user and --timer out'] },
      false,
    )
  const variant = isForUser ? userVariant() : flags['timer'] === true ? timerVariant : daemonVariant
  const isDry = flags['dry-run'] === true
  if (flags['what'] === 'status') return status(variant)
  return flags['what'] === 'install' ? install(variant, isDry) : uninstall(variant, isDry)
}

async function install(variant: UnitVariant, isDry: boolean): Promise<Exit> {
  const refusals = await refusalsOf(variant)
  if (refusals.length > 0 && !isDry) return refuse(refusals)
  for (const { template, path } of variant.files) {
    const text = await unitText(template)
    print(`${isDry ? 'would write' : 'writes'} ${path}`)
    if (isDry) print(...text.trimEnd().replaceAll(/^/gm, '  ').split('\n'))
    else await write(path, text)
  }
  const done = await systemctl(variant, isDry, [['daemon-reload'], ['enable', '--now', variant.unit]])
  if (done === 'settled') print(...(await hintsOn(variant)))
  return refusals.length > 0 ? refuse(refusals) : done
}

const refuse = (says: readonly string[]): Exit => fail({ exit: 'configuration', messages: says }, false)

async function write(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o755)
  await writeFile(path, text)
}

/** A user's services end with the last login, unless the user may linger (loginctl(1)). */
async function hintsOn({ manager }: UnitVariant): Promise<readonly string[]> {
  if (manager.length === 0) return []
  const lingers = await access(`/var/lib/systemd/linger/${userName()}`).then(
    () => true,
    () => false,
  )
  return lingers ? [] : ['it runs while you are logged in; to have it run always: loginctl enable-linger']
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

async function uninstall(variant: UnitVariant, isDry: boolean): Promise<Exit> {
  const refusals = await notRemovable(variant)
  if (refusals.length > 0 && !isDry) return refuse(refusals)
  const { unit, service, manager } = variant
  const [shown, ...others] = await Promise.all(
    [...new Set([unit, service])].map(async (one) => show(manager, one)),
  )
  const failed = [shown, ...others].some((one) => typeof one === 'object' && one.active === 'failed')
  const ended = await systemctl(variant, isDry, [
    ['disable', '--now', unit],
    ...(service === unit ? [] : [['stop', service]]),
  ])
  for (const { path } of variant.files) {
    print(`${isDry ? 'would remove' : 'removes'} ${path}`)
    if (!isDry) await rm(path, { force: true })
  }
  // systemd keeps a unit that failed in mind even when its file has gone.
  const reloaded = await systemctl(variant, isDry, [
    ['daemon-reload'],
    ...(failed ? [['reset-failed', 'holdfast*']] : []),
  ])
  if (refusals.length > 0) return refuse(refusals)
  return ended === 'settled' ? reloaded : ended
}

async function notRemovable(variant: UnitVariant): Promise<readonly string[]> {
  const there = await Promise.all(
    variant.files.map(async ({ path }) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  )
  const [brought] = await packaged(variant)
  return [
    ...(variant.manager.length > 0 || isRoot()
      ? []
      : ['a system service needs root; use sudo, or --user for a service of your own']),
    ...(there.includes(true)
      ? []
      : [
          brought === undefined
            ? `${variant.unit} is not installed`
            : `${variant.unit} belongs to a package; to end it: systemctl disable --now ${variant.unit}`,
        ]),
  ]
}

async function systemctl(
  { manager }: UnitVariant,
  isDry: boolean,
  commands: readonly (readonly string[])[],
): Promise<Exit> {
  for (const command of commands) {
    const args = [...manager, ...command]
    print(`${isDry ? 'would run' : 'runs'} systemctl ${args.join(' ')}`)
    const ended = isDry ? { code: 0, says: '' } : await ran('systemctl', args)
    if (ended.code !== 0) return refuse([`systemctl ${args.join(' ')}: ${ended.says}`])
  }
  return 'settled'
}

/** 0 where it runs, 69 where it is installed and does not, 78 where it is not installed. */
async function status(variant: UnitVariant): Promise<Exit> {
  const { unit, service, manager, flag } = variant
  const [shown, worker] = await Promise.all([show(manager, unit), show(manager, service)])
  if (typeof shown === 'string') return refuse([`systemctl show ${unit}: ${shown}`])
  if (shown.load !== 'loaded') {
    print(
      shown.load === 'not-found'
        ? `${unit} is not installed; to do so: holdfast service install${flag}`
        : `${unit} cannot run; systemd calls it ${shown.load}`,
    )
    return 'configuration'
  }
  print(`${shown.path} is installed`)
  for (const one of new Set([unit, service]))
    print((await ran('systemctl', [...manager, 'status', '--no-pager', one])).says)
  const isRunning = shown.active === 'active' || shown.active === 'reloading'
  const hasFailed = typeof worker === 'object' && worker.active === 'failed'
  if (isRunning && !hasFailed) return 'settled'
  const [name, why] = hasFailed ? [service, worker] : [unit, shown]
  return fail({ exit: 'unreached', messages: [`${name} is ${why.active} (${why.result})`] }, false)
}
