import { nameOctets, octets16, octets32, TYPE } from './update-wire.ts'

/** RDATA from values, and the form of RDATA by type. */

const text = (value: string): Buffer => Buffer.from(value, 'latin1')
const characterString = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), text(value)])

export const aRdata = (address: string): Buffer => Buffer.from(address.split('.').map(Number))
/** The last group of an address of the documentation prefix. */
export const aaaaRdata = (last: number): Buffer =>
  Buffer.concat([Buffer.from('20010db8'.padEnd(28, '0'), 'hex'), octets16(last)])
export const txtRdata = (...strings: readonly string[]): Buffer => Buffer.concat(strings.map(characterString))
export const mxRdata = (preference: number, exchange: string): Buffer =>
  Buffer.concat([octets16(preference), nameOctets(exchange)])
export const srvRdata = (priority: number, port: number, target: string): Buffer =>
  Buffer.concat([...[priority, 0, port].map(octets16), nameOctets(target)])
export const caaRdata = (tag: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0]), characterString(tag), text(value)])
export const zoneSoaRdata = (host: string, serial: number, minimum = 60): Buffer =>
  Buffer.concat([
    nameOctets(host),
    nameOctets(`hostmaster.${host}`),
    ...[serial, 3600, 600, 86_400, minimum].map(octets32),
  ])

/** The parts of RDATA: octets of a fixed length, names, character strings, a tag of CAA, and whatever follows. */
export type RdataPart = number | 'name' | 'uncompressed-name' | 'strings' | 'tag' | 'rest'

/** RFC 1035 §3.3 and §3.4, RFC 3596, 2782, 8659. Types that are not here have any RDATA (RFC 3597 §3). */
// biome-ignore format: a table
export const RDATA_PARTS: Readonly<Record<number, readonly RdataPart[]>> = {
  [TYPE.A]:     [4],
  [TYPE.AAAA]:  [16],
  [TYPE.NS]:    ['name'],
  [TYPE.CNAME]: ['name'],
  [TYPE.PTR]:   ['name'],
  [TYPE.MX]:    [2, 'name'],
  [TYPE.SOA]:   ['name', 'name', 20],
  [TYPE.SRV]:   [6, 'uncompressed-name'],
  [TYPE.TXT]:   ['strings'],
  [TYPE.CAA]:   [1, 'tag', 'rest'],
}

/** The serial of an SOA record: the first of its five last numbers (RFC 1035 §3.3.13). */
const SERIAL_FROM_END = 20
export const serialOf = (soa: Buffer): number => soa.readUInt32BE(soa.length - SERIAL_FROM_END)
export function withSerial(soa: Buffer, serial: number): Buffer {
  const changed = Buffer.from(soa)
  changed.writeUInt32BE(serial, soa.length - SERIAL_FROM_END)
  return changed
}

/** How long a part is that begins here. */
function partLength(rdata: Buffer, part: RdataPart, start: number): number {
  if (typeof part === 'number') return part
  if (part !== 'name' && part !== 'uncompressed-name') return rdata.length - start
  let at = start
  while ((rdata[at] ?? 0) !== 0) at += 1 + (rdata[at] ?? 0)
  return at + 1 - start
}

/** Octets of lengths of labels are less than those of letters. */
const lowerCase = (name: Buffer): Buffer =>
  Buffer.from(name.map((octet) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet)))

/** RDATA as it is compared: names in lower case (RFC 1035 §2.3.3, RFC 3597 §6). Of a right form only. */
export function canonicalRdata(type: number, rdata: Buffer): string {
  let at = 0
  const parts = (RDATA_PARTS[type] ?? ['rest']).map((part) => {
    const octets = rdata.subarray(at, (at += partLength(rdata, part, at)))
    return part === 'name' || part === 'uncompressed-name' ? lowerCase(octets) : octets
  })
  return Buffer.concat(parts).toString('hex')
}
