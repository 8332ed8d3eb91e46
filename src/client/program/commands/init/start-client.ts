import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { isRoot } from '../../../../shared/program/paths.ts'
import type { Exit } from '../../../../shared/program/exit-codes.ts'
import type { ConfigDraft } from '../../../setup/draft.ts'
import { execute, showUnit } from '../../../setup/systemd/systemctl.ts'
import { fail, print } from '../../../../shared/program/output.ts'
import type { Start } from '../starts.ts'

interface StartContext {
  /** A configuration file in another place than the usual one. */
  readonly config: string | undefined
  readonly draft: ConfigDraft
}

/** systemd(1), sd_booted(3). */
export const hasSystemd = async (): Promise<boolean> =>
  access('/run/systemd/system').then(
    () => true,
    () => false,
  )

const INSTALL = (): string => (isRoot() ? 'holdfast service install' : 'holdfast service install --user')

/** What a start would do. */
export function startLinesOf(start: Start, context: StartContext): readonly string[] {
  if (start === 'none') return []
  return start === 'systemd' ? [`would run ${INSTALL()}`] : LINES[start](context)
}

/** Starts the client from now on, or prints how. */
export async function startClient(start: Start, context: StartContext): Promise<Exit> {
  if (start === 'none') return 'settled'
  if (start === 'systemd') return startUnit(context)
  print(...LINES[start](context))
  return 'settled'
}

async function startUnit({ config }: StartContext): Promise<Exit> {
  if (config !== undefined || !(await hasSystemd())) {
    print(
      config === undefined
        ? `systemd does not run here, so nothing keeps it up to date yet; on a host with systemd: ${INSTALL()}`
        : 'the units read the usual configuration file only; without --output, holdfast service install starts them',
    )
    return 'settled'
  }
  const { daemonVariant, userVariant } = await import('../../../setup/systemd/unit-files.ts')
  const { unit, manager } = isRoot() ? daemonVariant : userVariant()
  const shown = await showUnit(manager, unit)
  const isRunning = typeof shown === 'object' && shown.active === 'active'
  // The credentials of a unit are loaded when it starts, so a reload would not find a new password.
  if (isRunning) return restartUnit(unit, manager)
  const { serviceCommand } = await import('../service.ts')
  return serviceCommand({
    operation: 'install',
    isForUser: !isRoot(),
    isTimer: false,
    isServe: false,
    isDryRun: false,
  })
}

async function restartUnit(unit: string, manager: readonly string[]): Promise<Exit> {
  const args = [...manager, 'restart', unit]
  print(`runs systemctl ${args.join(' ')}`)
  const { code, output } = await execute('systemctl', args)
  return code === 0
    ? 'settled'
    : fail({ exit: 'configuration', messages: [`systemctl ${args.join(' ')}: ${output}`] }, false)
}

const option = ({ config }: StartContext): string => (config === undefined ? '' : ` --config ${config}`)

/** cron finds programs in /usr/bin and /bin only, and Node itself may be elsewhere. */
const commandForCron = (): string =>
  existsSync('/usr/bin/holdfast') ? 'holdfast' : `${process.execPath} ${process.argv[1] ?? 'holdfast'}`

const INIT_SCRIPT = '/etc/init.d/holdfast'

const LINES: Readonly<
  Record<Exclude<Start, 'none' | 'systemd'>, (context: StartContext) => readonly string[]>
> = {
  cron: (context) => [
    'cron: add this line with crontab -e; it sends mail only if there is something to do or a problem',
    `  */5 * * * * ${commandForCron()} update --quiet${option(context)}`,
  ],
  openwrt: (context) => [
    existsSync(INIT_SCRIPT)
      ? 'OpenWrt: start the daemon now and at every boot with'
      : `OpenWrt: copy systemd/openwrt/holdfast.init of the package to ${INIT_SCRIPT}, then`,
    `  ${INIT_SCRIPT} enable; ${INIT_SCRIPT} start`,
    `  (it runs: holdfast run${option(context)})`,
  ],
  container: ({ draft }) => [
    'container: set these variables, pass the password as a secret file, and use the host network',
    ...draft.accounts
      .slice(0, 1)
      .flatMap(({ settings }) =>
        Object.entries(settings).map(
          ([key, value]) =>
            `  HOLDFAST_${key.toUpperCase()}=${typeof value === 'object' ? value.join(',') : String(value)}`,
        ),
      ),
    '  HOLDFAST_PASSWORD_FILE=/run/secrets/holdfast',
    '  HOLDFAST_WHEN_STOPPED=idle',
  ],
}
