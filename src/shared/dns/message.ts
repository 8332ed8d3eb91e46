import { encodeName, nameAndAncestors, readName } from './name.ts'
import type { Question } from './request.ts'
import { CLASSES, type DnsRecord, HEADER_LENGTH, RR_TYPES } from './types.ts'

/** A pointer has 14 bits (RFC 1035 §4.1.4). */
const MAX_POINTER = 0x3fff
/** In octets: type, class, TTL, length. */
const FIXED_LENGTH = 10
/** In octets: the root before them. */
const OPT_LENGTH = FIXED_LENGTH + 1
/** In octets: the largest datagram that avoids fragments on every path (RFC 9715 §3). */
export const MAX_DATAGRAM = 1232

export type Section = 'answer' | 'authority' | 'additional'
const COUNT_AT: Readonly<Record<Section, number>> = { answer: 6, authority: 8, additional: 10 }

interface Head {
  readonly id: number
  /** Flags and opcode, without the RCODE. */
  readonly flags: number
  readonly question?: Question
  /** In octets. */
  readonly limit: number
}

/** RDATA with names: octets before the first one, and how many there are. Only of RFC 1035 (RFC 3597 §4). */
const COMPRESSED: Readonly<Record<number, { readonly before: number; readonly names: number }>> = {
  [RR_TYPES.NS]: { before: 0, names: 1 },
  [RR_TYPES.CNAME]: { before: 0, names: 1 },
  [RR_TYPES.SOA]: { before: 0, names: 2 },
  [RR_TYPES.PTR]: { before: 0, names: 1 },
  [RR_TYPES.MX]: { before: 2, names: 1 },
}

/** Writes one message, whose names are compressed. */
export class MessageBuilder {
  readonly #buffer: Buffer
  readonly #limit: number
  readonly #pointers = new Map<string, number>()
  #length = HEADER_LENGTH
  #reserved = 0
  #extendedRcode = 0
  #hasEdns = false
  #isDnssecOk = false

  constructor({ id, flags, question, limit }: Head) {
    this.#buffer = Buffer.allocUnsafe(Math.max(limit, 512)).fill(0, 0, HEADER_LENGTH)
    this.#limit = limit
    this.#buffer.writeUInt16BE(id, 0)
    this.#buffer.writeUInt16BE(flags, 2)
    if (question === undefined) return
    this.#buffer.writeUInt16BE(1, 4)
    this.#buffer.set(question.wire, HEADER_LENGTH)
    this.#length += question.wire.length
    this.#remember(question.name, HEADER_LENGTH)
  }

  get length(): number {
    return this.#length
  }

  /** Keeps room, such as for a TSIG record. */
  reserve(octets: number): void {
    this.#reserved += octets
  }

  /** Adds an OPT record at the end, with this size of datagrams (RFC 6891 §6.1.2), and DO as asked (RFC 3225 §3). */
  withEdns({ isDnssecOk = false }: { readonly isDnssecOk?: boolean } = {}): void {
    this.#hasEdns = true
    this.#isDnssecOk = isDnssecOk
    this.reserve(OPT_LENGTH)
  }

  /** False, with nothing added, if the record does not fit. `owner` in lower case. */
  add(section: Section, owner: string, { type, ttl, rdata }: DnsRecord): boolean {
    const start = this.#length
    if (start + this.#ownerLength(owner) + FIXED_LENGTH > this.#end) return false
    this.#writeOwner(owner)
    const buffer = this.#buffer
    const fixed = this.#length
    let at = buffer.writeUInt16BE(type, fixed)
    at = buffer.writeUInt16BE(CLASSES.IN, at)
    at = buffer.writeUInt32BE(ttl, at)
    this.#length = at + 2
    if (!this.#writeRdata(type, rdata)) {
      this.#cut(start)
      return false
    }
    buffer.writeUInt16BE(this.#length - fixed - FIXED_LENGTH, at)
    const countAt = COUNT_AT[section]
    buffer.writeUInt16BE(buffer.readUInt16BE(countAt) + 1, countAt)
    return true
  }

  setFlags(flags: number): void {
    this.#buffer.writeUInt16BE(this.#buffer.readUInt16BE(2) | flags, 2)
  }

  /** Twelve bits; the upper eight need EDNS (RFC 6891 §6.1.3). */
  setRcode(rcode: number): void {
    this.#buffer[3] = ((this.#buffer[3] ?? 0) & 0xf0) | (rcode & 15)
    this.#extendedRcode = rcode >> 4
  }

  done(): Buffer {
    if (this.#hasEdns) this.#writeOpt()
    return this.#buffer.subarray(0, this.#length)
  }

  #writeOpt(): void {
    const opt = Buffer.alloc(OPT_LENGTH)
    opt.writeUInt16BE(RR_TYPES.OPT, 1)
    opt.writeUInt16BE(MAX_DATAGRAM, 3)
    opt[5] = this.#extendedRcode
    if (this.#isDnssecOk) opt[7] = 0x80
    this.#buffer.set(opt, this.#length)
    this.#length += OPT_LENGTH
    this.#buffer.writeUInt16BE(this.#buffer.readUInt16BE(10) + 1, 10)
  }

  get #end(): number {
    return this.#limit - this.#reserved
  }

  /** False if it does not fit. */
  #writeRdata(type: number, rdata: Uint8Array): boolean {
    const { before, names } = COMPRESSED[type] ?? { before: rdata.length, names: 0 }
    if (!this.#writeOctets(rdata.subarray(0, before))) return false
    let at = before
    for (let n = 0; n < names; n++) {
      const { name, end } = readName(rdata, at) ?? { name: '', end: rdata.length }
      // A name with capital letters stays as it is.
      const isPlain = encodeName(name).equals(rdata.subarray(at, end))
      const fits = isPlain
        ? this.#length + this.#ownerLength(name) <= this.#end && this.#writeOwner(name)
        : this.#writeOctets(rdata.subarray(at, end))
      if (!fits) return false
      at = end
    }
    return this.#writeOctets(rdata.subarray(at))
  }

  #writeOctets(octets: Uint8Array): boolean {
    if (this.#length + octets.length > this.#end) return false
    this.#buffer.set(octets, this.#length)
    this.#length += octets.length
    return true
  }

  /** Takes back all from here on. */
  #cut(start: number): void {
    this.#length = start
    for (const [name, at] of this.#pointers) if (at >= start) this.#pointers.delete(name)
  }

  #ownerLength(owner: string): number {
    const known = nameAndAncestors(owner).find((name) => this.#pointers.has(name)) ?? ''
    return owner.length - known.length + 2
  }

  #writeOwner(owner: string): true {
    const known = nameAndAncestors(owner).find((name) => this.#pointers.has(name))
    const start = this.#length
    const own = known === undefined ? owner : owner.slice(0, Math.max(0, owner.length - known.length - 1))
    const labels = known === undefined || own !== '' ? encodeName(own) : Buffer.alloc(1)
    this.#buffer.set(labels, start)
    this.#length += labels.length
    const pointer = known === undefined ? undefined : this.#pointers.get(known)
    if (pointer !== undefined) {
      this.#length -= 1
      this.#length = this.#buffer.writeUInt16BE(0xc000 | pointer, this.#length)
    }
    this.#remember(owner, start)
    return true
  }

  /** So that later owners can point to this name and to those above it. */
  #remember(owner: string, start: number): void {
    let at = start
    for (const name of nameAndAncestors(owner)) {
      if (name === '' || at > MAX_POINTER || this.#pointers.has(name)) return
      this.#pointers.set(name, at)
      at += labelLength(name) + 1
    }
  }
}

/** One option of EDNS (RFC 6891 §6.1.2). */
export function ednsOption(code: number, octets: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(code, 0)
  head.writeUInt16BE(octets.length, 2)
  return Buffer.concat([head, octets])
}

/** A message whose last record is an OPT without options, with these. */
export function withOptions(message: Buffer, options: Buffer): Buffer {
  if (options.length === 0) return message
  const answer = Buffer.concat([message, options])
  answer.writeUInt16BE(options.length, message.length - 2)
  return answer
}

/** Of the first label on the wire. Names of questions may have escapes: \DDD is one octet. */
const labelLength = (name: string): number => {
  const dot = name.indexOf('.')
  const label = dot === -1 ? name : name.slice(0, dot)
  return label.includes('\\') ? label.replaceAll(/\\\d{3}/g, '.').length : label.length
}
