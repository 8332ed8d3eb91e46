import { Buffer } from 'node:buffer'

/** Timestamps in seconds, oldest first, as 32-bit little-endian numbers: small enough to store with every request. */
export function packTimestamps(timestamps: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(timestamps.length * 4)
  timestamps.forEach((timestamp, at) => bytes.writeUInt32LE(timestamp, at * 4))
  return bytes
}

/** The inverse. */
export function unpackTimestamps(bytes: unknown): readonly number[] {
  if (!(bytes instanceof Uint8Array)) return []
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(buffer.length / 4) }, (_, at) => buffer.readUInt32LE(at * 4))
}
