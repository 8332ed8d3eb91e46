import { access, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { giveToRoot } from '../../setup/root-folder.ts'
import { execute, showUnit } from '../../setup/systemd/systemctl.ts'
import { installProblems, packagedUnit } from '../../setup/systemd/unit-check.ts'
import {
  daemonVariant,
  serveVariant,
  timerVariant,
  type UnitVariant,
  unitText,
  userVariant,
} from '../../setup/systemd/unit-files.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { isRoot } from '../../../shared/program/paths.ts'
import { writeError } from '../../../shared/program/streams.ts'
import { makeFolder } from '../../../shared/platform/files/folder.ts'
import type { ServiceFlags } from './flags.ts'
import { hasService } from '../../../shared/program/has-service.ts'
import { fail, print } from '../../../shared/program/output.ts'
import { NO_SERVICE } from '../../../shared/program/service-package.ts'

/** `holdfast service`: installs, removes or shows the systemd unit of this installation. */
export async function serviceCommand({
  operation,
  isForUser,
  isTimer,
  isServe,
  isDryRun,
}: ServiceFlags): Promise<Exit> {
  if (isServe && (isForUser || isTimer))
    return fail({ exit: 'usage', messages: ['--serve cannot be used with --user or --timer'] }, false)
  if (isForUser && isTimer)
    return fail({ exit: 'usage', messages: ['--timer is system-wide; use either --user or --timer'] }, false)
  const variant = variantOf({ isForUser, isTimer, isServe })
  if (operation === 'status') return status(variant)
  return operation === 'install' ? install(variant, isDryRun) : uninstall(variant, isDryRun)
}

const variantOf = ({
  isForUser,
  isTimer,
  isServe,
}: Omit<ServiceFlags, 'operation' | 'isDryRun'>): UnitVariant => {
  if (isServe) return serveVariant
  return isForUser ? userVariant() : isTimer ? timerVariant : daemonVariant
}

const isServe = (variant: UnitVariant): boolean => variant === serveVariant
const isForUser = ({ manager }: UnitVariant): boolean => manager.length > 0

async function install(variant: UnitVariant, isDryRun: boolean): Promise<Exit> {
  const refusals = await installProblems(variant)
  if (isServe(variant) && !hasService()) return refuse([NO_SERVICE])
  if (refusals.length > 0 && !isDryRun) return refuse(refusals)
  if (!isDryRun) {
    const systemd = await showUnit(variant.manager, variant.unit)
    if (typeof systemd === 'string')
      return refuse([`nothing is written: systemctl show ${variant.unit}: ${systemd}`])
  }
  if (!isDryRun && !isForUser(variant))
    for (const line of await giveToRoot()) writeError(`holdfast: ${line}\n`)
  const packaged = await packagedUnit(variant)
  if (packaged !== undefined) print(`the unit is that of the package: ${packaged}`)
  for (const { template, path } of packaged === undefined ? variant.files : []) {
    const text = await unitText(template)
    print(`${isDryRun ? 'would write' : 'writes'} ${path}`)
    if (isDryRun) print(...text.trimEnd().replaceAll(/^/gm, '  ').split('\n'))
    else await writeUnit(path, text)
  }
  const exit = await systemctl(variant, isDryRun, [
    ['daemon-reload'],
    ['enable', '--now', ...variant.also, variant.unit],
  ])
  if (exit === 'settled') print(...(await hintsOn(variant)))
  return refusals.length > 0 ? refuse(refusals) : exit
}

const refuse = (messages: readonly string[]): Exit => fail({ exit: 'configuration', messages }, false)

async function writeUnit(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o755)
  await writeFile(path, text)
}

/** systemd stops a user's services at the last logout unless lingering is enabled (loginctl(1)). */
async function hintsOn({ manager }: UnitVariant): Promise<readonly string[]> {
  if (manager.length === 0 || (await exists(`/var/lib/systemd/linger/${userName()}`))) return []
  return ['it runs while you are logged in; to run it always: loginctl enable-linger']
}

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** A user id without a passwd entry has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

async function uninstall(variant: UnitVariant, isDryRun: boolean): Promise<Exit> {
  const refusals = await removalRefusals(variant)
  if (refusals.length > 0 && !isDryRun) return refuse(refusals)
  const { unit, service, manager, also } = variant
  const disabled = await systemctl(variant, isDryRun, [
    ['disable', '--now', ...also, unit],
    ...(service === unit ? [] : [['stop', service]]),
  ])
  // Only now: a stop while an update runs may make its unit fail.
  const states = await Promise.all([...new Set([unit, service])].map(async (name) => showUnit(manager, name)))
  const hasFailed = states.some((state) => typeof state === 'object' && state.active === 'failed')
  for (const { path } of variant.files) {
    print(`${isDryRun ? 'would remove' : 'removes'} ${path}`)
    if (!isDryRun) await rm(path, { force: true })
  }
  // systemd lists a failed unit even after its file is removed.
  const reloaded = await systemctl(variant, isDryRun, [
    ['daemon-reload'],
    ...(hasFailed ? [['reset-failed', 'holdfast*']] : []),
  ])
  if (refusals.length > 0) return refuse(refusals)
  return disabled === 'settled' ? reloaded : disabled
}

async function removalRefusals(variant: UnitVariant): Promise<readonly string[]> {
  const isInstalled = await Promise.all(variant.files.map(async ({ path }) => exists(path)))
  const needsRoot = variant.manager.length === 0 && !isRoot()
  return [
    ...(needsRoot ? ['a system service needs root; use sudo, or --user for a service of your own'] : []),
    ...(isInstalled.includes(true) ? [] : [await absence(variant)]),
  ]
}

async function absence(variant: UnitVariant): Promise<string> {
  return (await packagedUnit(variant)) !== undefined
    ? `${variant.unit} belongs to a package; to stop it: systemctl disable --now ${variant.unit}`
    : `${variant.unit} is not installed`
}

async function systemctl(
  { manager }: UnitVariant,
  isDryRun: boolean,
  commands: readonly (readonly string[])[],
): Promise<Exit> {
  for (const command of commands) {
    const args = [...manager, ...command]
    print(`${isDryRun ? 'would run' : 'runs'} systemctl ${args.join(' ')}`)
    const { code, output } = isDryRun ? { code: 0, output: '' } : await execute('systemctl', args)
    if (code !== 0) return refuse([`systemctl ${args.join(' ')}: ${output}`])
  }
  return 'settled'
}

/** Exit 0 if it runs, 69 if it is installed and does not run, 78 if it is not installed. */
async function status(variant: UnitVariant): Promise<Exit> {
  const { unit, service, manager, flag } = variant
  const [state, worker] = await Promise.all([showUnit(manager, unit), showUnit(manager, service)])
  if (typeof state === 'string') return refuse([`systemctl show ${unit}: ${state}`])
  if (state.load !== 'loaded') {
    print(
      state.load === 'not-found'
        ? `${unit} is not installed; to install it: holdfast service install${flag}`
        : `${unit} cannot run; systemd reports its load state as ${state.load}`,
    )
    return 'configuration'
  }
  print(`${state.path} is installed`)
  for (const name of new Set([unit, service]))
    print((await execute('systemctl', [...manager, 'status', '--no-pager', name])).output)
  const isRunning = state.active === 'active' || state.active === 'reloading'
  const hasFailed = typeof worker === 'object' && worker.active === 'failed'
  if (isRunning && !hasFailed) return 'settled'
  const [name, cause] = hasFailed ? [service, worker] : [unit, state]
  return fail({ exit: 'unreached', messages: [`${name} is ${cause.active} (${cause.result})`] }, false)
}
