import { encodeName } from '../../../src/shared/dns/name.ts'
import { CLASSES, RR_TYPES } from '../../../src/shared/dns/types.ts'

export const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff])
export const u32 = (n: number): Buffer => Buffer.from([n >>> 24, (n >> 16) & 0xff, (n >> 8) & 0xff, n & 0xff])
export const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

export interface WireRecord {
  readonly owner?: Buffer
  readonly type: number
  readonly class?: number
  readonly ttl?: number
  readonly rdata: Uint8Array
}

export interface Wire {
  readonly id?: number
  readonly flags?: number
  readonly name?: string | Buffer
  readonly type?: number
  readonly class?: number
  readonly questions?: number
  readonly answers?: readonly WireRecord[]
  readonly authorities?: readonly WireRecord[]
  readonly additions?: readonly WireRecord[]
}

export const recordWire = ({ owner, type, class: recordClass, ttl, rdata }: WireRecord): Buffer =>
  Buffer.concat([
    owner ?? encodeName('example.test'),
    u16(type),
    u16(recordClass ?? CLASSES.IN),
    u32(ttl ?? 0),
    u16(rdata.length),
    rdata,
  ])

/** A message, written without the code under test but for names. */
export function wire({ answers = [], authorities = [], additions = [], ...head }: Wire): Buffer {
  const name = head.name ?? 'example.test'
  return Buffer.concat([
    u16(head.id ?? 0x1234),
    u16(head.flags ?? 0),
    u16(head.questions ?? 1),
    ...[answers, authorities, additions].map((records) => u16(records.length)),
    typeof name === 'string' ? encodeName(name) : name,
    u16(head.type ?? RR_TYPES.A),
    u16(head.class ?? CLASSES.IN),
    ...[...answers, ...authorities, ...additions].map(recordWire),
  ])
}

/** OPT: the size of datagrams is its class, the version is in its TTL (RFC 6891 §6.1.2). */
export const opt = (size = 1232, version = 0): WireRecord => ({
  owner: Buffer.from([0]),
  type: RR_TYPES.OPT,
  class: size,
  ttl: version << 16,
  rdata: Buffer.alloc(0),
})

export const soaRdata = (serial: number): Buffer =>
  Buffer.concat([
    encodeName('ns1.operator.test'),
    encodeName('hostmaster.example.test'),
    ...[serial, 300, 60, 1_209_600, 60].map(u32),
  ])
