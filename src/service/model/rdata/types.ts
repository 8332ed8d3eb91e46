import { RR_TYPES } from '../../../shared/dns/types.ts'
import { aaaaRdata, aRdata } from './address.ts'
import { caaRdata } from './caa.ts'
import { dhcidRdata } from './dhcid.ts'
import { dsRdata, sshfpRdata, tlsaRdata } from './digests.ts'
import { aliasRdata, cnameRdata, nsRdata, ptrRdata } from './host.ts'
import { locRdata } from './loc.ts'
import { mxRdata } from './mx.ts'
import { naptrRdata } from './naptr.ts'
import type { RdataParser } from './parse.ts'
import { srvRdata } from './srv.ts'
import { svcbRdata } from './svcb.ts'
import { txtRdata } from './txt.ts'
import { uriRdata } from './uri.ts'
import { urlRdata } from './url.ts'
import { composed, readWith, type WireField, wireName, type WireRdata } from './wire.ts'

interface RdataType {
  /** Whether a DDNS key may change it: it contains an address or a redirect. */
  readonly isTarget: boolean
  readonly parse: RdataParser
  /** What its octets are, in the order of its RFC. Without it there is no such record: it is rendered as others. */
  readonly wire?: readonly WireField[]
}

/** All supported types. */
export const RDATA_TYPES = {
  A: aRdata,
  AAAA: aaaaRdata,
  _URL: urlRdata,
  ALIAS: aliasRdata,
  CNAME: cnameRdata,
  NS: nsRdata,
  PTR: ptrRdata,
  TXT: txtRdata,
  MX: mxRdata,
  SRV: srvRdata,
  CAA: caaRdata,
  DS: dsRdata,
  TLSA: tlsaRdata,
  SSHFP: sshfpRdata,
  HTTPS: svcbRdata,
  SVCB: svcbRdata,
  NAPTR: naptrRdata,
  URI: uriRdata,
  LOC: locRdata,
  DHCID: dhcidRdata,
} as const satisfies Readonly<Record<string, RdataType>>

export type DnsType = keyof typeof RDATA_TYPES
export const isDnsType = (text: unknown): text is DnsType =>
  typeof text === 'string' && Object.hasOwn(RDATA_TYPES, text)

/** The types that are published as they are stored. ALIAS and _URL are rendered: they have no RR type. */
export type WireType = {
  [T in DnsType]: (typeof RDATA_TYPES)[T] extends { readonly wire: unknown } ? T : never
}[DnsType]
export const isWireType = (type: DnsType): type is WireType => 'wire' in RDATA_TYPES[type]
export const typeNumber = (type: WireType): number => RR_TYPES[type]

const BY_NUMBER: ReadonlyMap<number, WireType> = new Map(
  (Object.keys(RDATA_TYPES) as DnsType[]).filter(isWireType).map((type) => [typeNumber(type), type]),
)
/** The type by its number; undefined for one that the service does not have. */
export const wireTypeOf = (type: number): WireType | undefined => BY_NUMBER.get(type)

/** The RDATA of a stored value. */
export const rdataOf = (type: WireType, value: string): Uint8Array => composed(RDATA_TYPES[type].wire, value)

/** The text of RDATA, as the API reads it; undefined if it is malformed. */
export const rdataText = (type: WireType, rdata: WireRdata): string | undefined =>
  readWith(RDATA_TYPES[type].wire, rdata)

/** The octets of a canonical value on the wire. */
export const sizeOfRdata = (type: DnsType, value: string): number =>
  isWireType(type) ? rdataOf(type, value).length : Buffer.byteLength(value)

/** Which field of a value is a domain name; -1 if none is. */
export const nameFieldOf = (type: DnsType): number =>
  isWireType(type)
    ? (RDATA_TYPES[type].wire as readonly WireField[]).indexOf(wireName)
    : type === 'ALIAS'
      ? 0
      : -1
