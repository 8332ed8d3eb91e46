import { type ErrorName, ERRORS, type Refusal, refuse } from '../../model/errors.ts'
import type { MasterFault } from '../../model/master-file/entries.ts'
import type { Name } from '../../model/tree.ts'
import { hasFullAccess, IN_PATH, isOwner } from '../../rules/permission.ts'
import type { QuotaFault } from '../../rules/quota.ts'
import type { StateFault } from '../../rules/state.ts'
import { readDryRun } from '../query/query.ts'
import {
  ACCEPTED,
  DONE,
  type HandlerResult,
  refused,
  refusedWith,
  type RequestContext,
  unexpected,
  type Warning,
} from '../request/context.ts'
import { badBody, SCOPE_REFUSED } from '../request/faults.ts'
import { MAX_SHOWN_CHANGES, MAX_SHOWN_FAULTS } from '../request/limits.ts'
import { zoneToChange } from '../request/locate.ts'
import { importSteps } from './imported-names.ts'
import {
  type ImportPlaceFault,
  type ImportPolicyFault,
  importPolicyFaults,
  importQuotaFaults,
  importStateFaults,
  indexOf,
  isOfService,
  type LineFault,
  placeFaults,
  type PlannedZone,
  type SystemFault,
  systemFaults,
} from './import-rules.ts'
import { countsOf, differenceOf, kindOf, rrsetText, type ZoneDifference } from './zone-difference.ts'
import { allNames, withPauses, type ZoneFile } from './zone-file.ts'

/** What the lines of a file, or the zone that they make, are refused with. */
type ContentFault =
  | MasterFault['refused']
  | SystemFault
  | ImportPlaceFault
  | ImportPolicyFault
  | StateFault
  | QuotaFault
type ImportFault =
  | Extract<ErrorName, 'zoneNotFound' | 'zoneNotShared' | 'websiteOnly' | 'zoneChangeProhibited'>
  | ContentFault

/**
 * Makes the records of a master file the content of a zone, all or none. The handler only plans it, in one snapshot; the
 * content is stored in steps after it, unless the request is for a preview.
 */
export async function importZone(
  context: RequestContext,
): Promise<HandlerResult<ImportFault, 'scopeInsufficient'>> {
  const { caller, store, service, now, file = { records: [], faults: [] } } = context
  const isDryRun = readDryRun(context)
  if ('malformed' in isDryRun) return isDryRun
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  if (!isOwner(caller, zone))
    return refused(refuse('nameChangeForbidden', 'only the owner can replace the content of a zone', IN_PATH))
  const records = file.records.filter((one) => !isOfService(one))
  if (records.length === 0 && file.faults.length === 0)
    return { malformed: [badBody(`the file has no records for ${zone.name}`)] }
  const prints = await store.zonePrints(zone.id)
  const stored = await allNames(store, { zoneId: zone.id }, service.pause)
  const names: Name[] = []
  await withPauses(importSteps(records, { zone, stored, now }), service.pause, (one) => {
    if (one !== undefined) names.push(one)
  })
  const difference = await differenceOf(stored, names, service.pause)
  const index = await indexOf(records, service.pause)
  const faults = await contentFaults(context, file, { zone, stored, names, difference, index })
  if (isDryRun.value)
    return { ...DONE, data: importShown(difference, faults), warnings: keyWarnings(difference) }
  if (faults.length > 0) return refusedWith(faults.slice(0, MAX_SHOWN_FAULTS).map(withLine))
  const data = importShown(difference, [])
  return difference.names.length === 0
    ? { ...DONE, data }
    : { ...ACCEPTED, data, warnings: keyWarnings(difference), replacement: { zone, stored, names, prints } }
}

/** The faults of the first phase that has any, by line. */
async function contentFaults(
  context: RequestContext,
  file: ZoneFile,
  planned: PlannedZone,
): Promise<readonly LineFault<ContentFault>[]> {
  const phases: readonly (() => Promise<readonly LineFault<ContentFault>[]>)[] = [
    async () =>
      file.faults.map(({ line, refused: name, detail }) => ({ line, refusal: refuse(name, detail) })),
    async () => [
      ...systemFaults(file.records, planned.stored),
      ...(await placeFaults(context, planned)),
      ...(await importPolicyFaults(context, planned)),
    ],
    async () => importStateFaults(context, planned),
    async () => importQuotaFaults(context, planned),
  ]
  for (const phase of phases) {
    const faults = await phase()
    if (faults.length > 0) return faults.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity))
  }
  return []
}

const withLine = <R extends ErrorName>({ refusal, line }: LineFault<R>): Refusal<R> => {
  const detail = [line === undefined ? [] : `line ${line}`, refusal.detail ?? []].flat().join(': ')
  return refuse(refusal.refused, detail === '' ? undefined : detail, { location: 'body' })
}

/** What the import changes, and what of the file is refused. */
const importShown = (difference: ZoneDifference, faults: readonly LineFault<ErrorName>[]): object => ({
  ...countsOf(difference),
  changes: difference.rrsets.slice(0, MAX_SHOWN_CHANGES).map((one) => ({
    name: one.name,
    dns_type: one.dnsType,
    change: kindOf(one),
    before: rrsetText(one.before) ?? null,
    after: rrsetText(one.after) ?? null,
  })),
  more_changes: Math.max(0, difference.rrsets.length - MAX_SHOWN_CHANGES),
  digest: difference.digest,
  refused: faults.slice(0, MAX_SHOWN_CHANGES).map(({ refusal, line }) => ({
    line: line ?? null,
    code: String(ERRORS[refusal.refused].code),
    title: ERRORS[refusal.refused].meaning,
    detail: refusal.detail ?? null,
  })),
  more_refused: Math.max(0, faults.length - MAX_SHOWN_CHANGES),
})

/** DDNS keys lose what goes with its name or its RRSet; a new value of an RRSet takes over the key of one that goes. */
const keyWarnings = ({ names }: ZoneDifference): readonly Warning[] =>
  names
    .flatMap(({ name, before, after }) => {
      const kept = new Set(keysAt(after))
      return keysAt(before).flatMap((key) =>
        kept.has(key) ? [] : [`the DDNS key ${key} has no target at ${name} any more`],
      )
    })
    .slice(0, MAX_SHOWN_FAULTS)
    .map(unexpected)

const keysAt = (name: Name | undefined): readonly string[] => [
  ...new Set(
    [
      name?.updateGroup ?? [],
      ...(name?.rrsets ?? []).flatMap(({ rdata }) => rdata.map((one) => one.updateGroup ?? [])),
    ].flat(),
  ),
]
