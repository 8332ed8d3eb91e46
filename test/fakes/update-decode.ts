import { RDATA_PARTS, type RdataPart } from './update-rdata.ts'
import type { TsigFields } from './update-tsig.ts'
import {
  HEADER_OCTETS,
  labelText,
  TYPE,
  CLASS,
  type UpdateMessage,
  type UpdateRecord,
  type UpdateZone,
} from './update-wire.ts'

/** Octets that are no message. */
export class MalformedOctets extends Error {}

interface Cursor {
  readonly octets: Buffer
  at: number
}

function take(cursor: Cursor, length: number, end = cursor.octets.length): Buffer {
  if (cursor.at + length > end) throw new MalformedOctets(`${length} octets at ${cursor.at} end after ${end}`)
  cursor.at += length
  return cursor.octets.subarray(cursor.at - length, cursor.at)
}
const take16 = (cursor: Cursor): number => take(cursor, 2).readUInt16BE()

const MAX_NAME = 255

/** RFC 1035 §4.1.4. A pointer leads to octets before the name, so there is an end. */
function takeName(cursor: Cursor, { end = cursor.octets.length, isCompressible = true } = {}): Buffer {
  const parts: Buffer[] = []
  let length = 1
  const walk: Cursor = { octets: cursor.octets, at: cursor.at }
  let lowest = cursor.at
  let isFollowed = false
  for (;;) {
    const limit = isFollowed ? cursor.octets.length : end
    const [first = 0] = take(walk, 1, limit)
    if (first >= 0xc0) {
      const target = ((first & 0x3f) << 8) | (take(walk, 1, limit)[0] ?? 0)
      if (!isFollowed) cursor.at = walk.at
      if (!isCompressible || target >= lowest) throw new MalformedOctets(`a pointer to ${target}`)
      isFollowed = true
      walk.at = lowest = target
      continue
    }
    if (first > 63) throw new MalformedOctets(`a label of type ${first >> 6}`)
    if (first === 0) break
    length += 1 + first
    if (length > MAX_NAME) throw new MalformedOctets('a name of more than 255 octets')
    parts.push(Buffer.from([first]), take(walk, first, limit))
  }
  if (!isFollowed) cursor.at = walk.at
  return Buffer.concat([...parts, Buffer.alloc(1)])
}

/** A name without compression, as text. */
export function nameTextOf(name: Buffer): string {
  const labels: string[] = []
  for (let at = 0; (name[at] ?? 0) !== 0; at += 1 + (name[at] ?? 0))
    labels.push(labelText(name.subarray(at + 1, at + 1 + (name[at] ?? 0))))
  return labels.join('.')
}

function takeStrings(cursor: Cursor, end: number): Buffer {
  const start = cursor.at
  do take(cursor, take(cursor, 1, end)[0] ?? 0, end)
  while (cursor.at < end)
  return cursor.octets.subarray(start, cursor.at)
}

/** RFC 8659 §4.1: at least one octet, letters and digits. */
function takeTag(cursor: Cursor, end: number): Buffer {
  const start = cursor.at
  const tag = take(cursor, take(cursor, 1, end)[0] ?? 0, end)
  if (!/^[a-z0-9]+$/i.test(tag.toString('latin1'))) throw new MalformedOctets('a tag of CAA')
  return cursor.octets.subarray(start, cursor.at)
}

function takePart(cursor: Cursor, part: RdataPart, end: number): Buffer {
  if (typeof part === 'number') return take(cursor, part, end)
  if (part === 'strings') return takeStrings(cursor, end)
  if (part === 'tag') return takeTag(cursor, end)
  if (part === 'rest') return take(cursor, end - cursor.at, end)
  return takeName(cursor, { end, isCompressible: part === 'name' })
}

function takeRdata(cursor: Cursor, type: number, length: number): Buffer {
  const end = cursor.at + length
  const parts = (RDATA_PARTS[type] ?? ['rest']).map((part) => takePart(cursor, part, end))
  if (cursor.at !== end) throw new MalformedOctets(`RDATA of type ${type} has ${end - cursor.at} more octets`)
  return Buffer.concat(parts)
}

type Section = 'prerequisites' | 'updates' | 'additional'

/** Types that have a form in class IN only (RFC 1035 §3.4, RFC 3596 §2.1, RFC 2782). */
const INTERNET_TYPES: readonly number[] = [TYPE.A, TYPE.AAAA, TYPE.SRV]
/** A deletion has class NONE in the place of the class of the zone (RFC 2136 §2.5.4). */
const hasForm = (section: Section, { type, of }: { readonly type: number; readonly of: number }): boolean =>
  !INTERNET_TYPES.includes(type) || of === CLASS.IN || (of === CLASS.NONE && section === 'updates')

/** RFC 2136 §2.4 and §2.5: RDATA of a record of class ANY, and of a prerequisite of class NONE, is empty. */
const hasNoValue = (section: Section, of: number): boolean =>
  section !== 'additional' && (of === CLASS.ANY || (of === CLASS.NONE && section === 'prerequisites'))

function takeRecord(cursor: Cursor, section: Section): UpdateRecord {
  const owner = nameTextOf(takeName(cursor))
  const [type, of] = [take16(cursor), take16(cursor)]
  const ttl = take(cursor, 4).readUInt32BE()
  const length = take16(cursor)
  if (type === 0 && !hasNoValue(section, of))
    throw new MalformedOctets('type 0, which no record has (RFC 6895 §3.1)')
  if (type === TYPE.OPT && (section !== 'additional' || owner !== ''))
    throw new MalformedOctets('OPT out of its place (RFC 6891 §6.1.1)')
  if (cursor.at + length > cursor.octets.length) throw new MalformedOctets('RDLENGTH')
  // A value where none may be is kept: the rules of the section judge it.
  const isOpaque = type === TYPE.TSIG || !hasForm(section, { type, of }) || hasNoValue(section, of)
  const rdata = isOpaque ? Buffer.from(take(cursor, length)) : takeRdata(cursor, type, length)
  return { owner, type, class: of, ttl, rdata }
}

function takeZone(cursor: Cursor): UpdateZone {
  const name = nameTextOf(takeName(cursor))
  return { name, type: take16(cursor), class: take16(cursor) }
}

export interface DecodedUpdate extends UpdateMessage {
  /** Where the last record begins. */
  readonly lastAt: number
  /** Octets after the last record. */
  readonly trailing: number
}

/** What the octets say as a message with the sections of UPDATE, or a MalformedOctets. */
export function decodeMessage(octets: Buffer): DecodedUpdate {
  const cursor: Cursor = { octets, at: 0 }
  const [id = 0, flags = 0, zones = 0, ...counts] = Array.from({ length: HEADER_OCTETS / 2 }, () =>
    take16(cursor),
  )
  let lastAt = 0
  const section = (name: Section, count = 0): readonly UpdateRecord[] =>
    Array.from({ length: count }, () => {
      lastAt = cursor.at
      return takeRecord(cursor, name)
    })
  const message = {
    id,
    flags,
    zones: Array.from({ length: zones }, () => takeZone(cursor)),
    prerequisites: section('prerequisites', counts[0]),
    updates: section('updates', counts[1]),
    additional: section('additional', counts[2]),
  }
  if (message.additional.filter(({ type }) => type === TYPE.OPT).length > 1)
    throw new MalformedOctets('more than one OPT (RFC 6891 §6.1.1)')
  return { ...message, lastAt, trailing: octets.length - cursor.at }
}

/** RFC 8945 §4.2. */
export function decodeTsig({ owner, rdata }: UpdateRecord): TsigFields {
  const cursor: Cursor = { octets: rdata, at: 0 }
  const sized = (): Buffer => take(cursor, take16(cursor))
  const algorithm = nameTextOf(takeName(cursor))
  const time = take(cursor, 6).readUIntBE(0, 6)
  const fields = { fudge: take16(cursor), mac: sized(), originalId: take16(cursor), error: take16(cursor) }
  const other = sized()
  if (cursor.at !== rdata.length) throw new MalformedOctets('octets after the TSIG record')
  return { keyName: owner, algorithm, time, ...fields, other }
}

export const opcodeOf = (flags: number): number => (flags >> 11) & 15

export const isResponse = (flags: number): boolean => flags >= 0x8000
