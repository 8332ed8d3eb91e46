import { encodeName } from '../../shared/dns/name.ts'
import { RR_TYPES } from '../../shared/dns/types.ts'
import { type Address, bytesOf } from '../../shared/base/address.ts'
import { stringsOf } from '../model/rdata-strings.ts'
import { svcParamsOf } from '../model/rdata-svcb.ts'
import type { DnsType } from '../model/rdata-values.ts'
import { locRdata } from './rdata-loc.ts'

/** The types that are published as they are stored. ALIAS and _URL are rendered: they have no RR type. */
export type WireType = Exclude<DnsType, 'ALIAS' | '_URL'>
export const isWireType = (type: DnsType): type is WireType => type !== 'ALIAS' && type !== '_URL'
export const typeNumber = (type: WireType): number => RR_TYPES[type]

type Encode = (value: string) => Buffer

const uint16 = (text: string | number): Buffer => {
  const octets = Buffer.alloc(2)
  octets.writeUInt16BE(Number(text))
  return octets
}
const octet = (text: string): Buffer => Buffer.from([Number(text)])
const name = (text: string): Buffer => encodeName(text.replace(/\.$/, ''))
const address: Encode = (value) => Buffer.from(bytesOf(value as Address))
/** RFC 1035 §3.3: an octet with the length, and the text. */
const string = (octets: Uint8Array): Buffer => Buffer.concat([Buffer.from([octets.length]), octets])

/** The first fields of a value, which are separated by one blank, and the rest of it. */
function split(value: string, fields: number): readonly string[] {
  const parts = value.split(' ')
  return [...parts.slice(0, fields), parts.slice(fields).join(' ')]
}

const digest =
  (widths: readonly (1 | 2)[]): Encode =>
  (value) => {
    const fields = value.split(' ')
    const numbers = widths.map((width, n) => (width === 2 ? uint16 : octet)(fields[n] ?? ''))
    return Buffer.concat([...numbers, Buffer.from(fields[widths.length] ?? '', 'hex')])
  }

const svcb: Encode = (value) => {
  const [priority = '', target = ''] = value.split(' ')
  const params = svcParamsOf(value).map(([key, wire]) =>
    Buffer.concat([uint16(key), uint16(wire.length), Buffer.from(wire, 'latin1')]),
  )
  return Buffer.concat([uint16(priority), name(target), ...params])
}

const caa: Encode = (value) => {
  const [flags = '', tag = '', text = ''] = split(value, 2)
  return Buffer.concat([octet(flags), string(Buffer.from(tag)), ...(stringsOf(text) ?? [])])
}

const uri: Encode = (value) => {
  const [priority = '', weight = '', target = ''] = split(value, 2)
  return Buffer.concat([uint16(priority), uint16(weight), ...(stringsOf(target) ?? [])])
}

const naptr: Encode = (value) => {
  const [order = '', preference = '', rest = ''] = split(value, 2)
  const end = rest.lastIndexOf(' ')
  const texts = stringsOf(rest.slice(0, end)) ?? []
  return Buffer.concat([uint16(order), uint16(preference), ...texts.map(string), name(rest.slice(end + 1))])
}

const mx: Encode = (value) => {
  const [preference = '', exchange = ''] = value.split(' ')
  return Buffer.concat([uint16(preference), name(exchange)])
}

const srv: Encode = (value) => {
  const [priority = '', weight = '', port = '', target = ''] = value.split(' ')
  return Buffer.concat([...[priority, weight, port].map(uint16), name(target)])
}

/** From the canonical text of a value to its RDATA. */
// biome-ignore format: a table
const ENCODERS: { readonly [T in WireType]: Encode } = {
  A:     address,
  AAAA:  address,
  CNAME: name,
  NS:    name,
  PTR:   name,
  TXT:   (value) => Buffer.concat((stringsOf(value) ?? []).map(string)),
  MX:    mx,
  SRV:   srv,
  CAA:   caa,
  DS:    digest([2, 1, 1]),
  TLSA:  digest([1, 1, 1]),
  SSHFP: digest([1, 1]),
  HTTPS: svcb,
  SVCB:  svcb,
  NAPTR: naptr,
  URI:   uri,
  LOC:   locRdata,
  DHCID: (value) => Buffer.from(value, 'base64'),
}

/** The RDATA of a stored value. */
export const rdataOf = (type: WireType, value: string): Buffer => ENCODERS[type](value)
