/** Messages of UPDATE (RFC 2136 §2) as data and as octets, without the code under test. */

// biome-ignore format: a table
export const TYPE = {
  A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, OPT: 41, TKEY: 249, TSIG: 250, IXFR: 251, AXFR: 252,
  MAILB: 253, MAILA: 254, ANY: 255, CAA: 257,
} as const
export const CLASS = { IN: 1, CH: 3, NONE: 254, ANY: 255 } as const
export const OPCODE_UPDATE = 5
export const HEADER_OCTETS = 12

// biome-ignore format: a table
export const RCODE = {
  NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, YXDOMAIN: 6, YXRRSET: 7, NXRRSET: 8, NOTAUTH: 9, NOTZONE: 10,
} as const

/** Names are absolute, without a last dot, and the root is ''. Octets that are no plain letters are `\DDD`. */
export interface UpdateRecord {
  readonly owner: string
  readonly type: number
  readonly class: number
  /** In seconds, as 32 bits. */
  readonly ttl: number
  /** Without compressed names. */
  readonly rdata: Buffer
}

/** The zone section has the form of questions (RFC 2136 §2.3). */
export interface UpdateZone {
  readonly name: string
  readonly type: number
  readonly class: number
}

export interface UpdateMessage {
  readonly id: number
  /** The second 16 bits of the header: opcode, bits, RCODE. */
  readonly flags: number
  readonly zones: readonly UpdateZone[]
  readonly prerequisites: readonly UpdateRecord[]
  readonly updates: readonly UpdateRecord[]
  readonly additional: readonly UpdateRecord[]
}

export const UPDATE_FLAGS = OPCODE_UPDATE << 11

export const octets16 = (value: number): Buffer => {
  const octets = Buffer.alloc(2)
  octets.writeUInt16BE(value)
  return octets
}
export const octets32 = (value: number): Buffer => {
  const octets = Buffer.alloc(4)
  octets.writeUInt32BE(value)
  return octets
}

const LABEL = /(?:[^.\\]|\\\d{3})+/g

const labelOctets = (label: string): Buffer =>
  Buffer.from(
    label.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number(digits))),
    'latin1',
  )

export function nameOctets(name: string): Buffer {
  const labels = (name.match(LABEL) ?? []).map(labelOctets)
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.alloc(1)])
}

export const labelText = (octets: Buffer): string =>
  [...octets]
    .map((octet) =>
      /[\w*-]/.test(String.fromCharCode(octet))
        ? String.fromCharCode(octet)
        : `\\${String(octet).padStart(3, '0')}`,
    )
    .join('')

const recordOctets = ({ owner, type, class: of, ttl, rdata }: UpdateRecord): Buffer =>
  Buffer.concat([
    nameOctets(owner),
    octets16(type),
    octets16(of),
    octets32(ttl),
    octets16(rdata.length),
    rdata,
  ])

const zoneOctets = ({ name, type, class: of }: UpdateZone): Buffer =>
  Buffer.concat([nameOctets(name), octets16(type), octets16(of)])

/** Without compression: every name is written in full. */
export function messageOctets({ id, flags, zones, ...sections }: UpdateMessage): Buffer {
  const records = [sections.prerequisites, sections.updates, sections.additional]
  return Buffer.concat([
    ...[id, flags, zones.length, ...records.map(({ length }) => length)].map(octets16),
    ...zones.map(zoneOctets),
    ...records.flat().map(recordOctets),
  ])
}
