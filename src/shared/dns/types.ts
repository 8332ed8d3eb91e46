/** RR types and pseudo-types by their mnemonics (IANA, "Domain Name System (DNS) Parameters"). */
export const RR_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  DNSKEY: 48,
  DHCID: 49,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
  URI: 256,
  CAA: 257,
} as const

export const CLASSES = { IN: 1, CH: 3, NONE: 254, ANY: 255 } as const
export const OPCODES = { QUERY: 0, NOTIFY: 4, UPDATE: 5 } as const

/** RFC 1035 §4.1.1, RFC 2136 §2.2, RFC 6891 §9. */
export const RCODES = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  BADVERS: 16,
} as const

/** Bits of the header (RFC 1035 §4.1.1). */
export const FLAGS = { QR: 0x8000, AA: 0x0400, TC: 0x0200, RD: 0x0100, CD: 0x0010 } as const

/** Options of EDNS: RFC 5001, RFC 7873, RFC 8914. */
export const EDNS_OPTIONS = { NSID: 3, COOKIE: 10, ERROR: 15 } as const

/** In octets (RFC 1035 §4.1.1). */
export const HEADER_LENGTH = 12

/** One record as it is published. `ttl` in seconds, `rdata` without compression. */
export interface DnsRecord {
  readonly type: number
  readonly ttl: number
  readonly rdata: Uint8Array
}
