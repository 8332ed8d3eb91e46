import { encodeName } from './name.ts'
import { questionWire } from './response.ts'
import { CLASSES, HEADER_LENGTH, OPCODES, RR_TYPES } from './types.ts'

/** A record of a prerequisite or of a change, whose class says what is meant (RFC 2136 §2.4, §2.5). */
export interface UpdateRecord {
  /** In lower case. */
  readonly name: string
  readonly type: number
  readonly class: number
  /** In seconds. */
  readonly ttl: number
  readonly rdata: Uint8Array
}

const bare = (name: string, type: number, recordClass: number): UpdateRecord => ({
  name,
  type,
  class: recordClass,
  ttl: 0,
  rdata: new Uint8Array(),
})

/** RFC 2136 §2.4.3: there is no such RRset. */
export const rrsetIsAbsent = (name: string, type: number): UpdateRecord => bare(name, type, CLASSES.NONE)
/** RFC 2136 §2.4.4: the name has at least one record. */
export const nameIsInUse = (name: string): UpdateRecord => bare(name, RR_TYPES.ANY, CLASSES.ANY)
/** RFC 2136 §2.4.2: one of the values of an RRset that has no others. */
export const recordExists = (name: string, type: number, rdata: Uint8Array): UpdateRecord => ({
  ...bare(name, type, CLASSES.IN),
  rdata,
})
/** RFC 2136 §2.5.2. */
export const rrsetDeletion = (name: string, type: number): UpdateRecord => bare(name, type, CLASSES.ANY)
/** RFC 2136 §2.5.1. */
export const recordAddition = (record: Omit<UpdateRecord, 'class'>): UpdateRecord => ({
  ...record,
  class: CLASSES.IN,
})

/** RFC 2136 §2: all of it is done, or nothing. */
export function encodeUpdate(
  id: number,
  zone: string,
  {
    prerequisites,
    updates,
  }: { readonly prerequisites: readonly UpdateRecord[]; readonly updates: readonly UpdateRecord[] },
): Buffer {
  const head = headOf(id, OPCODES.UPDATE << 11)
  head.writeUInt16BE(prerequisites.length, 6)
  head.writeUInt16BE(updates.length, 8)
  return Buffer.concat([
    head,
    questionWire(zone, RR_TYPES.SOA),
    ...[...prerequisites, ...updates].flatMap(recordWire),
  ])
}

/** RFC 1035 §4.1: a question to the server itself, without recursion. */
export const encodeQuestion = (id: number, name: string, type: number): Buffer =>
  Buffer.concat([headOf(id, 0), questionWire(name, type)])

function headOf(id: number, flags: number): Buffer {
  const head = Buffer.alloc(HEADER_LENGTH)
  head.writeUInt16BE(id, 0)
  head.writeUInt16BE(flags, 2)
  head.writeUInt16BE(1, 4)
  return head
}

function recordWire({ name, type, class: recordClass, ttl, rdata }: UpdateRecord): readonly Uint8Array[] {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(recordClass, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(rdata.length, 8)
  return [encodeName(name), fixed, rdata]
}
