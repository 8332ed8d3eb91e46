import type { Instant } from '../../shared/base/time.ts'
import {
  type Address,
  type Addresses,
  FAMILIES,
  type Family,
  familyOf,
  listed,
  parseAddress,
} from '../../shared/base/address.ts'
import { isGlobalUnicast, type Prefix, withHostPart } from '../../shared/base/prefix.ts'
import type { DnsType } from '../model/rdata/types.ts'
import type { StoredRdata } from '../model/rows.ts'
import type { StoreWrites } from '../store/store.ts'
import type { UpdateTarget } from './targets.ts'

const TYPE = { v4: 'A', v6: 'AAAA' } as const satisfies Readonly<Record<Family, DnsType>>
const REDIRECT = '_URL'
/** A name with one of these has no address of its own (RFC 1034 §3.6.2). */
const ALIASES = ['CNAME', 'ALIAS']

/** One value that an update changes or adds. */
export interface RecordChange {
  readonly dnsType: DnsType
  readonly value: string
  /** The Rdata that gets the value; without it, the value becomes the only one of its type. */
  readonly rdataId?: number
  /** The name has no record of this type. */
  readonly isNew: boolean
}

/** What an update sets at a target: its offline state, and its addresses if it is online. */
export interface TargetChange {
  readonly addresses: Addresses
  /** For each IPv6 address of the target. */
  readonly prefix?: Prefix
  /** It changes nothing. */
  readonly isVoid: boolean
  readonly isOffline: boolean
  readonly now: Instant
}

/** Whether the name has no address of its own. */
export const isAlias = ({ name }: UpdateTarget): boolean =>
  name.rdata.some(({ dnsType }) => ALIASES.includes(dnsType))

/**
 * A family without an address in the update is not changed. A name with a redirect has no address records. An update
 * needs no check of the resulting zone (`service/rules/state.ts`): it changes values of A, AAAA and _URL, adds A or AAAA
 * only where no alias and no redirect is, and never removes the last address of a family.
 */
export function recordChangesAt(
  target: UpdateTarget,
  { addresses, prefix, isOffline, isVoid }: TargetChange,
): readonly RecordChange[] {
  if (isOffline || isVoid) return []
  const { name, rdataId } = target
  const moved = prefixed(target, prefix).flatMap(({ rdata, address }) =>
    address === rdata.value ? [] : [{ dnsType: TYPE.v6, value: address, rdataId: rdata.id, isNew: false }],
  )
  const redirects = name.rdata.filter(({ dnsType, id }) => dnsType === REDIRECT && (rdataId ?? id) === id)
  const changes = redirectChanges(redirects, addresses)
  if (rdataId !== undefined) return [...changes, ...rdataChanges(target, addresses), ...moved]
  return redirects.length > 0 ? changes : [...addressChanges(name.rdata, addresses), ...moved]
}

/** The IPv6 addresses of the target that the prefix changes, with what they become. */
function prefixed({ name, rdataId }: UpdateTarget, prefix: Prefix | undefined) {
  if (prefix === undefined) return []
  return name.rdata.flatMap((rdata) => {
    const stored =
      rdata.dnsType === TYPE.v6 && (rdataId ?? rdata.id) === rdata.id ? parseAddress(rdata.value) : undefined
    // An address that is private on purpose does not become one of the Internet.
    if (stored === undefined || (isGlobalUnicast(prefix.address) && !isGlobalUnicast(stored))) return []
    return [{ rdata, address: withHostPart(prefix.address, prefix.length, stored) }]
  })
}

/** Whether the update says nothing about the target: it names no address, and its prefix is of none that is here. */
export const isLeft = (
  target: UpdateTarget,
  { addresses, prefix, isOffline, isVoid }: TargetChange,
): boolean =>
  isVoid || (!isOffline && listed(addresses).length === 0 && prefixed(target, prefix).length === 0)

/** The addresses that the target has. */
export const storedAddresses = ({ name, rdataId }: UpdateTarget): readonly Address[] =>
  FAMILIES.flatMap((family) =>
    name.rdata
      .filter(({ id, dnsType }) => dnsType === TYPE[family] && (rdataId ?? id) === id)
      .flatMap(({ value }) => parseAddress(value) ?? []),
  )

/** The addresses of the update that the target has after it: one Rdata has one family, and a redirect one host. */
export const addressesAt = (target: UpdateTarget, change: TargetChange): readonly Address[] => [
  ...namedAt(target, change),
  ...(change.isOffline ? [] : prefixed(target, change.prefix).map(({ address }) => address)),
]

function namedAt(
  { name, rdataId }: UpdateTarget,
  { addresses, isOffline }: TargetChange,
): readonly Address[] {
  const all = listed(addresses)
  if (isOffline) return all
  const own = name.rdata.filter(({ id }) => (rdataId ?? id) === id)
  if (own.some(({ dnsType }) => dnsType === REDIRECT)) return all.slice(0, 1)
  return rdataId === undefined
    ? all
    : all.filter((address) => own.some(({ dnsType }) => dnsType === TYPE[familyOf(address)]))
}

/** Makes the changes. An update without `offline=YES` ends the offline state. Resolves with whether anything changed. */
export async function apply(
  w: StoreWrites,
  { name }: UpdateTarget,
  {
    changes,
    isOffline,
    now,
  }: { readonly changes: readonly RecordChange[] } & Pick<TargetChange, 'isOffline' | 'now'>,
): Promise<boolean> {
  const wasOffline = name.isOffline
  if (wasOffline !== isOffline) await w.setOffline(name, isOffline, now)
  for (const { dnsType, value, rdataId } of changes)
    await (rdataId === undefined
      ? w.setSingleValue(name, { dnsType, value }, now)
      : w.setValue(name, { rdataId, value }, now))
  if (changes.length === 0 && wasOffline === isOffline) return false
  await w.touchZone(name.zoneId, now)
  return true
}

/** One address per family: an address is current only if it is the only one. */
const addressChanges = (rdata: readonly StoredRdata[], addresses: Addresses): readonly RecordChange[] =>
  FAMILIES.flatMap((family) => {
    const dnsType = TYPE[family]
    const value = addresses[family]
    const ofType = rdata.filter((one) => one.dnsType === dnsType)
    const current = ofType.length === 1 ? ofType[0] : undefined
    if (value === undefined || current?.value === value) return []
    return [
      { dnsType, value, isNew: ofType.length === 0, ...(current !== undefined && { rdataId: current.id }) },
    ]
  })

/** For a target that is one Rdata: its new value, if the update has another address of its family. */
const rdataChanges = ({ rdataId, name }: UpdateTarget, addresses: Addresses): readonly RecordChange[] =>
  addressChanges(
    name.rdata.filter(({ id }) => id === rdataId),
    addresses,
  ).filter((change) => change.rdataId !== undefined)

/** A port-80 redirect follows the address: the host of its URL is replaced; scheme, port and path remain. */
function redirectChanges(redirects: readonly StoredRdata[], addresses: Addresses): readonly RecordChange[] {
  const [host] = listed(addresses)
  return redirects.flatMap(({ id, value: url }) => {
    const value = host === undefined ? url : withHost(url, host)
    return value === url ? [] : [{ dnsType: REDIRECT, rdataId: id, value, isNew: false }]
  })
}

function withHost(url: string, host: Address): string {
  if (!URL.canParse(url)) return url
  const moved = new URL(url)
  moved.hostname = host.includes(':') ? `[${host}]` : host
  return moved.href
}
