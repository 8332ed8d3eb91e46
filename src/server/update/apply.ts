import type { Instant } from '../../base/time.ts'
import { type Address, type Addresses, FAMILIES, type Family, listed } from '../../net/address.ts'
import type { StoredRdata } from '../model/rows.ts'
import type { StoreWrites, ValueChange } from '../store/store.ts'
import type { UpdateTarget } from './targets.ts'

const TYPE: Readonly<Record<Family, string>> = { v4: 'A', v6: 'AAAA' }
const REDIRECT = '_URL'
/** A name with one of these has no address of its own (RFC 1034 §3.6.2). */
const ALIASES = ['CNAME', 'ALIAS']

/** `alias`: the name has no address of its own. */
export type Applied = 'changed' | 'unchanged' | 'alias'

/** What an update sets at a target: its offline state, and its addresses if it is online. */
export interface TargetChange {
  readonly addresses: Addresses
  readonly isOffline: boolean
  readonly now: Instant
}

/** A family without an address in the update is not changed. An update without `offline=YES` ends the offline state. */
export async function apply(w: StoreWrites, target: UpdateTarget, change: TargetChange): Promise<Applied> {
  const { isOffline, now } = change
  const { zoneId, rdata, isOffline: wasOffline } = target.name
  if (rdata.some(({ dnsType }) => ALIASES.includes(dnsType))) return 'alias'
  if (wasOffline !== isOffline) await w.setOffline(target.name, isOffline, now)
  const isAddressChanged = isOffline ? false : await setAddresses(w, target, change)
  if (!isAddressChanged && wasOffline === isOffline) return 'unchanged'
  await w.incrementSerial(zoneId, now)
  return 'changed'
}

async function setAddresses(w: StoreWrites, target: UpdateTarget, change: TargetChange): Promise<boolean> {
  const { name, rdataId } = target
  const { addresses, now } = change
  const redirects = name.rdata.filter(({ dnsType, id }) => dnsType === REDIRECT && (rdataId ?? id) === id)
  const values = redirectChanges(redirects, addresses)
  if (rdataId !== undefined) values.push(...rdataChanges(target, addresses))
  for (const value of values) await w.setValue(name, value, now)
  if (rdataId !== undefined || redirects.length > 0) return values.length > 0
  const records = recordChanges(name.rdata, addresses)
  for (const { dnsType, current, value } of records)
    await (current === undefined
      ? w.setSingleValue(name, { dnsType, value }, now)
      : w.setValue(name, { rdataId: current.id, value }, now))
  return records.length > 0
}

interface RecordChange {
  readonly dnsType: string
  /** The only Rdata of this type, if there is exactly one. */
  readonly current: StoredRdata | undefined
  readonly value: string
}

/** One address per family: an address is current only if it is the only one. */
const recordChanges = (rdata: readonly StoredRdata[], addresses: Addresses): readonly RecordChange[] =>
  FAMILIES.flatMap((family) => {
    const dnsType = TYPE[family]
    const value = addresses[family]
    const ofType = rdata.filter((one) => one.dnsType === dnsType)
    const current = ofType.length === 1 ? ofType[0] : undefined
    return value === undefined || current?.value === value ? [] : [{ dnsType, current, value }]
  })

/** For a target that is one Rdata: its new value, if the update has another address of its family. */
function rdataChanges({ rdataId, name }: UpdateTarget, addresses: Addresses): readonly ValueChange[] {
  const rdata = name.rdata.find(({ id }) => id === rdataId)
  const family = FAMILIES.find((each) => TYPE[each] === rdata?.dnsType)
  const value = family === undefined ? undefined : addresses[family]
  return rdata === undefined || value === undefined || rdata.value === value
    ? []
    : [{ rdataId: rdata.id, value }]
}

/** A port-80 redirect follows the address: the host of its URL is replaced; scheme, port and path remain. */
function redirectChanges(redirects: readonly StoredRdata[], addresses: Addresses): ValueChange[] {
  const [host] = listed(addresses)
  return redirects.flatMap(({ id, value: url }) => {
    const value = host === undefined ? url : withHost(url, host)
    return value === url ? [] : [{ rdataId: id, value }]
  })
}

function withHost(url: string, host: Address): string {
  if (!URL.canParse(url)) return url
  const moved = new URL(url)
  moved.hostname = host.includes(':') ? `[${host}]` : host
  return moved.href
}
