import { systemPaths } from '../../../shared/platform/files/paths.ts'
import { isRoot } from '../../../shared/program/paths.ts'
import { hasOtherPasswords } from '../../settings/password-files.ts'
import { execute, showUnit } from './systemctl.ts'
import { daemonVariant, type UnitVariant, userVariant } from './unit-files.ts'

/** The unit of a daemon that this user may start. */
export interface OwnUnit extends Pick<UnitVariant, 'manager' | 'unit'> {
  readonly isActive: boolean
  /** It runs with passwords that have changed since. */
  readonly isOutdated: boolean
}

/** The unit of the daemon that keeps its state in this folder, also one that a stop has ended; undefined without one. */
export async function unitWithState(stateDir: string): Promise<OwnUnit | undefined> {
  if (stateDir !== (await systemPaths({ HOME: process.env['HOME'] }, isRoot()).state())) return undefined
  const { manager, unit } = isRoot() ? daemonVariant : userVariant()
  const shown = await showUnit(manager, unit)
  if (typeof shown === 'string' || shown.load !== 'loaded') return undefined
  if (shown.active === 'inactive' && shown.file !== 'enabled') return undefined
  const isActive = shown.active === 'active'
  // The unit of a user reads the files itself.
  return { manager, unit, isActive, isOutdated: isActive && isRoot() && (await hasOtherPasswords(unit)) }
}

/** The error text where systemd refuses. */
export async function systemctl(
  verb: 'start' | 'restart',
  { manager, unit }: OwnUnit,
): Promise<string | undefined> {
  const { code, output } = await execute('systemctl', [...manager, verb, unit])
  return code === 0 ? undefined : `systemctl ${verb} ${unit}: ${output.split('\n')[0] ?? ''}`
}
