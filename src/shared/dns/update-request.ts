import { type Edns, type Question, parseSections, type ReadRecord, type TsigRecord } from './request.ts'
import { FLAGS, HEADER_LENGTH, OPCODES } from './types.ts'
import type { UpdateRecord } from './update.ts'

/** A record of an UPDATE, with the place of its RDATA, in which names may be compressed. */
export interface ReadUpdateRecord extends UpdateRecord {
  readonly message: Uint8Array
  readonly rdataAt: number
  readonly end: number
}

/** An UPDATE as the primary reads it (RFC 2136 §2). */
export interface UpdateMessage {
  readonly id: number
  readonly flags: number
  readonly opcode: number
  /** The zone section: its name, and the type and class that it must have (§3.1.1). */
  readonly question: Question
  readonly prerequisites: readonly ReadUpdateRecord[]
  readonly updates: readonly ReadUpdateRecord[]
  readonly edns: Edns | undefined
  readonly tsig: TsigRecord | undefined
}

/** As many changes as a PATCH has, each with a prerequisite, and what comes with them. */
const MAX_RECORDS = 1100

export const isUpdate = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER_LENGTH &&
  ((bytes[2] ?? 0) & (FLAGS.QR >> 8)) === 0 &&
  (((bytes[2] ?? 0) >> 3) & 15) === OPCODES.UPDATE

/** Undefined if it is malformed, or has more records than are read. Never throws. */
export function parseUpdate(bytes: Uint8Array): UpdateMessage | undefined {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const parsed = parseSections(message, MAX_RECORDS)
  if (parsed === undefined) return undefined
  const { id, flags, question, edns, tsig, answers, authorities } = parsed
  const recordOf = (read: ReadRecord): ReadUpdateRecord => ({
    name: read.name,
    type: read.type,
    class: read.class,
    ttl: read.ttl,
    rdata: message.subarray(read.rdataAt, read.end),
    message,
    rdataAt: read.rdataAt,
    end: read.end,
  })
  return {
    id,
    flags,
    opcode: OPCODES.UPDATE,
    question,
    edns,
    tsig,
    prerequisites: answers.map(recordOf),
    updates: authorities.map(recordOf),
  }
}
