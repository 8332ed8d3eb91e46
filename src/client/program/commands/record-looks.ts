import type { RecordLook } from '../status/record-look.ts'
import { type ClientSettingFlags, readSettings } from '../../settings/settings.ts'
import { milliseconds } from '../../../shared/base/time.ts'
import { StateUnreadable } from '../../agent/memory/memory.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'

/** In milliseconds, for all services together. */
const RECORDS_TIMEOUT = 30_000

/** What services of records have, read and not changed; nothing where the accounts are not complete. */
export async function recordLooks(
  flags: ClientSettingFlags,
  system: SystemPorts,
): Promise<readonly RecordLook[]> {
  const settings = await readSettings(flags)
  if (!settings.ok) return []
  const { lookAtRecords } = await import('../status/record-look.ts')
  const signal = system.steady.deadline(milliseconds(RECORDS_TIMEOUT))
  return lookAtRecords(settings.value, system, signal).catch((error: unknown) => {
    // Without the state, a stop may stand.
    if (error instanceof StateUnreadable) return []
    throw error
  })
}

/** A line for each; requests of both families show the same. */
export const recordLines = (looks: readonly RecordLook[]): readonly string[] => [
  ...new Set(looks.map(({ account, message }) => `${account}: ${message}`)),
]
