import { Buffer } from 'node:buffer'

/** Moments in whole seconds, oldest first, as 32-bit numbers in a row: small enough to write at every request. */
export function packRing(moments: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(moments.length * 4)
  moments.forEach((moment, at) => bytes.writeUInt32LE(moment, at * 4))
  return bytes
}

/** The inverse. */
export function unpackRing(bytes: unknown): readonly number[] {
  if (!(bytes instanceof Uint8Array)) return []
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(buffer.length / 4) }, (_, at) => buffer.readUInt32LE(at * 4))
}
