import type { PublishedRow } from '../store/published.ts'
import { APEX } from '../model/dns-name.ts'

/** In octets: lengths, type and TTL of a row. */
const HEAD = 10

/** A list of records as one text of octets, for the journal. */
export function encodeRows(rows: readonly PublishedRow[]): Buffer {
  return Buffer.concat(
    rows.map(({ owner, type, ttl, rdata }) => {
      const name = Buffer.from(owner)
      const head = Buffer.alloc(HEAD)
      head.writeUInt16BE(name.length, 0)
      head.writeUInt16BE(type, 2)
      head.writeUInt32BE(ttl, 4)
      head.writeUInt16BE(rdata.length, 8)
      return Buffer.concat([head, name, rdata])
    }),
  )
}

/** The inverse. */
export function decodeRows(octets: Uint8Array): readonly PublishedRow[] {
  const buffer = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
  const rows: PublishedRow[] = []
  for (let at = 0; at < buffer.length; ) {
    const nameEnd = at + HEAD + buffer.readUInt16BE(at)
    const end = nameEnd + buffer.readUInt16BE(at + 8)
    rows.push({
      owner: buffer.toString('utf8', at + HEAD, nameEnd),
      type: buffer.readUInt16BE(at + 2),
      ttl: buffer.readUInt32BE(at + 4),
      rdata: buffer.subarray(nameEnd, end),
    })
    at = end
  }
  return rows
}

/** About the octets of a record in a transfer. */
export const sizeOfRow = ({ owner, rdata }: PublishedRow): number => owner.length + 12 + rdata.length

/** Between labels: lower than every character of a label, so that the names beneath one follow it. */
const SEPARATOR = '\u0001'

/** The key of a published name: labels reversed, relative to the zone. The apex is empty. */
export const ownerKey = (relative: string): string =>
  relative === APEX ? '' : relative.split('.').toReversed().join(SEPARATOR)

/** The inverse, as a whole name. */
export const ownerName = (key: string, apex: string): string =>
  key === '' ? apex : `${key.split(SEPARATOR).toReversed().join('.')}.${apex}`

/** The key of the name above; undefined for the apex. */
export function parentKey(key: string): string | undefined {
  if (key === '') return undefined
  const at = key.lastIndexOf(SEPARATOR)
  return at === -1 ? '' : key.slice(0, at)
}

export const childKey = (key: string, label: string): string =>
  key === '' ? label : `${key}${SEPARATOR}${label}`

/** How many names of a chain of CNAME and ALIAS are followed: what is further has no address. */
export const MAX_CHAIN = 8
