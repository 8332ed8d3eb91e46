import { Buffer } from 'node:buffer'
import type { Bucket, Buckets } from '../model/rows.ts'

/** Start and count, 32 bits each. */
const BUCKET_BYTES = 8

/**
 * Start and count of each bucket, oldest first, as 32-bit little-endian numbers: small enough to store with every
 * request.
 */
export function packBuckets(buckets: Buckets): Uint8Array {
  const bytes = Buffer.alloc(buckets.length * BUCKET_BYTES)
  buckets.forEach(({ start, count }, at) => {
    bytes.writeUInt32LE(start, at * BUCKET_BYTES)
    bytes.writeUInt32LE(count, at * BUCKET_BYTES + 4)
  })
  return bytes
}

/** The inverse. */
export function unpackBuckets(bytes: Uint8Array): Buckets {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const bucketAt = (offset: number): Bucket => ({
    start: buffer.readUInt32LE(offset),
    count: buffer.readUInt32LE(offset + 4),
  })
  const { length } = buffer
  return Array.from({ length: Math.floor(length / BUCKET_BYTES) }, (_, at) => bucketAt(at * BUCKET_BYTES))
}
