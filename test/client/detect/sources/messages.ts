import fc from 'fast-check'
import { runs } from '../../../runs.ts'
import { type Address, parseAddress } from '../../../../src/shared/base/address.ts'

export const RUNS = { numRuns: runs(200) }
export const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
export const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff])
export const u32 = (n: number): Buffer => Buffer.from([n >>> 24, (n >> 16) & 0xff, (n >> 8) & 0xff, n & 0xff])
export const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is not an address`)
  return parsed
}

export const v4Bytes = fc.uint8Array({ minLength: 4, maxLength: 4 })
/** In 2000::/3, so that none contains an IPv4 address. */
export const v6Bytes = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Uint8Array.from([0x20 | ((bytes[0] ?? 0) & 0x1f), ...bytes.slice(1)]))
export const addressBytes = fc.oneof(v4Bytes, v6Bytes)
/** The text of an address, from the URL parser instead of the code under test. */
export const textOf = (bytes: Uint8Array): string => {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}
export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** A valid message, cut anywhere and with some bytes changed. */
export const damaged = (valid: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.nat(valid.length), fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 6 }))
    .map(([length, changes]) => {
      const bytes = Uint8Array.from(valid)
      for (const [at, byte] of changes) bytes[at] = byte
      return bytes.slice(0, length)
    })
export const noise = fc.uint8Array({ maxLength: 600 })
