import { systemPaths } from '../../../platform/files/paths.ts'
import { isRoot } from '../../paths.ts'
import { execute, showUnit } from './systemctl.ts'
import { daemonVariant, type UnitVariant, userVariant } from './unit-files.ts'

/**
 * The unit of the daemon that keeps its state in this folder, also one that a stop has ended; undefined without one, or
 * without the right to restart it.
 */
export async function unitWithState(stateDir: string): Promise<UnitVariant | undefined> {
  if (stateDir !== (await systemPaths({ HOME: process.env['HOME'] }, isRoot()).state())) return undefined
  const variant = isRoot() ? daemonVariant : userVariant()
  const shown = await showUnit(variant.manager, variant.unit)
  if (typeof shown === 'string' || shown.load !== 'loaded') return undefined
  return shown.active !== 'inactive' || shown.file === 'enabled' ? variant : undefined
}

/** Stops or starts it; the error text where systemd refuses. */
export async function control(
  verb: 'stop' | 'start',
  { manager, unit }: UnitVariant,
): Promise<string | undefined> {
  const { code, output } = await execute('systemctl', [...manager, verb, unit])
  return code === 0 ? undefined : `systemctl ${verb} ${unit}: ${output.split('\n')[0] ?? ''}`
}
