import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { readName } from '../../../src/shared/dns/name.ts'
import { type DnsRecord, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { addressOfBytes } from '../../../src/shared/base/address.ts'
import type { DnsType } from '../../../src/service/model/rdata/types.ts'
import type { Name, OfflineSettings, RRSet } from '../../../src/service/model/tree.ts'
import { ownerName } from '../../../src/service/publish/rows.ts'
import { testStore } from '../../lab/stores.ts'
import type { PublishedRow } from '../../../src/service/store/published.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { SMALL_PLAN } from '../../small-plan.ts'

export const NOW: Instant = instant(Date.UTC(2026, 0, 1))
/** What a test stores at a name: records as "TTL TYPE VALUE", and its state. */
export interface Stored {
  readonly records?: readonly string[]
  readonly offline?: OfflineSettings
  readonly isBlocked?: boolean
}
type StoredZone = Readonly<Record<string, Stored | readonly string[]>>

/** A store with zones of one account. */
export async function storeWith(zones: Readonly<Record<string, StoredZone>>, store: Store = testStore()) {
  const ids: Record<string, number> = {}
  const accountId = await store.write(async (w) =>
    w.addAccount({ name: 'acme', hash: new Uint8Array([1]), planId: await w.addPlan(SMALL_PLAN) }, NOW),
  )
  const world = {
    store,
    accountId,
    idOf: (zone: string): number => ids[zone] ?? -1,
    addZone: async (zone: string, names: StoredZone = {}): Promise<void> => {
      ids[zone] = await store.write(async (w) => w.addZone({ accountId, name: zone, isShared: false }, NOW))
      for (const [name, stored] of Object.entries(names)) await world.put(zone, name, stored)
    },
    removeZone: async (zone: string): Promise<void> =>
      store.write(async (w) => w.removeZone(world.idOf(zone))),
    put: async (zone: string, name: string, stored: Stored | readonly string[]): Promise<void> =>
      store.write(async (w) => save(w, { zoneId: world.idOf(zone), accountId, name }, stored)),
    remove: async (zone: string, name: string): Promise<void> =>
      store.write(async (w) => {
        const found = await w.nameAt(world.idOf(zone), name)
        if (found !== undefined) await w.removeName(found, NOW)
      }),
    /** Sorted, as "OWNER TTL TYPE VALUE". */
    published: async (zone: string): Promise<readonly string[]> => publishedIn(store, zone),
    serial: async (zone: string): Promise<number> =>
      (await store.read(async (r) => r.publishedZone(zone)))?.serial ?? -1,
  }
  for (const [zone, names] of Object.entries(zones)) await world.addZone(zone, names)
  return world
}
export type World = Awaited<ReturnType<typeof storeWith>>

async function save(
  w: StoreWrites,
  at: Pick<Name, 'zoneId' | 'accountId' | 'name'>,
  given: Stored | readonly string[],
): Promise<void> {
  const { records = [], offline, isBlocked = false }: Stored = isList(given) ? { records: given } : given
  const before = await w.nameAt(at.zoneId, at.name)
  const name: Name = {
    ...at,
    ...(before?.id !== undefined && { id: before.id }),
    isProhibited: false,
    isBlocked,
    isOffline: offline !== undefined,
    ...(offline !== undefined && { offlineSettings: offline }),
    metadata: {},
    rrsets: rrsetsOf(records),
    createdAt: NOW,
    updatedAt: NOW,
  }
  await w.saveName(name, NOW)
  const saved = await w.nameAt(at.zoneId, at.name)
  await w.blockName(saved?.id ?? -1, isBlocked)
}

const isList = (given: Stored | readonly string[]): given is readonly string[] => Array.isArray(given)

export const parsed = (
  record: string,
): { readonly dnsType: DnsType; readonly ttl: number; readonly value: string } => {
  const [, ttl = '', type = '', value = ''] = /^(\d+) (\S+) (.*)$/s.exec(record) ?? []
  return { dnsType: type as DnsType, ttl: Number(ttl), value }
}

function rrsetsOf(records: readonly string[]): readonly RRSet[] {
  const rrsets = new Map<string, RRSet>()
  for (const { dnsType, ttl, value } of records.map(parsed)) {
    const before = rrsets.get(dnsType)?.rdata ?? []
    const rdata = [...before, { label: `_${before.length + 1}`, value, isSystem: false }]
    rrsets.set(dnsType, {
      dnsType,
      ttl,
      isSystem: false,
      metadata: {},
      rdata,
      createdAt: NOW,
      updatedAt: NOW,
    })
  }
  return [...rrsets.values()]
}

export async function rowsOf(store: Store, zone: string): Promise<readonly PublishedRow[]> {
  return store.read(async (r) => {
    const id = (await r.publishedZone(zone))?.id
    return id === undefined ? [] : r.publishedAfter(id, undefined, 10_000)
  })
}

export const publishedIn = async (store: Store, zone: string): Promise<readonly string[]> =>
  (await rowsOf(store, zone))
    .map(({ owner, ...record }) => `${ownerName(owner, '@').replace(/\.@$/, '')} ${textOf(record)}`)
    .toSorted()

const TYPE_NAMES = new Map<number, string>(Object.entries(RR_TYPES).map(([name, number]) => [number, name]))

/** "TTL TYPE VALUE"; octets of unusual types in hexadecimal. */
export const textOf = ({ type, ttl, rdata }: DnsRecord): string =>
  `${ttl} ${TYPE_NAMES.get(type)} ${valueOf(type, rdata)}`

function valueOf(type: number, rdata: Uint8Array): string {
  if (type === RR_TYPES.A || type === RR_TYPES.AAAA) return addressOfBytes(rdata) ?? 'no address'
  if (type === RR_TYPES.NS || type === RR_TYPES.CNAME || type === RR_TYPES.PTR)
    return readName(rdata, 0)?.name ?? 'no name'
  return type === RR_TYPES.TXT
    ? Buffer.from(rdata.subarray(1)).toString('latin1')
    : Buffer.from(rdata).toString('hex')
}
