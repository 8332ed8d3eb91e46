import { setTimeout as sleep } from 'node:timers/promises'
import { groupedBy } from '../../src/service/store/values.ts'
import { nameTextOf } from '../fakes/update-decode.ts'
import { UPDATE_ORIGIN } from '../fakes/update-messages.ts'
import type { ZoneRecord } from '../fakes/update-model.ts'
import type { UpdateTarget } from '../fakes/update-play.ts'
import type { MacAlgorithm, MacKey } from '../fakes/update-tsig.ts'
import { signUpdate } from '../fakes/update-tsig.ts'
import { TYPE } from '../fakes/update-wire.ts'
import { freePort } from '../free-port.ts'
import { SECRET } from './name-server-programs.ts'
import { type Primary, primary } from './secondaries.ts'
import { answered, transferredZone, transferRequest } from './update-streams.ts'

/** The running service as one that takes messages of UPDATE. */

export interface UpdatedService {
  readonly at: Primary
  /** Of the account that owns the zone. */
  readonly keys: readonly MacKey[]
}

const TSIG_ALGORITHMS: readonly MacAlgorithm[] = ['hmac-sha256', 'hmac-sha512']

/** A service with a file store, an account without a lowest TTL, and keys of it. */
export async function updatedService(folder: string): Promise<UpdatedService> {
  const at = await primary(folder, [{ name: 'fetching', port: await freePort() }])
  await at.admin('plan', 'set', 'p', 'min-ttl=0')
  const keys: MacKey[] = []
  for (const algorithm of TSIG_ALGORITHMS) {
    const { name, secret } = (await called(at, '/account/tsig-keys', {
      description: algorithm,
      algorithm,
    })) as { name: string; secret: string }
    keys.push({ name, algorithm, secret: Buffer.from(secret, 'base64') })
  }
  return { at, keys }
}

async function called({ url, key }: Primary, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: unknown }).data
}

const hostIn = (rdata: Buffer, at = 0): string => `${nameTextOf(rdata.subarray(at))}.`
const groupsOf = (rdata: Buffer): string => (rdata.toString('hex').match(/.{4}/g) ?? []).join(':')

function textsIn(rdata: Buffer): string {
  const texts: string[] = []
  for (let at = 0; at < rdata.length; at += 1 + (rdata[at] ?? 0))
    texts.push(`"${rdata.subarray(at + 1, at + 1 + (rdata[at] ?? 0)).toString()}"`)
  return texts.join(' ')
}

/** The types of the zone that a play begins with. */
// biome-ignore format: a table
const VALUE_TEXTS: Readonly<Record<number, readonly [dnsType: string, valueOf: (rdata: Buffer) => string]>> = {
  [TYPE.A]:     ['A',     (rdata) => rdata.join('.')],
  [TYPE.AAAA]:  ['AAAA',  groupsOf],
  [TYPE.NS]:    ['NS',    hostIn],
  [TYPE.CNAME]: ['CNAME', hostIn],
  [TYPE.PTR]:   ['PTR',   hostIn],
  [TYPE.MX]:    ['MX',    (rdata) => `${rdata.readUInt16BE(0)} ${hostIn(rdata, 2)}`],
  [TYPE.SRV]:   ['SRV',   (rdata) => `${[0, 2, 4].map((n) => rdata.readUInt16BE(n)).join(' ')} ${hostIn(rdata, 6)}`],
  [TYPE.TXT]:   ['TXT',   textsIn],
  [TYPE.CAA]:   ['CAA',   (rdata) => `${rdata[0]} ${rdata.subarray(2, 2 + (rdata[1] ?? 0)).toString()} "${rdata.subarray(2 + (rdata[1] ?? 0)).toString()}"`],
}

/** Changes of a PATCH that make these records; the service makes those of the zone itself. */
function patchOf(records: readonly ZoneRecord[]): readonly unknown[] {
  const isMade = ({ owner, type }: ZoneRecord): boolean =>
    owner === UPDATE_ORIGIN && (type === TYPE.SOA || type === TYPE.NS)
  const stored = records.filter((one) => !isMade(one))
  const sets = groupedBy(stored, ({ owner, type }) => `${owner} ${type}`)
  return [...sets.values()].map(([first, ...others]) => {
    const { owner = '', type = 0, ttl } = first ?? {}
    const [dnsType = '', valueOf = String] = VALUE_TEXTS[type] ?? []
    const values = [first, ...others].map((one) => ({ value: valueOf(one?.rdata ?? Buffer.alloc(0)) }))
    const name = owner === UPDATE_ORIGIN ? '@' : owner.slice(0, -1 - UPDATE_ORIGIN.length)
    return { name, dns_type: dnsType, ttl, rdata: values }
  })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

/** A signed question for the whole zone, as a secondary asks it. */
const signedTransfer = (): Buffer =>
  signUpdate(transferRequest(), {
    key: { name: 'fetching-key', algorithm: 'hmac-sha256', secret: Buffer.from(SECRET, 'base64') },
    time: Math.floor(Date.now() / 1000),
  })

export function serviceTarget({ dns, api }: Primary): UpdateTarget {
  const zone = async () => transferredZone(dns, signedTransfer())
  /** The answers come from what is published. */
  const zoneOrNothing = async () => zone().catch(() => [])
  const reset = async (records: readonly ZoneRecord[]): Promise<void> => {
    await api('DELETE', `/dns/zones/${UPDATE_ORIGIN}`)
    await until(async () => (await zoneOrNothing()).length === 0)
    const made = await api('POST', '/dns/zones', { zone_name: UPDATE_ORIGIN })
    const items = patchOf(records)
    const changed = await api('PATCH', `/dns/records/${UPDATE_ORIGIN}`, items)
    if (made !== 201 || changed !== 202) throw new Error(`the zone was not reset: ${made} ${changed}`)
    await until(async () => (await zoneOrNothing()).length >= records.length)
  }
  return { zone, send: async (octets) => answered(dns, octets), reset }
}
