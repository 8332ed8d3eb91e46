import { isAtOrBelow } from '../../shared/dns/name.ts'
import { CLASSES, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import type { ReadUpdateRecord } from '../../shared/dns/update-request.ts'
import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import { APEX, relativeTo } from '../model/dns-name.ts'
import { type DnsType, wireTypeOf } from '../model/rdata/types.ts'
import type { Name } from '../model/tree.ts'
import { isNewer } from '../publish/soa.ts'
import { isMetaType, isOfNoRecord, serialIn, valueOf } from './records.ts'

/** An RRset while the changes of a message are made to it. */
export interface ChangingSet {
  ttl: number
  /** As they are stored, or as they were sent where no such value is allowed. */
  values: string[]
}
export type ChangingName = Map<DnsType, ChangingSet>

/** What the changes of a message are made to. */
interface ChangedZone {
  readonly apex: string
  readonly serial: number
  /** Relative to the zone. */
  readonly nameAt: (name: string) => Name | undefined
}

/** RFC 2136 §3.4.1: the RCODE of the first change that is malformed or outside the zone. */
export function changeFormFault(apex: string, updates: readonly ReadUpdateRecord[]): number | undefined {
  for (const update of updates) {
    if (!isAtOrBelow(update.name, apex)) return RCODES.NOTZONE
    if (isMalformed(update)) return RCODES.FORMERR
  }
  return undefined
}

function isMalformed(update: ReadUpdateRecord): boolean {
  const { type, ttl, rdata } = update
  switch (update.class) {
    case CLASSES.IN:
      return isOfNoRecord(type) || isRdataMalformed(update)
    case CLASSES.ANY:
      return ttl !== 0 || rdata.length > 0 || (isMetaType(type) && type !== RR_TYPES.ANY)
    case CLASSES.NONE:
      return ttl !== 0 || isOfNoRecord(type) || isRdataMalformed(update)
    default:
      return true
  }
}

const isRdataMalformed = (update: ReadUpdateRecord): boolean =>
  update.type === RR_TYPES.SOA
    ? serialIn(update) === undefined
    : wireTypeOf(update.type) !== undefined && valueOf(update).text === undefined

type MadeChanges =
  | { readonly names: ReadonlyMap<string, ChangingName> }
  | { readonly refusal: Refusal<Extract<ErrorName, 'typeUnsupported' | 'rrsetChangeForbidden'>> }

/** RFC 2136 §3.4.2: the RRsets of each name of the message when all of its changes are made, in their order. */
export function changesOf(zone: ChangedZone, updates: readonly ReadUpdateRecord[]): MadeChanges {
  const names = new Map<string, ChangingName>()
  for (const update of updates) {
    const name = relativeTo(update.name, zone.apex) ?? APEX
    const sets = names.get(name) ?? setsOf(zone.nameAt(name))
    names.set(name, sets)
    const refusal = changeSets(sets, update, { name, zone })
    if (refusal !== undefined) return { refusal }
  }
  return { names }
}

const setsOf = (name: Name | undefined): ChangingName =>
  new Map(
    (name?.rrsets ?? []).map(({ dnsType, ttl, rdata }) => [
      dnsType,
      { ttl, values: rdata.map(({ value }) => value) },
    ]),
  )

interface Place {
  readonly name: string
  readonly zone: ChangedZone
}

type ChangeRefusal = Extract<MadeChanges, { refusal: unknown }>['refusal'] | undefined

function changeSets(sets: ChangingName, update: ReadUpdateRecord, place: Place): ChangeRefusal {
  const isApex = place.name === APEX
  if (update.class === CLASSES.ANY && update.type === RR_TYPES.ANY) {
    const all = [...sets.keys()].filter((type) => !(isApex && type === 'NS'))
    for (const type of all) sets.delete(type)
    return undefined
  }
  if (update.type === RR_TYPES.SOA) return soaRefusal(update, place)
  const dnsType = wireTypeOf(update.type)
  // What the service does not have cannot be deleted.
  if (dnsType === undefined)
    return update.class === CLASSES.IN ? refuse('typeUnsupported', `type ${update.type}`) : undefined
  if (update.class === CLASSES.IN) return addRecord(sets, dnsType, update)
  return made(sets, dnsType) ?? deleteRecords(sets, dnsType, { update, isApex })
}

/** An SOA that is not newer is ignored (RFC 2136 §3.4.2.2). Serials are those of the service. */
const soaRefusal = (update: ReadUpdateRecord, { name, zone }: Place): ChangeRefusal =>
  update.class === CLASSES.IN && name === APEX && isNewer(serialIn(update) ?? zone.serial, zone.serial)
    ? refuse('rrsetChangeForbidden', 'the service makes the SOA record')
    : undefined

/** Records that a name server gives in the place of others: they go when those go. */
function made(sets: ChangingName, dnsType: DnsType): ChangeRefusal {
  const source = (['ALIAS', '_URL'] as const).find((type) => sets.has(type))
  return source !== undefined && (dnsType === 'A' || dnsType === 'AAAA')
    ? refuse('rrsetChangeForbidden', `the service makes these records from those of type ${source}`)
    : undefined
}

/** RFC 2136 §3.4.2.2: a CNAME has no other records next to it; what would is ignored. */
function addRecord(sets: ChangingName, dnsType: DnsType, update: ReadUpdateRecord): undefined {
  const isCname = dnsType === 'CNAME'
  const others = [...sets.keys()].filter((type) => (type === 'CNAME') !== isCname)
  if (isCname ? others.length > 0 : others.includes('CNAME')) return undefined
  const { value, text = '' } = valueOf(update)
  const added = value ?? text
  const values = isCname ? [] : (sets.get(dnsType)?.values ?? [])
  // RFC 2181 §8: a TTL with the highest bit is 0.
  const ttl = update.ttl < 2 ** 31 ? update.ttl : 0
  sets.set(dnsType, { ttl, values: values.includes(added) ? values : [...values, added] })
  return undefined
}

interface Deletion {
  readonly update: ReadUpdateRecord
  readonly isApex: boolean
}

/** RFC 2136 §3.4.2.3, §3.4.2.4: the name servers of the zone stay, at least one of them. */
function deleteRecords(sets: ChangingName, dnsType: DnsType, { update, isApex }: Deletion): undefined {
  const set = sets.get(dnsType)
  const isNameServers = isApex && dnsType === 'NS'
  if (set === undefined || (update.class === CLASSES.ANY && isNameServers)) return undefined
  const { value } = valueOf(update)
  const values = update.class === CLASSES.ANY ? [] : set.values.filter((one) => one !== value)
  if (values.length > 0) sets.set(dnsType, { ...set, values })
  else if (!isNameServers) sets.delete(dnsType)
  return undefined
}
