import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import { APEX, fqdnOf, parentOf } from '../../model/dns-name.ts'
import type { MasterRecord } from '../../model/master-file/records.ts'
import type { Pointer } from '../../model/targets.ts'
import { type Name, type RRSet, rrsetOf, type Zone } from '../../model/tree.ts'
import { nameLockFault, permissionFaults } from '../../rules/permission.ts'
import { type CreationFault, creationFault, type ParentFault, parentFault } from '../../rules/creation.ts'
import { innerZoneFault } from '../../rules/nesting.ts'
import { type QuotaFault, quotaFaults, usageFaults } from '../../rules/quota.ts'
import { removalFault, type StateFault, stateFaults } from '../../rules/state.ts'
import type { RequestContext } from '../request/context.ts'
import { delegationFaults } from '../writing/writing.ts'
import { hasSameRecords } from './imported-names.ts'
import type { ChangedName, ChangedRRSet, ZoneDifference } from './zone-difference.ts'
import { type Pause, withPauses } from './zone-file.ts'
import { pointersOfChange, type ZoneReads } from '../../rules/resulting-zone.ts'

/** A refusal with the line of the file that it is about, if it is about one. */
export interface LineFault<R extends ErrorName> {
  readonly refusal: Refusal<R>
  readonly line: number | undefined
}

/** The zone that an import makes. */
export interface PlannedZone {
  readonly zone: Zone
  readonly stored: readonly Name[]
  readonly names: readonly Name[]
  readonly difference: ZoneDifference
  readonly index: FileIndex
}

type Checked = Pick<RequestContext, 'caller' | 'store' | 'service'>

/** The faults of each, with pauses. */
async function faultsOfEach<T, F>(
  items: readonly T[],
  pause: Pause,
  faultsOf: (item: T) => readonly F[] | Promise<readonly F[]>,
): Promise<readonly F[]> {
  const faults: F[] = []
  await withPauses(items, pause, async (item) => {
    for (const fault of await faultsOf(item)) faults.push(fault)
  })
  return faults
}

/** Where the records of a file are, and what it says of their TTL. */
interface FileIndex {
  /** The first line of each name, and of each RRSet as "NAME TYPE". */
  readonly lines: ReadonlyMap<string, number>
  /** The lowest TTL that the file gives each RRSet. */
  readonly ttls: ReadonlyMap<string, number>
}

export async function indexOf(records: readonly MasterRecord[], pause: Pause): Promise<FileIndex> {
  const lines = new Map<string, number>()
  const ttls = new Map<string, number>()
  await withPauses(records, pause, ({ name, dnsType, line, ttl }) => {
    const key = `${name} ${dnsType}`
    for (const one of [name, key]) if (!lines.has(one)) lines.set(one, line)
    if (ttl !== undefined) ttls.set(key, Math.min(ttl, ttls.get(key) ?? ttl))
  })
  return { lines, ttls }
}

const IN_BODY = { location: 'body' } as const

/** The NS of the zone stay, with their TTL: a file may have them as they are, or leave them out. */
export type SystemFault = 'rrsetChangeForbidden' | 'rrsetCreateForbidden'
export function systemFaults(
  records: readonly MasterRecord[],
  stored: readonly Name[],
): readonly LineFault<SystemFault>[] {
  const apex = stored.find(({ name }) => name === APEX)
  const given = records.filter(isOfService)
  const [first] = given
  if (first === undefined) return []
  const present = apex && rrsetOf(apex, 'NS')
  const fault = (refused: SystemFault) => ({
    refusal: refuse(refused, 'the service manages the NS records of the zone; leave them out', IN_BODY),
    line: first.line,
  })
  if (present === undefined) return [fault('rrsetCreateForbidden')]
  const values = [...new Set(given.map(({ value }) => value))]
  const rdata = values.map((value) => ({ label: '', value, isSystem: true }))
  return hasSameRecords(present, { ...present, rdata }) ? [] : [fault('rrsetChangeForbidden')]
}

/** The NS of the apex, which are those of the service. */
export const isOfService = ({ name, dnsType }: MasterRecord): boolean => name === APEX && dnsType === 'NS'

export type ImportPlaceFault = CreationFault | ParentFault | 'nameChangeForbidden' | 'nameChangeProhibited'

/** The names that come, change or go: the first fault of each. */
export async function placeFaults(
  { caller, store, service }: Checked,
  { zone, names, difference, index: { lines } }: PlannedZone,
): Promise<readonly LineFault<ImportPlaceFault>[]> {
  const resulting = new Map(names.map((one) => [one.name, one]))
  // One look for all names, as there are rarely any.
  const hasInner = await store.hasOthersBeneath(zone.name, zone.accountId)
  const faultOf = async (name: string): Promise<Refusal<CreationFault | ParentFault> | undefined> =>
    creationFault(caller, zone, { name, isMember: true, reservedNames: service.reservedNames }) ??
    innerZoneFault(caller, hasInner ? await store.zoneInside(zone, name) : undefined) ??
    parentFault(name, resulting.get(parentOf(name)))
  return faultsOfEach(difference.names, service.pause, async ({ name, before }) => {
    const fault = before === undefined ? await faultOf(name) : changeFaultOf(before, zone)
    if (fault === undefined) return []
    const detail = [fqdnOf(name, zone.name), fault.detail].filter(Boolean).join(': ')
    return [{ refusal: refuse(fault.refused, detail, IN_BODY), line: lines.get(name) }]
  })
}

const changeFaultOf = (
  name: Name,
  zone: Zone,
): Refusal<'nameChangeForbidden' | 'nameChangeProhibited'> | undefined =>
  name.accountId === zone.accountId
    ? nameLockFault(name)
    : refuse('nameChangeForbidden', 'the name belongs to another account')

const POLICY_FAULTS = ['typesDisallowed', 'rdataCreateForbidden', 'ttlFixed', 'ttlTooLow'] as const
export type ImportPolicyFault = (typeof POLICY_FAULTS)[number]
const isPolicyFault = (fault: Refusal): fault is Refusal<ImportPolicyFault> =>
  POLICY_FAULTS.some((one) => one === fault.refused)

/** The RRSets that come or change, by the policy of the plan and of the zone. */
export async function importPolicyFaults(
  { caller, service }: Checked,
  { zone, difference, index: { lines, ttls } }: PlannedZone,
): Promise<readonly LineFault<ImportPolicyFault>[]> {
  return faultsOfEach(difference.rrsets, service.pause, ({ name, dnsType, before, after }) => {
    if (after === undefined) return []
    const key = `${name} ${dnsType}`
    const ttl = ttls.get(key)
    const draft = {
      dnsType: after.dnsType,
      ...(ttl !== undefined && ttl !== before?.ttl && { ttl }),
      metadata: {},
      rdata: [],
      pointer: '',
    }
    const rules = addsValues({ before, after })
      ? (['type', 'newRdata', 'fixedTtl', 'minTtl'] as const)
      : (['type', 'fixedTtl', 'minTtl'] as const)
    return permissionFaults(rules, draft, { caller, zone, name, existing: before, groups: {} })
      .filter(isPolicyFault)
      .map(({ refused, detail }) => ({
        refusal: refuse(refused, [`${name} ${dnsType}`, detail].filter(Boolean).join(': '), IN_BODY),
        line: lines.get(key),
      }))
  })
}

/** As in other writes: a value in the place of another one is none that is added. */
const addsValues = ({ before, after }: Pick<ChangedRRSet, 'before' | 'after'>): boolean =>
  (after?.rdata.length ?? 0) > (before?.rdata.length ?? 0)

/** The zone as it is with these names alone. */
export async function zoneOfNames(zone: Zone, names: readonly Name[], pause?: Pause): Promise<ZoneReads> {
  const byName = new Map(names.map((one) => [one.name, one]))
  const pointers = new Map<string, Pointer[]>()
  await withPauses(names, pause, (after) => {
    for (const { to, pointer } of pointersOfChange({ zone, before: undefined, after })) {
      const known = pointers.get(to)
      if (known === undefined) pointers.set(to, [pointer])
      else known.push(pointer)
    }
  })
  return { nameAt: async (name) => byName.get(name), pointersTo: async (name) => pointers.get(name) ?? [] }
}

/** The rules of DNS, on the zone as it is after the import. */
export async function importStateFaults(
  { store, service }: Checked,
  { zone, names, difference, index: { lines } }: PlannedZone,
): Promise<readonly LineFault<StateFault>[]> {
  const reads = await zoneOfNames(zone, names, service.pause)
  const faultsAt = async ({ before, after }: ChangedName): Promise<readonly Refusal<StateFault>[]> => {
    if (after !== undefined)
      return [
        ...(await stateFaults({ zone, before, after }, reads)),
        ...(await delegationFaults(store, zone, { before, after })),
      ]
    const fault = before && (await removalFault({ zone, before, after }, reads))
    return fault === undefined ? [] : [fault]
  }
  return faultsOfEach(difference.names, service.pause, async (change) =>
    (await faultsAt(change)).map(({ refused, detail = '' }) => ({
      refusal: refuse(refused, `${fqdnOf(change.name, zone.name)}: ${detail}`, IN_BODY),
      line: lines.get(change.name),
    })),
  )
}

/** What the account holds afterwards. Names of other accounts stay as they are. */
export const importQuotaFaults = async (
  { caller, store }: Checked,
  { zone, difference }: PlannedZone,
): Promise<readonly LineFault<QuotaFault>[]> => {
  const changes = difference.names.flatMap(({ before, after = before && gone(before) }) =>
    after === undefined ? [] : [{ before, after }],
  )
  const faults = await usageFaults(store, zone.accountId, (usage) =>
    quotaFaults(changes, caller.account.plan, usage),
  )
  return faults.map((refusal) => ({ refusal, line: undefined }))
}

/** For the quotas: nothing is left at it. */
const gone = ({ updateGroup: _, offlineSettings: __, ...name }: Name): Name => ({
  ...name,
  isImplicit: true,
  isOffline: false,
  isProhibited: false,
  isBlocked: false,
  metadata: {},
  rrsets: [] as readonly RRSet[],
})
