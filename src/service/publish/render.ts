import { encodeName } from '../../shared/dns/name.ts'
import { type DnsRecord, RR_TYPES } from '../../shared/dns/types.ts'
import { type Address, bytesOf, familyOf } from '../../shared/base/address.ts'
import { APEX, canonicalName, fqdnOf, relativeTo } from '../model/dns-name.ts'
import type { StoredState } from '../store/published.ts'
import { MAX_CHAIN } from './rows.ts'
import { isWireType, rdataOf, typeNumber, type WireType } from '../model/rdata/types.ts'
import type { PublishSettings } from './settings.ts'

/** What rendering reads besides the name itself. */
export interface RenderContext {
  readonly apex: string
  readonly settings: Pick<PublishSettings, 'nameservers' | 'redirectAddresses'>
  /** Another name of the zone, as it is stored. */
  readonly stateAt: (name: string) => Promise<StoredState | undefined>
  /** The highest zone of the service beneath this one that contains this name; else this one. */
  readonly zoneOf: (fqdn: string) => Promise<string | undefined>
}

/** In seconds: an offline state can end at any time. */
const OFFLINE_TTL = 60
/** In seconds. */
const NAMESERVER_TTL = 86_400
/** The types that an offline name does not publish: all that lead to a host. */
const ONLINE_TYPES: readonly string[] = ['A', 'AAAA', 'CNAME', 'ALIAS', '_URL']

/** The records that the world sees at a stored name. */
export async function rendered(
  name: string,
  state: StoredState | undefined,
  context: RenderContext,
): Promise<readonly DnsRecord[]> {
  const { apex, settings } = context
  const fqdn = fqdnOf(name, apex)
  const zone = await context.zoneOf(fqdn)
  if (zone !== undefined && zone !== apex) return zone === fqdn ? atCut(state, settings) : []
  const own = state === undefined ? [] : await recordsOf(name, state, { ...context, depth: 0 })
  if (own.length === 0 && name !== APEX && (state?.records.length ?? 0) > 0) return [NO_ADDRESS]
  if (name !== APEX) return distinct(own)
  const others = own.filter(({ type }) => type !== RR_TYPES.NS)
  return distinct([...nameserverRecords(settings), ...others])
}

/** At a zone of the service beneath this one: its name servers, and its DS, which belong to this side (RFC 4035 §2.4). */
const atCut = (state: StoredState | undefined, settings: RenderContext['settings']): readonly DnsRecord[] => [
  ...nameserverRecords(settings),
  ...(state?.records ?? []).flatMap(({ dnsType, ttl, value }) =>
    dnsType === 'DS' ? [wireRecord(dnsType, ttl, value)] : [],
  ),
]

const nameserverRecords = ({ nameservers }: RenderContext['settings']): readonly DnsRecord[] =>
  nameservers.map((host) => ({ type: RR_TYPES.NS, ttl: NAMESERVER_TTL, rdata: encodeName(host) }))

const wireRecord = (type: WireType, ttl: number, value: string): DnsRecord => ({
  type: typeNumber(type),
  ttl,
  rdata: rdataOf(type, value),
})

interface Following extends RenderContext {
  readonly depth: number
}

/** The name stays there: a wildcard would answer for one without records (RFC 4592 §2.2.1, decision 0053). */
const BLOCKED = wireRecord('TXT', 300, '"blocked by the operator"')
/** The same for a name that is offline, and for an ALIAS of one that has no address. */
const NO_ADDRESS = wireRecord('TXT', OFFLINE_TTL, '"no address"')

async function recordsOf(
  name: string,
  { isBlocked, isOffline, offlineSettings, records }: StoredState,
  context: Following,
): Promise<readonly DnsRecord[]> {
  if (isBlocked) return [BLOCKED]
  const shown = isOffline ? records.filter(({ dnsType }) => !ONLINE_TYPES.includes(dnsType)) : records
  const published: DnsRecord[] = isOffline ? [...offlineRecords(offlineSettings, context)] : []
  for (const { dnsType, ttl, value } of shown)
    if (isWireType(dnsType)) published.push(wireRecord(dnsType, ttl, value))
    else if (dnsType === '_URL') published.push(...addressRecords(context.settings.redirectAddresses, ttl))
    else published.push(...(await aliasRecords(name, { ttl, value }, context)))
  return published
}

function offlineRecords(
  offline: StoredState['offlineSettings'],
  { settings }: RenderContext,
): readonly DnsRecord[] {
  if (offline === undefined || offline.action === 'none') return []
  return addressRecords(
    offline.action === 'record' ? [offline.rdata as Address] : settings.redirectAddresses,
    OFFLINE_TTL,
  )
}

const addressRecords = (addresses: readonly Address[], ttl: number): readonly DnsRecord[] =>
  addresses.map((address) => ({
    type: familyOf(address) === 'v4' ? RR_TYPES.A : RR_TYPES.AAAA,
    ttl,
    rdata: bytesOf(address),
  }))

/** The addresses at the end of the chain, kept for the lowest TTL on the way. All of it is in the zone (4145). */
async function aliasRecords(
  name: string,
  { ttl, value }: { readonly ttl: number; readonly value: string },
  context: Following,
): Promise<readonly DnsRecord[]> {
  const target = relativeTo(canonicalName(value), context.apex)
  if (target === undefined || target === name || context.depth >= MAX_CHAIN) return []
  const records = await addressesAt(target, { ...context, depth: context.depth + 1 })
  return records.map((record) => ({ ...record, ttl: Math.min(record.ttl, ttl) }))
}

async function addressesAt(name: string, context: Following): Promise<readonly DnsRecord[]> {
  const state = await context.stateAt(name)
  if (state === undefined) return []
  const cname = state.isOffline ? undefined : state.records.find(({ dnsType }) => dnsType === 'CNAME')
  if (cname !== undefined && !state.isBlocked) return aliasRecords(name, cname, context)
  const records = await recordsOf(name, state, context)
  return records.filter(({ type }) => type === RR_TYPES.A || type === RR_TYPES.AAAA)
}

/** RFC 2181 §5 and §5.2: a record once, and one TTL for all records of a type. */
function distinct(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const byKey = new Map<string, DnsRecord>()
  for (const record of records)
    byKey.set(`${record.type} ${Buffer.from(record.rdata).toString('latin1')}`, record)
  return [...byKey.values()].map((record) => ({
    ...record,
    ttl: Math.min(...records.filter(({ type }) => type === record.type).map(({ ttl }) => ttl)),
  }))
}
