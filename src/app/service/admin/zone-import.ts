import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { after, instant, type Instant, milliseconds, seconds } from '../../../base/time.ts'
import type { OperationResult } from '../../../server/admin/operation.ts'
import { nameAndAncestors } from '../../../dns/name.ts'
import { APEX, canonicalName, fqdnOf, nameFault } from '../../../server/model/dns-name.ts'
import { textOfOctets } from '../../../server/model/master-file-entries.ts'
import { type MasterRecord, parseMasterFile } from '../../../server/model/master-file.ts'
import type { Name, Zone } from '../../../server/model/tree.ts'
import { resultingZone } from '../../../server/rules/resulting-zone.ts'
import { MAX_RRSET_RECORDS, stateFaults } from '../../../server/rules/state.ts'
import type { SnapshotReads, Store } from '../../../server/store/store.ts'
import { type BulkClocks, HOST_CLOCKS, StepPace, sweepHidden } from '../store/sweeper.ts'
import { importedNames, type PresentZone } from './imported-names.ts'
import { operatorChange } from './operator-changes.ts'
import { allNames } from './zone-files.ts'

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
  const parsed = parseMasterFile(textOfOctets(octets), canonicalName(zoneName))
  if (!parsed.ok) throw new ImportRefused(parsed.error.map((fault) => `${path}: ${fault}`))
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
}

/**
 * Makes the records of a master file the content of a zone: all of it at one moment, or nothing. Its steps are short: a
 * service goes on meanwhile (decision 0050).
 */
export async function importZone(
  store: Store,
  request: ImportRequest,
  clocks: BulkClocks = HOST_CLOCKS,
): Promise<OperationResult> {
  const { zoneName, path, records } = request
  const now = clocks.day.now()
  const { zone, stored } = await store.snapshot(async (r) => presentZone(r, request))
  await checkBeneath(store, zone, request)
  for (const { name, line } of records) checkName(name, zone, `${path}: line ${line}`)
  const names = importedNames(records, { zone, stored, now })
  await checkRules(zone, names)
  const draft = await newDraft(store, zone, clocks)
  const giveUp = async (): Promise<unknown> =>
    store.write(async (w) => w.fillDraft(draft, [], instant(0))).catch(() => false)
  try {
    await fill(store, { zone, names, draft }, clocks)
    await rendered(store, draft, clocks)
  } catch (error) {
    await giveUp()
    throw error
  }
  const isDone = await store.write(async (w) => {
    if (!(await w.replaceByDraft(draft, zone.updatedAt, clocks.day.now()))) return false
    const after = await w.zoneNamed(zone.name)
    await w.addOperatorChange({
      ...operatorChange('zone import', [zoneName, path], now),
      before: `${stored.length} names, serial ${zone.serial}`,
      after: `${names.length} names, serial ${after?.serial}`,
    })
    return true
  })
  if (!isDone) await giveUp()
  await sweepHidden(store, [], clocks)
  if (!isDone) throw hasChanged(zone)
  return {
    lines: [`imported ${records.length} records at ${names.length} names into ${zone.name}`],
    data: { zone: zone.name, records: records.length, names: names.length },
  }
}

const hasChanged = ({ name }: Zone): ImportRefused =>
  new ImportBusy([
    `zone ${name} has changed since the import began; nothing was imported. ` +
      `Lock it first with holdfast admin zone set ${name} prohibited=yes, or try again`,
  ])

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
  const remedy = 'add replace, and the file takes the place of what the zone has'
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
  const nothing = { nameAt: async () => undefined, pointersTo: async () => [] }
  const reads = resultingZone(
    nothing,
    names.map((after) => ({ zone, before: undefined, after })),
  )
  const faults: string[] = []
  for (const after of names)
    for (const { detail = '' } of await stateFaults({ zone, before: undefined, after }, reads))
      faults.push(`${fqdnOf(after.name, zone.name)}: ${detail}`)
  if (faults.length > 0) throw new ImportRefused(faults)
}

/** An import that does not renew it is given up after this. */
const LEASE = seconds(60)
const lease = ({ day }: BulkClocks): Instant => after(day.now(), LEASE)

async function newDraft(store: Store, zone: Zone, clocks: BulkClocks): Promise<number> {
  const draft = await store.write(async (w) => w.addDraft(zone.id, lease(clocks), clocks.day.now()))
  if (draft === undefined)
    throw new ImportBusy([
      `another import into ${zone.name} is under way; if it was ended, try again in a minute`,
    ])
  return draft
}

interface DraftContent {
  readonly zone: Zone
  readonly names: readonly Name[]
  readonly draft: number
}

async function fill(store: Store, { zone, names, draft }: DraftContent, clocks: BulkClocks): Promise<void> {
  const pace = new StepPace(store, clocks.steady)
  for (let at = 0; at < names.length; )
    at += await pace.take(async (rows) => {
      const part = names.slice(at, at + rows)
      if (!(await store.write(async (w) => w.fillDraft(draft, part, lease(clocks))))) throw hasChanged(zone)
      return part.length
    })
}

const LOOK_INTERVAL = milliseconds(100)
/** Looks without progress: no service runs that renders names, and one that starts later does it; or it has stopped. */
const MAX_IDLE_LOOKS = { first: 15, later: 50 } as const

/** Waits until the service has rendered the names, so that name servers get all of them at one moment too. */
async function rendered(store: Store, draft: number, clocks: BulkClocks): Promise<void> {
  let [least, maxIdle]: [number, number] = [Infinity, MAX_IDLE_LOOKS.first]
  for (let idle = 0; idle < maxIdle; idle++) {
    const left = await store.write(async (w) => {
      // The replacement fails then.
      if (!(await w.fillDraft(draft, [], lease(clocks)))) return 0
      return w.countUnpublished(draft)
    })
    if (left === 0) return
    if (left < least && least !== Infinity) [idle, maxIdle] = [0, MAX_IDLE_LOOKS.later]
    least = Math.min(least, left)
    await clocks.steady.sleep(after(clocks.steady.now(), LOOK_INTERVAL))
  }
  if (maxIdle === MAX_IDLE_LOOKS.later)
    throw new ImportBusy([
      'the service began to publish the names, and has stopped; nothing was imported: see whether it runs, and try again',
    ])
}
