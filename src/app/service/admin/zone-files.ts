import { readFile } from 'node:fs/promises'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Instant } from '../../../base/time.ts'
import { systemClock } from '../../../platform/clock/clock.ts'
import type { OperationResult } from '../../../server/admin/operation.ts'
import { APEX, canonicalName, fqdnOf, nameFault } from '../../../server/model/dns-name.ts'
import { textOfOctets } from '../../../server/model/master-file-entries.ts'
import { formatMasterFile } from '../../../server/model/master-file-format.ts'
import { type MasterRecord, parseMasterFile } from '../../../server/model/master-file.ts'
import type { Name, RRSet, Zone } from '../../../server/model/tree.ts'
import { MAX_RRSET_RECORDS, stateFaults } from '../../../server/rules/state.ts'
import type { NamesOf } from '../../../server/store/records.ts'
import type { StoreReads, StoreWrites } from '../../../server/store/store.ts'
import { operatorChange } from './operator-changes.ts'

/** What was wrong with an import; nothing was changed. Thrown, so that the transaction is rolled back. */
export class ImportRefused extends Error {
  readonly messages: readonly string[]

  constructor(messages: readonly string[]) {
    super(messages.join('; '))
    this.messages = messages
  }
}

/** Read together. */
const PAGE = 500

/** Every name of a zone or of an account, with everything at it. */
export async function allNames(r: Pick<StoreReads, 'namesAfter'>, of: NamesOf): Promise<readonly Name[]> {
  const names: Name[] = []
  for (;;) {
    const page = await r.namesAfter(of, names.at(-1)?.id ?? 0, PAGE)
    names.push(...page)
    if (page.length < PAGE) return names
  }
}

/** The zone as a master file, on standard output. */
export async function exportZone(
  r: StoreReads,
  zoneName: string,
  nameservers: readonly string[],
): Promise<Result<OperationResult, string>> {
  const zone = await r.zoneNamed(canonicalName(zoneName))
  if (zone === undefined) return err(`there is no zone ${zoneName}`)
  const lines = formatMasterFile(zone, await allNames(r, { zoneId: zone.id }), nameservers)
  return ok({ lines, data: { zone: zone.name, file: `${lines.join('\n')}\n` } })
}

/** A master file, read before the transaction begins. */
interface ReadZone {
  readonly path: string
  /** Without the NS of the apex, which stay those of the service. */
  readonly records: readonly MasterRecord[]
}

/** Reads the file before the transaction, because it may be a pipe without a writer, and other processes would wait. */
export async function readZone(zoneName: string, path: string): Promise<ReadZone> {
  const octets = await readFile(path).catch((error: Error) => {
    throw new ImportRefused([`${path} cannot be read: ${error.message}`])
  })
  const parsed = parseMasterFile(textOfOctets(octets), canonicalName(zoneName))
  if (!parsed.ok) throw new ImportRefused(parsed.error.map((fault) => `${path}: ${fault}`))
  const records = parsed.value.filter(({ name, dnsType }) => !(name === APEX && dnsType === 'NS'))
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

/**
 * Writes the records of a master file into a zone that has no names yet.
 * All or nothing; the SOA stays that of the service.
 */
export async function importZone(
  w: StoreWrites,
  zoneName: string,
  { path, records }: ReadZone,
): Promise<OperationResult> {
  const zone = await w.zoneNamed(canonicalName(zoneName))
  if (zone === undefined) throw new ImportRefused([`there is no zone ${zoneName}; make it with zone add`])
  const apex = await w.nameAt(zone.id, APEX)
  if ((await w.countNames(zone.id)) > (apex === undefined ? 0 : 1))
    throw new ImportRefused([`zone ${zone.name} has names already; an import needs a new zone`])
  if (apex?.rrsets.some(({ isSystem }) => !isSystem) === true)
    throw new ImportRefused([`zone ${zone.name} has records at its apex already; an import needs a new zone`])
  const now = systemClock.now()
  const names = namesFrom(records, { zone, apex, now })
  for (const { name, line } of records) checkName(name, zone, `${path}: line ${line}`)
  for (const name of names) await w.saveName(name, now)
  await checkRules(w, zone, names)
  await w.addOperatorChange(operatorChange('zone import', [zoneName, path], now))
  return {
    lines: [`imported ${records.length} records at ${names.length} names into ${zone.name}`],
    data: { zone: zone.name, records: records.length, names: names.length },
  }
}

function checkName(name: string, zone: Zone, where: string): void {
  const fault = nameFault(name, zone.name)
  if (fault !== undefined) throw new ImportRefused([`${where}: ${fault.detail ?? fault.refused}`])
}

/** The rules of DNS, on the zone as it is with all records. */
async function checkRules(w: StoreWrites, zone: Zone, names: readonly Name[]): Promise<void> {
  const reads = {
    nameAt: async (name: string) => w.nameAt(zone.id, name),
    pointersTo: async (name: string) => w.pointersTo(zone.id, fqdnOf(name, zone.name)),
  }
  const faults: string[] = []
  for (const after of names)
    for (const { detail = '' } of await stateFaults({ zone, before: undefined, after }, reads))
      faults.push(`${fqdnOf(after.name, zone.name)}: ${detail}`)
  if (faults.length > 0) throw new ImportRefused(faults)
}

interface ImportContext {
  readonly zone: Zone
  readonly apex: Name | undefined
  readonly now: Instant
}

function namesFrom(records: readonly MasterRecord[], context: ImportContext): readonly Name[] {
  const byName = recordsBy(records, ({ name }) => name)
  return [...byName].map(([name, own]) => nameFrom(name, own, context))
}

function nameFrom(name: string, records: readonly MasterRecord[], { zone, apex, now }: ImportContext): Name {
  const rrsets = [...recordsBy(records, ({ dnsType }) => dnsType)].map(
    ([dnsType, own]): RRSet => ({
      dnsType,
      // RFC 2181 §5.2: the records of an RRset have one TTL, the lowest of different ones.
      ttl: Math.min(...own.map(({ ttl = zone.defaultTtl }) => ttl)),
      isSystem: false,
      metadata: {},
      rdata: distinct(own).map((value, at) => ({ label: `_${at + 1}`, value, isSystem: false })),
      createdAt: now,
      updatedAt: now,
    }),
  )
  if (name === APEX && apex !== undefined) return { ...apex, rrsets: [...apex.rrsets, ...rrsets] }
  return {
    zoneId: zone.id,
    accountId: zone.accountId,
    name,
    isProhibited: false,
    isBlocked: false,
    isImplicit: false,
    isOffline: false,
    metadata: {},
    rrsets,
    createdAt: now,
    updatedAt: now,
  }
}

/** In the order in which the keys come first. */
function recordsBy<K>(
  records: readonly MasterRecord[],
  keyOf: (record: MasterRecord) => K,
): Map<K, MasterRecord[]> {
  const groups = new Map<K, MasterRecord[]>()
  for (const record of records) {
    const key = keyOf(record)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return groups
}

/** A record that stands in the file twice is one record (RFC 2181 §5). */
const distinct = (records: readonly MasterRecord[]): readonly string[] => [
  ...new Set(records.map(({ value }) => value)),
]
