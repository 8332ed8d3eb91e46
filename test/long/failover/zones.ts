import { instant } from '../../../src/shared/base/time.ts'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { apexOf } from '../../../src/service/model/apex.ts'
import { sqliteStore } from '../../../src/service/store/sqlite/store.ts'
import type { StoreWrites } from '../../../src/service/store/store.ts'

export const zoneNamed = (n: number): string => `m${n}.test`
/** Of every name at first. */
export const FIRST = '192.0.2.1'
const NAMESERVERS = ['ns1.operator.test']
/** In one transaction. */
const AT_ONCE = 500

/** Calls for each number, in the store of this folder, whether a service runs or not. */
async function inStore(
  folder: string,
  { from, to }: { readonly from: number; readonly to: number },
  add: (w: StoreWrites, n: number) => Promise<void>,
): Promise<void> {
  const store = sqliteStore(folder, steadyClock)
  for (let at = from; at < to; at += AT_ONCE)
    await store.write(async (w) => {
      for (let n = at; n < Math.min(to, at + AT_ONCE); n++) await add(w, n)
    })
  await store.close()
}

/** Zones of the account with one name each. */
export async function addZones(
  folder: string,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  const now = instant(Date.now())
  await inStore(folder, range, async (w, n) => {
    const accountId = (await w.login('acme'))?.accountId ?? 0
    const zoneId = await w.addZone({ accountId, name: zoneNamed(n), isShared: false }, now)
    await w.saveName(apexOf({ zoneId, accountId }, NAMESERVERS, now), now)
    const home = await w.addName({ zoneId, accountId, name: 'home' }, now)
    await w.setSingleValue(home, { dnsType: 'A', value: FIRST }, now)
  })
}

/** Names of one zone. */
export async function addNames(folder: string, zone: string, count: number): Promise<void> {
  const now = instant(Date.now())
  await inStore(folder, { from: 0, to: count }, async (w, n) => {
    const accountId = (await w.login('acme'))?.accountId ?? 0
    const zoneId = (await w.zoneNamed(zone))?.id ?? 0
    const name = await w.addName({ zoneId, accountId, name: `n${n}` }, now)
    await w.setSingleValue(name, { dnsType: 'A', value: FIRST }, now)
  })
}
