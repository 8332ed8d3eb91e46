import { err, ok, type Result } from '../../../base/result.ts'
import type { OperationResult } from '../../../server/admin/operation.ts'
import { canonicalName } from '../../../server/model/dns-name.ts'
import { formatMasterFile } from '../../../server/model/master-file-format.ts'
import type { Name } from '../../../server/model/tree.ts'
import type { NamesOf } from '../../../server/store/records.ts'
import type { SnapshotReads } from '../../../server/store/store.ts'

/** Read together. */
const PAGE = 500

/** Every name of a zone or of an account, with everything at it. */
export async function allNames(r: Pick<SnapshotReads, 'namesAfter'>, of: NamesOf): Promise<readonly Name[]> {
  const names: Name[] = []
  for (;;) {
    const page = await r.namesAfter(of, names.at(-1)?.id ?? 0, PAGE)
    names.push(...page)
    if (page.length < PAGE) return names
  }
}

/** The zone as a master file, on standard output. */
export async function exportZone(
  r: SnapshotReads,
  zoneName: string,
  nameservers: readonly string[],
): Promise<Result<OperationResult, string>> {
  const zone = await r.zoneNamed(canonicalName(zoneName))
  if (zone === undefined) return err(`there is no zone ${zoneName}`)
  const lines = formatMasterFile(zone, await allNames(r, { zoneId: zone.id }), nameservers)
  return ok({ lines, data: { zone: zone.name, file: `${lines.join('\n')}\n` } })
}
