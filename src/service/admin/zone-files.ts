import { err, ok, type Result } from '../../shared/base/result.ts'
import type { OperationResult } from './operation.ts'
import { zoneFileLines } from '../api/zones/zone-file.ts'
import { canonicalName } from '../model/dns-name.ts'
import type { SnapshotReads } from '../store/store.ts'

/** The zone as a master file, on standard output. */
export async function printZone(
  r: SnapshotReads,
  zoneName: string,
  nameservers: readonly string[],
): Promise<Result<OperationResult, string>> {
  const zone = await r.zoneNamed(canonicalName(zoneName))
  if (zone === undefined) return err(`there is no zone ${zoneName}`)
  const lines = await zoneFileLines(r, { zone, nameservers })
  return ok({ lines, data: { zone: zone.name, file: `${lines.join('\n')}\n` } })
}
