import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IsOnBattery } from '../../ports/network.ts'

/** Linux, Documentation/ABI/testing/sysfs-class-power. */
const SUPPLIES = '/sys/class/power_supply'

/** A battery of this host is in use; those of a mouse or a headset have the scope Device. */
export const isOnBattery: IsOnBattery = async () => batteryIn(SUPPLIES)

export async function batteryIn(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  const states = await Promise.all(
    names.map(async (name) => {
      const [type, scope, status] = await Promise.all(
        ['type', 'scope', 'status'].map(async (file) =>
          readFile(join(folder, name, file), 'utf8').then(
            (text) => text.trim(),
            () => '',
          ),
        ),
      )
      return type === 'Battery' && scope !== 'Device' && status === 'Discharging'
    }),
  )
  return states.includes(true)
}
