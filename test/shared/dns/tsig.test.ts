import { describe, expect, it } from 'vitest'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { parseRequest, type TsigRecord } from '../../../src/shared/dns/request.ts'
import { parseResponse } from '../../../src/shared/dns/response.ts'
import {
  signTsig,
  TSIG_ALGORITHMS,
  type TsigAlgorithm,
  type TsigKey,
  tsigLength,
  verifyTsig,
  withTsigFault,
} from '../../../src/shared/dns/tsig.ts'
import { FLAGS, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { hex, opt, wire } from './wire.ts'

const SECRET = 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='
const key = (algorithm: TsigAlgorithm = 'hmac-sha256', over: Partial<TsigKey> = {}): TsigKey => ({
  name: 'key.test',
  algorithm,
  secret: new Secret(SECRET),
  ...over,
})
const KEY = key()
const NOW = 1_795_346_827
const message = wire({ id: 77, type: RR_TYPES.SOA, additions: [opt()] })
const response = wire({ id: 77, flags: FLAGS.QR, type: RR_TYPES.SOA })
const ALGORITHMS = Object.keys(TSIG_ALGORITHMS) as readonly TsigAlgorithm[]

function tsigOf(octets: Uint8Array): TsigRecord {
  const parsed = parseRequest(octets)
  const tsig = parsed.kind === 'request' ? parsed.request.tsig : parseResponse(octets)?.tsig
  if (tsig === undefined) throw new Error('not signed')
  return tsig
}
type Checked = Parameters<typeof verifyTsig>[2]
const verified = (octets: Uint8Array, check: Partial<Checked> = {}) =>
  verifyTsig(octets, tsigOf(octets), { keys: [KEY], now: NOW, ...check })
const faultOf = (octets: Uint8Array, check: Partial<Checked> = {}): string => {
  const found = verified(octets, check)
  return found.kind === 'fault' ? found.fault : found.kind
}
/** The message with another value of one octet. */
const altered = (octets: Uint8Array, at: number): Buffer => {
  const other = Buffer.from(octets)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}

describe('a signature of another program', () => {
  // biome-ignore format: a table
  const RECORDED: readonly [program: string, algorithm: TsigAlgorithm, now: number, octets: string][] = [
    ['dig -y hmac-sha256:key.test:…', 'hmac-sha256', 1795346827,
     `0deb01200001000000000002076578616d706c650474657374000006000100002904d000000000000c000a0008946dc6f88447f097036b65790474657374
      0000fa00ff00000000003d0b686d61632d7368613235360000006b02d18b012c00206dc2910f3e733c66b3c7dec7f4eb93eb832af77af19df227b9a82592
      984571410deb00000000`],
    ['dig -y hmac-sha512:key.test:… +noedns', 'hmac-sha512', 1795346828,
     `21a101200001000000000001076578616d706c6504746573740000060001036b657904746573740000fa00ff00000000005d0b686d61632d7368613531320000
      006b02d18c012c004008ffb7a029cc4729c7832aa611bc2243e15028cedb31fa6168d37696714b86bcfa20deb903436b0b81d6b0512b68f223e415bbbfd5455077
      e2c9ccbb9132166221a100000000`],
    ['kdig -y hmac-sha384:Key.Test:… IXFR=7', 'hmac-sha384', 1795346829,
     `330d01200001000000010001076578616d706c6504746573740000fb0001c00c0006000100000000001600000000000700000000000000000000000000000000
      036b657904746573740000fa00ff00000000004d0b686d61632d7368613338340000006b02d18d012c0030b12435f8a9d631a81006a265da5cbd32baffa39594ae
      29911886634da203c2d9483c416e9547d0e259d306959e125061330d00000000`],
    ['kdig -y hmac-sha256:Key.Test:…', 'hmac-sha256', 1795346830,
     `1baa01200001000000000001076578616d706c6504746573740000060001036b657904746573740000fa00ff00000000003d0b686d61632d736861323536000000
      6b02d18e012c0020c7888f658c0378e822a68f6dba7d483a731ddaa727c3f1178bca2a830e8b573b1baa00000000`],
  ]

  it.each(RECORDED)('by %s is valid', (_, algorithm, now, octets) => {
    expect(faultOf(hex(octets), { keys: [key(algorithm)], now })).toBe('valid')
    expect(faultOf(altered(hex(octets), 2), { keys: [key(algorithm)], now })).toBe('BADSIG')
  })

  it.each(RECORDED)('by %s is what we sign the same message with', (_, algorithm, now, octets) => {
    const { start, mac } = tsigOf(hex(octets))
    const unsigned = Buffer.from(hex(octets).subarray(0, start))
    unsigned.writeUInt16BE(unsigned.readUInt16BE(10) - 1, 10)
    expect(signTsig(unsigned, key(algorithm), { now }).mac).toEqual(mac)
    expect(signTsig(unsigned, key(algorithm), { now }).message).toEqual(hex(octets))
  })

  it('of an IXFR has the serial that it covers', () => {
    const parsed = parseRequest(hex(RECORDED[2]?.[3] ?? ''))
    expect(parsed.kind === 'request' && parsed.request.serial).toBe(7)
  })
})

describe('a signature', () => {
  it.each(ALGORITHMS)('by %s is valid, and as long as announced', (algorithm) => {
    const signed = signTsig(message, key(algorithm), { now: NOW })

    expect(verified(signed.message, { keys: [key(algorithm)] })).toEqual({
      kind: 'valid',
      key: key(algorithm),
      mac: signed.mac,
    })
    // With room for the time of the service in the answer to BADTIME.
    expect(signed.message.length - message.length).toBe(tsigLength(key(algorithm)) - 6)
    expect(signed.mac).toHaveLength(TSIG_ALGORITHMS[algorithm].octets)
  })

  it('covers every octet before it, and its own time, error and MAC', () => {
    const { message: signed } = signTsig(message, KEY, { now: NOW })
    const { start } = tsigOf(signed)
    const [rdataAt] = [start + encodeName('key.test').length + 10]
    const variables = Array.from({ length: signed.length - rdataAt - 13 }, (_, n) => rdataAt + 13 + n)
    const lengths = [rdataAt + 13 + 8, rdataAt + 13 + 9, signed.length - 2, signed.length - 1]
    const originalId = [signed.length - 6, signed.length - 5]
    // The id of the message itself is replaced by the original one; counts make it malformed.
    const covered = Array.from({ length: start }, (_, n) => n).filter((n) => n > 1 && (n < 4 || n > 11))
    for (const at of [...covered, ...variables, ...originalId].filter((n) => !lengths.includes(n))) {
      const parsed = parseRequest(altered(signed, at))
      if (parsed.kind === 'request' && parsed.request.tsig !== undefined)
        expect([at, faultOf(altered(signed, at))]).not.toEqual([at, 'valid'])
    }
    expect(faultOf(altered(signed, signed.length - 8))).toBe('BADSIG')
  })

  it('stays valid if a forwarder gives the message another id', () =>
    expect(faultOf(altered(signTsig(message, KEY, { now: NOW }).message, 1))).toBe('valid'))

  // biome-ignore format: a table
  it.each<[string, Partial<Checked>, string]>([
    ['with another secret',                 { keys: [key('hmac-sha256', { secret: new Secret('AAAA') })] },  'BADSIG'],
    ['with a key that is unknown',          { keys: [key('hmac-sha256', { name: 'other.test' })] },          'BADKEY'],
    ['without any keys',                    { keys: [] },                                                    'BADKEY'],
    ['by an algorithm that is not the key\'s', { keys: [key('hmac-sha512')] },                               'BADKEY'],
    ['by the second of two keys',           { keys: [key('hmac-sha512', { name: 'a.test' }), KEY] },         'valid'],
    ['300 s ago',                           { now: NOW + 300 },                                              'valid'],
    ['301 s ago',                           { now: NOW + 301 },                                              'BADTIME'],
    ['in 300 s',                            { now: NOW - 300 },                                              'valid'],
    ['in 301 s',                            { now: NOW - 301 },                                              'BADTIME'],
    ['with another secret, long ago',       { keys: [key('hmac-sha256', { secret: new Secret('AAAA') })], now: 0 }, 'BADSIG'],
    ['of a request, taken for its answer',  { previous: Buffer.alloc(32) },                                  'BADSIG'],
  ])('%s is %s', (_, check, is) => expect(faultOf(signTsig(message, KEY, { now: NOW }).message, check)).toBe(is))

  it.each([
    [32, 'valid'],
    [31, 'BADTRUNC'],
    [16, 'BADTRUNC'],
    [15, 'malformed'],
    [0, 'malformed'],
  ])('of %i octets of 32 is %s', (length, is) => {
    const { message: signed } = signTsig(message, KEY, { now: NOW })
    const tsig = tsigOf(signed)
    const check = verifyTsig(
      signed,
      { ...tsig, mac: tsig.mac.subarray(0, length) },
      { keys: [KEY], now: NOW },
    )
    expect('fault' in check ? check.fault : check.kind).toBe(is)
  })

  it('that is longer than its algorithm gives is malformed, and a truncated one that is wrong is wrong', () => {
    const { message: signed } = signTsig(message, KEY, { now: NOW })
    const tsig = tsigOf(signed)
    const kindOf = (mac: Uint8Array) => verifyTsig(signed, { ...tsig, mac }, { keys: [KEY], now: NOW })
    expect(kindOf(Buffer.concat([tsig.mac, Buffer.alloc(1)]))).toEqual({ kind: 'malformed' })
    expect(kindOf(altered(tsig.mac.subarray(0, 16), 3))).toMatchObject({ fault: 'BADSIG' })
  })
})

describe('an answer of several messages', () => {
  const request = signTsig(message, KEY, { now: NOW })
  const signAll = (texts: readonly Buffer[]) => {
    let previous: Uint8Array = request.mac
    return texts.map((text, n) => {
      const signed = signTsig(text, KEY, { now: NOW + n, previous, isFollowing: n > 0 })
      previous = signed.mac
      return signed.message
    })
  }
  const verifyAll = (all: readonly Uint8Array[]) => {
    let previous: Uint8Array = request.mac
    return all.map((one, n) => {
      const check = verifyTsig(one, tsigOf(one), { keys: [KEY], now: NOW, previous, isFollowing: n > 0 })
      previous = tsigOf(one).mac
      return check.kind
    })
  }
  const [first, second, third] = signAll([response, wire({ id: 77, flags: FLAGS.QR }), response]) as [
    Buffer,
    Buffer,
    Buffer,
  ]

  // biome-ignore format: a table
  it.each([
    ['in order',                  [first, second, third],             ['valid', 'valid', 'valid']],
    ['without the first',         [second, third],                    ['fault', 'valid']],
    ['without one in the middle', [first, third],                     ['valid', 'fault']],
    ['in another order',          [first, third, second],             ['valid', 'fault', 'fault']],
    ['with an altered one',       [first, altered(second, 3), third], ['valid', 'fault', 'valid']],
  ])('is signed as a chain: %s', (_, all, kinds) => expect(verifyAll(all)).toEqual(kinds))

  it('leaves out all variables but the time after the first (RFC 8945 §5.3.1)', () => {
    const previous = tsigOf(first).mac
    expect(verified(second, { previous, isFollowing: true }).kind).toBe('valid')
    expect(verified(second, { previous }).kind).toBe('fault')
  })
})

describe('the answer to a fault', () => {
  it.each([
    ['BADSIG', 16],
    ['BADKEY', 17],
  ] as const)('%s has that error and no signature', (fault, error) => {
    const asked = tsigOf(signTsig(message, KEY, { now: NOW }).message)
    const answer = tsigOf(withTsigFault(response, asked, fault))

    expect(answer).toMatchObject({
      keyName: 'key.test',
      algorithm: 'hmac-sha256',
      time: NOW,
      error,
      originalId: 77,
    })
    expect([answer.mac, answer.other].map(({ length }) => length)).toEqual([0, 0])
  })

  it('BADTIME is signed, with the time of the request and our own time', () => {
    const asked = signTsig(message, KEY, { now: NOW })
    const own = NOW + 1000
    const signed = signTsig(response, KEY, {
      now: own,
      fault: { kind: 'BADTIME', request: tsigOf(asked.message) },
      previous: asked.mac,
    })
    const answer = tsigOf(signed.message)

    expect(signed.message.length - response.length).toBe(tsigLength(KEY))
    expect(answer).toMatchObject({ time: NOW, error: 18 })
    expect([answer.other.length, Buffer.from(answer.other).readUIntBE(0, 6)]).toEqual([6, own])
    expect(verified(signed.message, { previous: asked.mac }).kind).toBe('valid')
  })

  it('BADTRUNC is signed too, with our time alone', () => {
    const asked = signTsig(message, KEY, { now: NOW })
    const fault = { kind: 'BADTRUNC', request: tsigOf(asked.message) } as const
    const signed = signTsig(response, KEY, { now: NOW + 5, fault, previous: asked.mac })
    expect(tsigOf(signed.message)).toMatchObject({ time: NOW + 5, error: 22, other: Buffer.alloc(0) })
    expect(verified(signed.message, { previous: asked.mac }).kind).toBe('valid')
  })

  it('repeats the name of an unknown key with the same octets', () => {
    const owner = Buffer.concat([Buffer.from([63]), Buffer.alloc(63, 0xff), hex('02 2e 00 00')])
    const algorithm = hex('03 61 2e 62 00')
    const rdata = Buffer.concat([algorithm, hex('0000 6b02d18b 012c 0000 004d 0000 0000')])
    const asked = tsigOf(wire({ additions: [{ owner, type: RR_TYPES.TSIG, class: 255, rdata }] }))
    const answer = withTsigFault(response, asked, 'BADKEY')

    expect(answer.subarray(response.length, response.length + owner.length)).toEqual(owner)
    expect(tsigOf(answer)).toMatchObject({ keyName: asked.keyName, algorithm: 'a\\046b', error: 17 })
  })
})
