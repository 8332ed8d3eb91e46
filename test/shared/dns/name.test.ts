import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import {
  encodeName,
  isAtOrBelow,
  nameAndAncestors,
  parentName,
  readName,
} from '../../../src/shared/dns/name.ts'
import { hex } from './wire.ts'

const label = fc
  .array(fc.constantFrom('a', 'b', 'z', '0', '9', '-', '_', '*'), { minLength: 1, maxLength: 63 })
  .map((letters) => letters.join(''))
const name = fc
  .array(label, { maxLength: 12 })
  .map((labels) => labels.join('.'))
  .filter((text) => text.length <= 253)
/** On the wire, as many octets as this. */
const longName = (octets: number): Buffer => {
  const labels: Buffer[] = []
  for (let left = octets - 1; left > 0; ) {
    const size = Math.min(left - 1, 63)
    labels.push(Buffer.from([size]), Buffer.alloc(size, 'a'))
    left -= size + 1
  }
  return Buffer.concat([...labels, Buffer.from([0])])
}

describe('a name', () => {
  it('is read back as it was encoded, at any offset of a message', () =>
    fc.assert(
      fc.property(name, fc.uint8Array({ maxLength: 40 }), (text, before) => {
        const message = Buffer.concat([before, encodeName(text), Buffer.from([1, 2, 3])])

        expect(readName(message, before.length)).toEqual({ name: text, end: message.length - 3 })
      }),
      { numRuns: runs(100) },
    ))

  // biome-ignore format: a table
  it.each([
    ['',            '00'],
    ['a',           '01 61 00'],
    ['home.test',   '04 686f6d65 04 74657374 00'],
    ['*._tcp.test', '01 2a 04 5f746370 04 74657374 00'],
  ])('%j is %s on the wire', (text, octets) => expect(encodeName(text)).toEqual(hex(octets)))

  // biome-ignore format: a table
  it.each([
    ['letters of any case',               '04 486f4d65 04 54455354 00',   'home.test'],
    ['a dot within a label',              '03 612e62 00',                 'a\\046b'],
    ['a backslash',                       '02 5c61 00',                   '\\092a'],
    ['blanks, zero and high octets',      '04 20 00 ff 41 00',            '\\032\\000\\255a'],
    ['a separator of published owners',   '03 61 01 62 00',               'a\\001b'],
    ['the sign of the apex',              '01 40 00',                     '\\064'],
  ])('is read from %s', (_, octets, text) => {
    expect(readName(hex(octets), 0)).toEqual({ name: text, end: hex(octets).length })
  })

  it.each([
    [127, 'a'],
    [128, undefined],
  ])('that is behind %i pointers is %j: each of more costs time', (count, name) => {
    const pointers = Array.from({ length: count }, (_, n) => {
      const to = n === 0 ? 0 : 1 + 2 * n
      return [0xc0 | (to >> 8), to & 255]
    })
    const message = Buffer.from([1, 97, 0, ...pointers.flat()])

    expect(readName(message, message.length - 2)?.name).toBe(name)
  })

  it('is written with escaped octets as it was read', () =>
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 63 }), { maxLength: 3 }), (labels) => {
        const octets = Buffer.concat([
          ...labels.flatMap((one) => [Buffer.from([one.length]), one]),
          Buffer.from([0]),
        ])
        const read = readName(octets, 0)?.name ?? 'malformed'

        expect(readName(encodeName(read), 0)).toEqual({ name: read, end: octets.length })
      }),
      { numRuns: runs(100) },
    ))

  // biome-ignore format: a table
  it.each([
    ['that is a pointer',                    '0161 00 c000',              3, 'a',   5],
    ['that ends with a pointer',             '0161 00 0162 c000',         3, 'b.a', 7],
    ['over two pointers',                    '0161 00 0162 c000 0163 c003', 7, 'c.b.a', 11],
    ['that is a pointer to the root',        '00 c000',                   1, '',    3],
  ])('%s ends after the first pointer', (_, octets, at, text, end) =>
    expect(readName(hex(octets), at)).toEqual({ name: text, end }),
  )

  // biome-ignore format: a table
  it.each([
    ['a pointer to itself',               'c000',                 0],
    ['a pointer to the name before it',   '0161 c000',            0],
    ['two pointers to each other',        'c002 c000',            2],
    ['a pointer forward',                 'c002 0161 00',         0],
    ['a pointer back into its own name',  '00 0161 0162 c001',    3],
    ['half a pointer',                    '0161 00 c0',           3],
    ['no octet at all',                   '',                     0],
    ['an offset behind the message',      '00',                   9],
    ['a label that is cut',               '04 6162',              0],
    ['no end',                            '01 61',                0],
    ['the length of 64 octets',           `40 ${'61'.repeat(64)} 00`, 0],
    ['a label of the type 10',            '80 00 00',             0],
    ['a label of 64 octets by a pointer', `40 ${'61'.repeat(64)} 00 c000`, 66],
  ])('is malformed with %s', (_, octets, at) => expect(readName(hex(octets), at)).toBeUndefined())

  it('has 63 octets in a label and 255 in all at most, with those behind a pointer', () => {
    expect(readName(Buffer.from([63, ...Buffer.alloc(63, 'a'), 0]), 0)?.name).toHaveLength(63)
    expect(readName(longName(255), 0)?.end).toBe(255)
    expect(readName(longName(256), 0)).toBeUndefined()
    const pointed = (octets: number) => Buffer.concat([longName(octets), Buffer.from([1, 0x62, 0xc0, 0])])
    expect(readName(pointed(253), 253)?.end).toBe(257)
    expect(readName(pointed(254), 254)).toBeUndefined()
  })

  it('never throws on noise', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(90), (octets, at) => {
        const read = readName(octets, at)
        if (read !== undefined) expect(read.end).toBeLessThanOrEqual(octets.length)
      }),
      { numRuns: runs(200) },
    ))
})

describe('names above a name', () => {
  it('end with the root', () => {
    expect(nameAndAncestors('a.b.c')).toEqual(['a.b.c', 'b.c', 'c', ''])
    expect(nameAndAncestors('')).toEqual([''])
    expect([parentName('a.b'), parentName('a'), parentName('')]).toEqual(['b', '', undefined])
  })

  // biome-ignore format: a table
  it.each([
    ['a.test',  'test',   true],
    ['test',    'test',   true],
    ['a.test',  '',       true],
    ['atest',   'test',   false],
    ['test',    'a.test', false],
  ])('%s is at or below %j: %s', (one, other, is) => expect(isAtOrBelow(one, other)).toBe(is))
})
