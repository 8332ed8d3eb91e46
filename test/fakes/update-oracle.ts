import {
  decodeTsig,
  decodeMessage,
  type DecodedUpdate,
  isResponse,
  MalformedOctets,
  opcodeOf,
} from './update-decode.ts'
import {
  applyUpdate,
  hasNeedlessValue,
  hasUnknownType,
  type Deviations,
  type ModelZone,
} from './update-model.ts'
import { type Authenticity, checkTsig, type MacKey } from './update-tsig.ts'
import { CLASS, HEADER_OCTETS, OPCODE_UPDATE, RCODE, TYPE } from './update-wire.ts'

/** What a server answers to octets, and its zone after them. */
export interface ExpectedAnswer {
  /** Undefined: no answer. "refused": any but NOERROR. "other": the message is no UPDATE, and its answer is of no interest. */
  readonly rcode: number | undefined | 'refused' | 'other'
  readonly zone: ModelZone
  /** FORMERR is right too, if nothing changes. */
  readonly isMaybeMalformed?: boolean
}

export interface OracleRules {
  readonly keys: readonly MacKey[]
  /** In seconds since the epoch. */
  readonly now: number
  readonly deviations: Deviations
}

/** RFC 8945 §5.1: the record is the last one, alone, of class ANY and with TTL 0. */
export function authenticityOf(octets: Buffer, message: DecodedUpdate, rules: OracleRules): Authenticity {
  const { prerequisites, updates, additional, lastAt } = message
  const records = [...prerequisites, ...updates, ...additional]
  const last = additional.at(-1)
  const signatures = records.filter(({ type }) => type === TYPE.TSIG)
  if (signatures.length === 0) return 'unsigned'
  if (last === undefined || signatures.length > 1 || last !== signatures[0]) return 'malformed'
  if (last.class !== CLASS.ANY || last.ttl !== 0) return 'malformed'
  const fields = decodeTsig(last)
  const before = Buffer.from(octets.subarray(0, lastAt))
  before.writeUInt16BE(fields.originalId, 0)
  before.writeUInt16BE(additional.length - 1, 10)
  return checkTsig(before, fields, rules)
}

// biome-ignore format: a table
const RCODE_BY_AUTHENTICITY: Readonly<Record<Exclude<Authenticity, 'valid'>, number>> = {
  unsigned:  RCODE.REFUSED,
  invalid:   RCODE.NOTAUTH,
  malformed: RCODE.FORMERR,
}

const isAnswered = (octets: Buffer): boolean =>
  octets.length >= HEADER_OCTETS && !isResponse(octets.readUInt16BE(2))

/** RFC 2136 §3 with RFC 8945 §5: form, signature, and the rules of UPDATE. */
export function expectedAnswer(zone: ModelZone, octets: Buffer, rules: OracleRules): ExpectedAnswer {
  if (!isAnswered(octets)) return { rcode: undefined, zone }
  if (opcodeOf(octets.readUInt16BE(2)) !== OPCODE_UPDATE) return { rcode: 'other', zone }
  try {
    const message = decodeMessage(octets)
    if (message.trailing > 0 && !rules.deviations.has('trailing-octets'))
      return { rcode: RCODE.FORMERR, zone }
    if (rules.deviations.has('empty-first') && hasNeedlessValue(message))
      return { rcode: RCODE.FORMERR, zone }
    if (rules.deviations.has('view-by-class') && message.zones[0]?.class !== CLASS.IN)
      return { rcode: 'refused', zone }
    const authenticity = authenticityOf(octets, message, rules)
    if (authenticity !== 'valid') return { rcode: RCODE_BY_AUTHENTICITY[authenticity], zone }
    const isMaybeMalformed = rules.deviations.has('more-types') && hasUnknownType(message)
    return { ...applyUpdate(zone, message, rules.deviations), isMaybeMalformed }
  } catch (error) {
    if (error instanceof MalformedOctets)
      return { rcode: rules.deviations.has('late-form') ? 'refused' : RCODE.FORMERR, zone }
    throw error
  }
}

/** Whether an answer is the one that is expected. */
export const isExpectedRcode = (expected: ExpectedAnswer['rcode'], actual: number | undefined): boolean =>
  expected === 'other' ||
  (expected === 'refused' ? actual !== undefined && actual !== RCODE.NOERROR : actual === expected)
