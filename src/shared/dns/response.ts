import { encodeName } from './name.ts'
import { type Edns, parseSections, type ReadRecord, type TsigRecord } from './request.ts'
import { CLASSES, FLAGS, OPCODES } from './types.ts'

/** A response as a client reads it. */
export interface DnsResponse {
  readonly id: number
  readonly flags: number
  readonly rcode: number
  /** The message itself: records refer to it. */
  readonly message: Buffer
  /** In lower case. */
  readonly name: string
  readonly type: number
  readonly answers: readonly ReadRecord[]
  readonly authorities: readonly ReadRecord[]
  readonly edns: Edns | undefined
  readonly tsig: TsigRecord | undefined
}

/** Records of one response. */
const MAX_RECORDS = 1000

/** Undefined for what is no response, or malformed. */
export function parseResponse(bytes: Uint8Array): DnsResponse | undefined {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const parsed = parseSections(message, MAX_RECORDS)
  if (parsed === undefined || (parsed.flags & FLAGS.QR) === 0) return undefined
  const { id, flags, question, answers, authorities, edns, tsig } = parsed
  const { name, type } = question
  return { id, flags, rcode: flags & 15, message, name, type, answers, authorities, edns, tsig }
}

/** The question of a message, as it stands there. */
export const questionWire = (name: string, type: number): Buffer => {
  const tail = Buffer.alloc(4)
  tail.writeUInt16BE(type, 0)
  tail.writeUInt16BE(CLASSES.IN, 2)
  return Buffer.concat([encodeName(name), tail])
}

/** Flags of a NOTIFY (RFC 1996 §4.5). */
export const NOTIFY_FLAGS = (OPCODES.NOTIFY << 11) | FLAGS.AA
