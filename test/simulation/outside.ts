import { type Address, bytesOf, type Family, familyOf, parseAddress } from '../../src/shared/base/address.ts'
import { PUBLIC_SERVICES } from '../../src/client/detect/sources/services.ts'
import { address } from '../fakes/address.ts'

/** Every host outside that the client may ask, with its addresses in this world. */
const HOSTS: ReadonlyMap<string, Partial<Record<Family, Address>>> = new Map(
  [
    ...new Set(
      PUBLIC_SERVICES.flatMap(({ spec }) => {
        if (spec.kind === 'stun') return [spec.host]
        if (spec.kind === 'dns') return [spec.server]
        return spec.kind === 'web' ? [new URL(spec.url).hostname] : []
      }),
    ),
  ].map((host, nth) => {
    const written = parseAddress(host)
    if (written !== undefined) return [host, { [familyOf(written)]: written }]
    return [host, { v4: address(`20.0.0.${nth + 1}`), v6: address(`2a01::${nth + 1}`) }]
  }),
)
const NAMES = new Map([...HOSTS].flatMap(([host, both]) => Object.values(both).map((one) => [one, host])))

export const addressOfHost = (host: string, family: Family): Address | undefined => HOSTS.get(host)?.[family]
export const hostAt = (one: Address): string | undefined => NAMES.get(one)

/** What a service outside says of a sender: its address, or the liar's own word. */
export function seenBy(host: string, sender: Address, liars: readonly string[]): Address {
  const nth = liars.indexOf(host)
  return nth < 0 ? sender : address(`14.0.0.${nth + 1}`)
}

/** RFC 8489 §6.3.1, with XOR-MAPPED-ADDRESS (§14.2). */
export function stunAnswer(request: Uint8Array, seen: Address): Uint8Array {
  const octets = bytesOf(seen)
  const message = Buffer.alloc(28 + octets.length)
  message.writeUInt16BE(0x0101, 0)
  message.writeUInt16BE(8 + octets.length, 2)
  message.set(request.subarray(4, 20), 4)
  message.writeUInt16BE(0x0020, 20)
  message.writeUInt16BE(4 + octets.length, 22)
  message[25] = familyOf(seen) === 'v4' ? 1 : 2
  const key = message.subarray(4, 20)
  octets.forEach((octet, at) => (message[28 + at] = octet ^ (key[at] ?? 0)))
  return message
}

const [A, TXT, AAAA] = [1, 16, 28]

/** RFC 1035 §4.1: the question, and one record of its type, if there is one. */
export function dnsAnswer(request: Uint8Array, seen: Address | undefined): Uint8Array {
  const query = Buffer.from(request)
  const type = query.readUInt16BE(query.length - 4)
  const text = Buffer.from(seen ?? '')
  const octets = seen === undefined ? [] : bytesOf(seen)
  const data = type === TXT ? Buffer.concat([Buffer.from([text.length]), text]) : Buffer.from(octets)
  const ofFamily = seen !== undefined && familyOf(seen) === 'v4' ? A : AAAA
  const isAnswered = seen !== undefined && (type === TXT || type === ofFamily)
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  query.copy(record, 2, query.length - 4)
  record.writeUInt16BE(data.length, 10)
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(isAnswered ? 1 : 0, 6)
  return Buffer.concat([head, query.subarray(12), ...(isAnswered ? [record, data] : [])])
}

/** Asked each second: made once for each address. */
const OCTETS = new Map<Address, Uint8Array>()

function octetsOf(one: Address): Uint8Array {
  const known = OCTETS.get(one) ?? bytesOf(one)
  OCTETS.set(one, known)
  return known
}

/** RFC 6886 §3.2. */
export function pmpAnswer(code: number, epoch: number, stated: Address | undefined): Uint8Array {
  const message = Buffer.alloc(12)
  message[1] = 128
  message.writeUInt16BE(code, 2)
  message.writeUInt32BE(epoch, 4)
  if (stated !== undefined) message.set(octetsOf(stated), 8)
  return message
}

/** The body of a web service. */
export const pageOf = (url: string, seen: Address): string =>
  new URL(url).pathname === '/cdn-cgi/trace' ? `fl=1\nip=${seen}\n` : `${seen}\n`
