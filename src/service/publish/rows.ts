import type { PublishedRow } from '../store/published.ts'

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
