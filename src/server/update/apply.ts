import type { Instant } from '../../base/time.ts'
import { type Address, type Addresses, FAMILIES, type Family, listed } from '../../net/address.ts'
import type { StoredRdata, Target } from '../model/rows.ts'
import type { Writing } from '../store/store.ts'

const TYPE: Readonly<Record<Family, string>> = { v4: 'A', v6: 'AAAA' }
const REDIRECT = '_URL'
/** A name that is another name has no address of its own (RFC 1034 §3.6.2). */
const ALIASES = ['CNAME', 'ALIAS']

export type Applied = 'changed' | 'unchanged' | 'not updatable'

/** What is asked of a target: go offline, or hold these addresses. */
export interface Change {
  readonly addresses: Addresses
  readonly isOffline: boolean
}

/** Makes it so. A family that was not supplied is left as it is; any update but one that asks for it ends the offline state. */
export async function apply(w: Writing, target: Target, change: Change, now: Instant): Promise<Applied> {
  const rdata = await w.rdataOf(target.nameId)
  if (rdata.some(({ dnsType }) => ALIASES.includes(dnsType))) return 'not updatable'
  const wasOffline = await w.isNameOffline(target.nameId)
  if (wasOffline !== change.isOffline) await w.setOffline(target.nameId, change.isOffline, now)
  const isNew = change.isOffline
    ? false
    : await setAddresses(w, { target, rdata, addresses: change.addresses, now })
  if (!isNew && wasOffline === change.isOffline) return 'unchanged'
  await w.nextSerial(target.zoneId, now)
  return 'changed'
}

interface Setting {
  readonly target: Target
  readonly rdata: readonly StoredRdata[]
  readonly addresses: Addresses
  readonly now: Instant
}

async function setAddresses(w: Writing, { target, rdata, addresses, now }: Setting): Promise<boolean> {
  const { nameId, rdataId } = target
  const redirects = rdata.filter(({ dnsType, id }) => dnsType === REDIRECT && (rdataId ?? id) === id)
  const moved = await redirect(w, redirects, addresses, now)
  if (rdataId !== undefined)
    return (
      (await setOne(
        w,
        rdata.find(({ id }) => id === rdataId),
        addresses,
        now,
      )) || moved
    )
  if (redirects.length > 0) return moved
  const wanted = FAMILIES.flatMap((family) => {
    const address = addresses[family]
    const held = rdata.filter(({ dnsType }) => dnsType === TYPE[family])
    const only = held.length === 1 ? held[0] : undefined
    return address === undefined || only?.value === address ? [] : [{ type: TYPE[family], only, address }]
  })
  for (const { type, only, address } of wanted)
    await (only === undefined ? w.setOnly(nameId, type, address, now) : w.setValue(only.id, address, now))
  return wanted.length > 0
}

async function setOne(
  w: Writing,
  one: StoredRdata | undefined,
  addresses: Addresses,
  now: Instant,
): Promise<boolean> {
  const family = FAMILIES.find((each) => TYPE[each] === one?.dnsType)
  const address = family === undefined ? undefined : addresses[family]
  if (one === undefined || address === undefined || one.value === address) return false
  await w.setValue(one.id, address, now)
  return true
}

/** A port-80 redirect follows the address: the host of its URL is replaced, its scheme, port and path stay. */
async function redirect(
  w: Writing,
  redirects: readonly StoredRdata[],
  addresses: Addresses,
  now: Instant,
): Promise<boolean> {
  const [host] = listed(addresses)
  const moved = redirects.flatMap(({ id, value }) => {
    const to = host === undefined ? value : withHost(value, host)
    return to === value ? [] : [{ id, to }]
  })
  for (const { id, to } of moved) await w.setValue(id, to, now)
  return moved.length > 0
}

function withHost(url: string, host: Address): string {
  if (!URL.canParse(url)) return url
  const moved = new URL(url)
  moved.hostname = host.includes(':') ? `[${host}]` : host
  return moved.href
}
