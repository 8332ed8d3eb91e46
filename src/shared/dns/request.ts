import { encodeName, type ReadName, readName } from './name.ts'
import { isCookieWhole } from './cookie.ts'
import { CLASSES, EDNS_OPTIONS, FLAGS, HEADER_LENGTH, RR_TYPES } from './types.ts'

/** A request as a name server reads it. */
export interface DnsRequest {
  readonly id: number
  readonly flags: number
  readonly opcode: number
  readonly question: Question
  readonly edns: Edns | undefined
  readonly tsig: TsigRecord | undefined
  /** Of IXFR: the serial that the requester has (RFC 1995 §3). */
  readonly serial: number | undefined
}

export interface Question {
  /** In lower case. */
  readonly name: string
  readonly type: number
  readonly class: number
  /** As sent, so that the answer has the same letters (RFC 1035 §2.3.3). */
  readonly wire: Uint8Array
}

/** RFC 6891 §6.1.3. */
export interface Edns {
  /** In octets: the largest datagram that the requester receives. */
  readonly size: number
  readonly version: number
  /** The requester wants records of DNSSEC (RFC 3225 §3). */
  readonly isDnssecOk: boolean
  /** The requester wants to know which server answers (RFC 5001 §2.1). */
  readonly wantsNsid: boolean
  /** Of the client, and perhaps of a server (RFC 7873 §4). */
  readonly cookie: Uint8Array | undefined
}

/** RFC 8945 §4.2. */
export interface TsigRecord {
  /** Where the record begins in the message. */
  readonly start: number
  /** In lower case. */
  readonly keyName: string
  readonly algorithm: string
  /** In seconds since the epoch. */
  readonly time: number
  /** In seconds. */
  readonly fudge: number
  readonly mac: Uint8Array
  readonly originalId: number
  readonly error: number
  readonly other: Uint8Array
}

/** `dropped`: not a request, so it has no answer. `malformed`: FORMERR. */
type ParsedRequest =
  | { readonly kind: 'request'; readonly request: DnsRequest }
  | { readonly kind: 'malformed'; readonly id: number; readonly opcode: number }
  | { readonly kind: 'dropped' }

const DROPPED_REQUEST = { kind: 'dropped' } as const
/** Of a request. */
const MAX_RECORDS = 16

/** Parses a request: a header, one question, and what OPT, TSIG and IXFR add. Never throws. */
export function parseRequest(bytes: Uint8Array): ParsedRequest {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (message.length < HEADER_LENGTH) return DROPPED_REQUEST
  const [id, flags] = [message.readUInt16BE(0), message.readUInt16BE(2)]
  if ((flags & FLAGS.QR) !== 0) return DROPPED_REQUEST
  const opcode = (flags >> 11) & 15
  const parsed = parseSections(message, MAX_RECORDS)
  if (parsed === undefined) return { kind: 'malformed', id, opcode }
  const { question, edns, tsig, authorities } = parsed
  const serial = serialOf(message, question, authorities)
  return { kind: 'request', request: { id, flags, opcode, question, edns, tsig, serial } }
}

/** What requests and responses have in common. */
interface Sections {
  readonly id: number
  readonly flags: number
  readonly question: Question
  readonly answers: readonly ReadRecord[]
  readonly authorities: readonly ReadRecord[]
  readonly edns: Edns | undefined
  readonly tsig: TsigRecord | undefined
}

/** Undefined if the message is malformed, has more records than that, or more or less than one question. */
export function parseSections(message: Buffer, maxRecords: number): Sections | undefined {
  if (message.length < HEADER_LENGTH) return undefined
  const [questions = 0, answers = 0, authorities = 0, additions = 0] = [4, 6, 8, 10].map((at) =>
    message.readUInt16BE(at),
  )
  const count = answers + authorities + additions
  const question = questions === 1 && count <= maxRecords ? readQuestion(message) : undefined
  const records = question === undefined ? undefined : readRecords(message, question.end, count)
  if (question === undefined || records === undefined) return undefined
  const pseudo = pseudoRecords(message, records, answers + authorities)
  if (pseudo === undefined) return undefined
  return {
    id: message.readUInt16BE(0),
    flags: message.readUInt16BE(2),
    question: question.value,
    answers: records.slice(0, answers),
    authorities: records.slice(answers, answers + authorities),
    ...pseudo,
  }
}

/**
 * RFC 6891 §6.1.1: one OPT at most, at the root. RFC 8945 §5.1: one TSIG at most, the last record, and nothing after it: the
 * signature would not cover that. Octets after the last record of a message without TSIG are ignored, as BIND and NSD do.
 */
function pseudoRecords(
  message: Buffer,
  records: readonly ReadRecord[],
  additionalAt: number,
): Pick<Sections, 'edns' | 'tsig'> | undefined {
  const added = records.slice(additionalAt)
  const [opt, ...moreOpts] = added.filter(({ type }) => type === RR_TYPES.OPT)
  const signatures = records.filter(({ type }) => type === RR_TYPES.TSIG)
  const [signature, ...moreSignatures] = signatures
  const isMisplaced =
    signature !== undefined && (signature !== added.at(-1) || signature.end !== message.length)
  const tsig = signature === undefined ? undefined : readTsig(message, signature)
  const edns = opt && readEdns(message, opt)
  const isMalformed =
    (signature !== undefined && tsig === undefined) ||
    (opt !== undefined && (opt.name !== '' || edns === undefined)) ||
    records.slice(0, additionalAt).some(({ type }) => type === RR_TYPES.OPT)
  if (isMisplaced || isMalformed || moreOpts.length + moreSignatures.length > 0) return undefined
  return { tsig, edns }
}

/** Undefined if its options are malformed. */
function readEdns(message: Buffer, opt: ReadRecord): Edns | undefined {
  const options = readOptions(message, opt)
  const cookie = options?.get(EDNS_OPTIONS.COOKIE)
  if (options === undefined || (cookie !== undefined && !isCookieWhole(cookie))) return undefined
  return {
    size: opt.class,
    version: (opt.ttl >> 16) & 255,
    isDnssecOk: ((opt.ttl >> 15) & 1) === 1,
    wantsNsid: options.has(EDNS_OPTIONS.NSID),
    cookie,
  }
}

/** RFC 6891 §6.1.2: options, each after its code and its length, fill the RDATA. Of several with one code, the first. */
function readOptions(message: Buffer, { rdataAt, end }: ReadRecord): Map<number, Uint8Array> | undefined {
  const options = new Map<number, Uint8Array>()
  let at = rdataAt
  while (at + 4 <= end) {
    const [code, next] = [message.readUInt16BE(at), at + 4 + message.readUInt16BE(at + 2)]
    if (!options.has(code)) options.set(code, message.subarray(at + 4, next))
    at = next
  }
  return at === end ? options : undefined
}

function readQuestion(message: Buffer): { readonly value: Question; readonly end: number } | undefined {
  // Without the header, to which a pointer could point: an answer has another header, and the same question.
  const read = readName(message.subarray(HEADER_LENGTH), 0)
  const at = HEADER_LENGTH + (read?.end ?? 0)
  const end = at + 4
  if (read === undefined || end > message.length) return undefined
  const value = {
    name: read.name,
    type: message.readUInt16BE(at),
    class: message.readUInt16BE(at + 2),
    wire: message.subarray(HEADER_LENGTH, end),
  }
  return { value, end }
}

/** A record of a message. */
export interface ReadRecord extends ReadName {
  readonly start: number
  readonly type: number
  readonly class: number
  readonly ttl: number
  readonly rdataAt: number
}

/** Reads records at an offset; undefined if one is malformed. */
export function readRecords(message: Buffer, from: number, count: number): readonly ReadRecord[] | undefined {
  const records: ReadRecord[] = []
  for (let start = from; records.length < count; ) {
    const record = readRecord(message, start)
    if (record === undefined) return undefined
    records.push(record)
    start = record.end
  }
  return records
}

function readRecord(message: Buffer, start: number): ReadRecord | undefined {
  const read = readName(message, start)
  if (read === undefined || read.end + 10 > message.length) return undefined
  const at = read.end
  const [rdataAt, end] = [at + 10, at + 10 + message.readUInt16BE(at + 8)]
  if (end > message.length) return undefined
  return {
    name: read.name,
    start,
    type: message.readUInt16BE(at),
    class: message.readUInt16BE(at + 2),
    ttl: message.readUInt32BE(at + 4),
    rdataAt,
    end,
  }
}

/** The serial of the SOA in the authority section of an IXFR, which must be that of the question (RFC 1995 §3). */
function serialOf(
  message: Buffer,
  { name, type }: Question,
  authorities: readonly ReadRecord[],
): number | undefined {
  if (type !== RR_TYPES.IXFR) return undefined
  const soa = authorities.find((one) => one.type === RR_TYPES.SOA && one.name === name)
  return soa === undefined ? undefined : soaSerial(message, soa)
}

/** RFC 1035 §3.3.13; undefined if the RDATA is malformed. */
export function soaSerial(message: Buffer, soa: Pick<ReadRecord, 'rdataAt' | 'end'>): number | undefined {
  const mname = readName(message, soa.rdataAt)
  const rname = mname === undefined ? undefined : readName(message, mname.end)
  return rname === undefined || rname.end + 20 > soa.end ? undefined : message.readUInt32BE(rname.end)
}

/** RFC 8945 §4.2: class ANY and TTL 0; the name of the algorithm is not compressed. */
function readTsig(message: Buffer, record: ReadRecord): TsigRecord | undefined {
  const algorithm = readName(message, record.rdataAt)
  if (record.class !== CLASSES.ANY || record.ttl !== 0 || algorithm === undefined) return undefined
  const at = algorithm.end
  // A pointer has two octets; the rest of a name has one, or more than two.
  if (encodeName(algorithm.name).length !== at - record.rdataAt) return undefined
  if (at + 10 > record.end) return undefined
  const macEnd = at + 10 + message.readUInt16BE(at + 8)
  if (macEnd + 6 > record.end) return undefined
  const otherEnd = macEnd + 6 + message.readUInt16BE(macEnd + 4)
  if (otherEnd !== record.end) return undefined
  return {
    start: record.start,
    keyName: record.name,
    algorithm: algorithm.name,
    time: message.readUIntBE(at, 6),
    fudge: message.readUInt16BE(at + 6),
    mac: message.subarray(at + 10, macEnd),
    originalId: message.readUInt16BE(macEnd),
    error: message.readUInt16BE(macEnd + 2),
    other: message.subarray(macEnd + 6, otherEnd),
  }
}
