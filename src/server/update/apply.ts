import type { Instant } from '../../base/time.ts'
import { type Address, type Addresses, FAMILIES, type Family, listed } from '../../net/address.ts'
import type { StoredRdata } from '../model/rows.ts'
import type { NameRef, StoreWrites } from '../store/store.ts'
import type { UpdateTarget } from './targets.ts'

const TYPE: Readonly<Record<Family, string>> = { v4: 'A', v6: 'AAAA' }
const REDIRECT = '_URL'
/** A name that is another name has no address of its own (RFC 1034 §3.6.2). */
const ALIASES = ['CNAME', 'ALIAS']

export type Applied = 'changed' | 'unchanged' | 'not updatable'

/** What is asked of a target: go offline, or hold these addresses. */
export interface TargetChange {
  readonly addresses: Addresses
  readonly isOffline: boolean
}

/** Makes it so. A family that was not supplied is left as it is; any update but one that asks for it ends the offline state. */
export async function apply(
  w: StoreWrites,
  goal: UpdateTarget,
  change: TargetChange,
  now: Instant,
): Promise<Applied> {
  const { zoneId, rdata, isOffline: wasOffline } = goal.name
  if (rdata.some(({ dnsType }) => ALIASES.includes(dnsType))) return 'not updatable'
  if (wasOffline !== change.isOffline) await w.setOffline(goal.name, change.isOffline, now)
  const isNew = change.isOffline ? false : await setAddresses(w, goal, change.addresses, now)
  if (!isNew && wasOffline === change.isOffline) return 'unchanged'
  await w.nextSerial(zoneId, now)
  return 'changed'
}

async function setAddresses(
  w: StoreWrites,
  goal: UpdateTarget,
  addresses: Addresses,
  now: Instant,
): Promise<boolean> {
  const { name, rdataId } = goal
  const { rdata } = name
  const redirects = rdata.filter(({ dnsType, id }) => dnsType === REDIRECT && (rdataId ?? id) === id)
  const isMoved = await setEach(w, name, redirected(redirects, addresses), now)
  if (rdataId !== undefined) return (await setEach(w, name, changeOf(goal, addresses), now)) || isMoved
  if (redirects.length > 0) return isMoved
  const wanted = FAMILIES.flatMap((family) => {
    const address = addresses[family]
    const current = rdata.filter(({ dnsType }) => dnsType === TYPE[family])
    const only = current.length === 1 ? current[0] : undefined
    return address === undefined || only?.value === address ? [] : [{ type: TYPE[family], only, address }]
  })
  for (const { type, only, address } of wanted)
    await (only === undefined ? w.setOnly(name, type, address, now) : w.setValue(name, only.id, address, now))
  return wanted.length > 0
}

interface ValueChange {
  readonly id: number
  readonly to: string
}

async function setEach(
  w: StoreWrites,
  name: NameRef,
  turns: readonly ValueChange[],
  now: Instant,
): Promise<boolean> {
  for (const { id, to } of turns) await w.setValue(name, id, to, now)
  return turns.length > 0
}

/** The one Rdata that is the target, where an address of its family was given and is another. */
function changeOf({ rdataId, name }: UpdateTarget, addresses: Addresses): readonly ValueChange[] {
  const one = name.rdata.find(({ id }) => id === rdataId)
  const family = FAMILIES.find((each) => TYPE[each] === one?.dnsType)
  const address = family === undefined ? undefined : addresses[family]
  return one === undefined || address === undefined || one.value === address
    ? []
    : [{ id: one.id, to: address }]
}

/** A port-80 redirect follows the address: the host of its URL is replaced, its scheme, port and path stay. */
function redirected(redirects: readonly StoredRdata[], addresses: Addresses): readonly ValueChange[] {
  const [host] = listed(addresses)
  return redirects.flatMap(({ id, value }) => {
    const to = host === undefined ? value : withHost(value, host)
    return to === value ? [] : [{ id, to }]
  })
}

function withHost(url: string, host: Address): string {
  if (!URL.canParse(url)) return url
  const moved = new URL(url)
  moved.hostname = host.includes(':') ? `[${host}]` : host
  return moved.href
}
