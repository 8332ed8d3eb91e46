import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { OperationResult } from './operation.ts'
import { nameAndAncestors } from '../../shared/dns/name.ts'
import { APEX, canonicalName, fqdnOf } from '../model/dns-name.ts'
import { nameFault } from '../rules/creation.ts'
import { linesOfOctets } from '../model/master-file/entries.ts'
import { type MasterRecord, parseMasterFile } from '../model/master-file/records.ts'
import type { Name, Zone } from '../model/tree.ts'
import { zoneOfNames } from '../api/zones/import-rules.ts'
import { importedNames, type PresentZone } from '../api/zones/imported-names.ts'
import {
  countsOf,
  differenceOf,
  kindOf,
  rrsetText,
  type ZoneDifference,
} from '../api/zones/zone-difference.ts'
import { allNames } from '../api/zones/zone-file.ts'
import { MAX_RRSET_RECORDS } from '../model/draft.ts'
import { stateFaults } from '../rules/state.ts'
import type { SnapshotReads, Store } from '../store/store.ts'
import { type BulkClocks, HOST_CLOCKS, sweepHidden } from './store/sweeper.ts'
import { type NotReplaced, replaceContent } from './store/zone-draft.ts'
import { operatorChange } from './operator-changes.ts'

/** What was wrong with an import; nothing was changed. */
export class ImportRefused extends Error {
  readonly messages: readonly string[]
  /** Another attempt may succeed. */
  readonly isPassing: boolean = false

  constructor(messages: readonly string[]) {
    super(messages.join('; '))
    this.messages = messages
  }
}

/** The zone is in use by others. */
class ImportBusy extends ImportRefused {
  override readonly isPassing = true
}

/** A master file, with records for one zone. */
interface ReadZone {
  readonly path: string
  /** Without the NS of the apex, which stay those of the service. */
  readonly records: readonly MasterRecord[]
}

/** Reads the file first: it may be a pipe without a writer. `-` is standard input. */
export async function readZone(zoneName: string, path: string): Promise<ReadZone> {
  const octets = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch((error: Error) => {
    throw new ImportRefused([`${path} cannot be read: ${error.message}`])
  })
  const parsed = parseMasterFile(linesOfOctets([octets]), canonicalName(zoneName))
  if (!parsed.ok)
    throw new ImportRefused(parsed.error.map(({ line, detail }) => `${path}: line ${line}: ${detail}`))
  const records = parsed.value.filter(({ name, dnsType }) => !(name === APEX && dnsType === 'NS'))
  if (records.length === 0) throw new ImportRefused([`${path} has no records for ${canonicalName(zoneName)}`])
  const excess = excessOf(records)
  if (excess !== undefined)
    throw new ImportRefused([
      `${path}: line ${excess.line}: ${excess.name} has more than ${MAX_RRSET_RECORDS} records of type ${excess.dnsType}`,
    ])
  return { path, records }
}

/** The first record that does not fit in its RRSet. A record that stands in the file twice is one. */
function excessOf(records: readonly MasterRecord[]): MasterRecord | undefined {
  const values = new Map<string, Set<string>>()
  return records.find(({ name, dnsType, value }) => {
    const key = `${name} ${dnsType}`
    const seen = values.get(key) ?? new Set()
    values.set(key, seen.add(value))
    return seen.size > MAX_RRSET_RECORDS
  })
}

interface ImportRequest extends ReadZone {
  readonly zoneName: string
  /** The file takes the place of what the zone has. */
  readonly isReplacing: boolean
  /** Nothing is changed; the result says what would be. */
  readonly isDryRun?: boolean
}

/**
 * Makes the records of a master file the content of a zone: all of it at one moment, or nothing. Its steps are short: a
 * service goes on meanwhile (decision 0050).
 */
export async function importIntoZone(
  store: Store,
  request: ImportRequest,
  clocks: BulkClocks = HOST_CLOCKS,
): Promise<OperationResult> {
  const { zoneName, path, records, isDryRun = false } = request
  const now = clocks.day.now()
  const { zone, stored, prints } = await store.snapshot(async (r) => {
    const present = await presentZone(r, request)
    return { ...present, prints: await r.zonePrints(present.zone.id) }
  })
  await checkBeneath(store, zone, request)
  for (const { name, line } of records) checkName(name, zone, `${path}: line ${line}`)
  const names = importedNames(records, { zone, stored, now })
  await checkRules(zone, names)
  if (isDryRun) return previewOf(zone, await differenceOf(stored, names))
  const outcome = await replaceContent(
    store,
    { zone, stored, names, prints },
    {
      clocks,
      record: async (w, { serial }) =>
        w.addOperatorChange({
          ...operatorChange('zone import', [zoneName, path], now),
          before: `${stored.length} names, serial ${zone.serial}`,
          after: `${names.length} names, serial ${serial}`,
        }),
    },
  )
  await sweepHidden(store, [], clocks)
  if (outcome !== 'replaced') throw new ImportBusy([BUSY[outcome](zone)])
  return {
    lines: [`imported ${records.length} records at ${names.length} names into ${zone.name}`],
    data: { zone: zone.name, records: records.length, names: names.length },
  }
}

const BUSY: Readonly<Record<NotReplaced, (zone: Zone) => string>> = {
  gone: ({ name }) => `zone ${name} was removed or replaced since the import began; nothing was imported`,
  locked: ({ name }) =>
    `a name of ${name} that the file changes was locked or blocked since the import began; nothing was imported`,
  'another import': ({ name }) =>
    `another import into ${name} is under way; if it was ended, try again in a minute`,
  'not rendered': () =>
    'the service began to publish the names, and has stopped; nothing was imported: check that it runs, and try again',
}

/** One line for each RRSet that would differ, and how many there are. */
function previewOf(zone: Zone, difference: ZoneDifference): OperationResult {
  const counts = countsOf(difference)
  const changes = difference.rrsets.map((one) => ({
    name: one.name,
    type: one.dnsType,
    change: kindOf(one),
    before: rrsetText(one.before) ?? null,
    after: rrsetText(one.after) ?? null,
  }))
  const lines = changes.map(({ name, type, change, before, after }) =>
    [change, name, type, ...(change === 'changed' ? [before, '->', after] : [before ?? after])].join(' '),
  )
  const total = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  return {
    lines: [...lines, `${zone.name}: ${total.join(', ')}; nothing was changed`],
    data: { zone: zone.name, ...counts, changes },
  }
}

async function presentZone(
  r: SnapshotReads,
  { zoneName, isReplacing }: Pick<ImportRequest, 'zoneName' | 'isReplacing'>,
): Promise<PresentZone> {
  const zone = await r.zoneNamed(canonicalName(zoneName))
  if (zone === undefined) throw new ImportRefused([`there is no zone ${zoneName}; make it with zone add`])
  const others = await r.countNamesOfOthers(zone.id, zone.accountId)
  if (others > 0)
    throw new ImportRefused([`zone ${zone.name} has ${others} names of other accounts, which would be lost`])
  if (isReplacing) return { zone, stored: await allNames(r, { zoneId: zone.id }) }
  const stored = await r.namesAfter({ zoneId: zone.id }, 0, 2)
  const remedy = 'add replace to replace what the zone has with the file'
  if (stored.some(({ name }) => name !== APEX))
    throw new ImportRefused([`zone ${zone.name} has names already; ${remedy}`])
  if (stored.some(({ rrsets }) => rrsets.some(({ isSystem }) => !isSystem)))
    throw new ImportRefused([`zone ${zone.name} has records at its apex already; ${remedy}`])
  return { zone, stored }
}

function checkName(name: string, zone: Zone, where: string): void {
  const fault = nameFault(name, zone.name)
  if (fault !== undefined) throw new ImportRefused([`${where}: ${fault.detail ?? fault.refused}`])
}

/** At and beneath the apex of another account's zone, that zone answers: `/v1` refuses such names too (3331). */
async function checkBeneath(store: Store, zone: Zone, { records, path }: ImportRequest): Promise<void> {
  const others = await store.write(async (w) => {
    const apexes = await w.zonesBeneath([zone.name])
    const zones = await Promise.all(apexes.map(async (apex) => w.zoneNamed(apex)))
    return new Set(zones.filter((one) => one?.accountId !== zone.accountId).map((one) => one?.name))
  })
  for (const { name, line } of others.size === 0 ? [] : records) {
    const fqdn = fqdnOf(name, zone.name)
    const holder = nameAndAncestors(fqdn).find((one) => others.has(one))
    if (holder !== undefined)
      throw new ImportRefused([
        `${path}: line ${line}: ${fqdn} belongs to ${holder}, a zone of another account`,
      ])
  }
}

/** The rules of DNS, on the zone as it is with all records. */
async function checkRules(zone: Zone, names: readonly Name[]): Promise<void> {
  const reads = await zoneOfNames(zone, names)
  const faults: string[] = []
  for (const after of names)
    for (const { detail = '' } of await stateFaults({ zone, before: undefined, after }, reads))
      faults.push(`${fqdnOf(after.name, zone.name)}: ${detail}`)
  if (faults.length > 0) throw new ImportRefused(faults)
}
