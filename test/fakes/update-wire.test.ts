import { expect, it } from 'vitest'
import { parseRequest } from '../../src/shared/dns/request.ts'
import { verifyTsig } from '../../src/shared/dns/tsig.ts'
import { Secret } from '../../src/shared/base/secret.ts'
import { seededRandom } from '../bench/fleet-random.ts'
import { runs, SEED } from '../runs.ts'
import { decodeMessage, MalformedOctets } from './update-decode.ts'
import { updateDraw } from './update-draw.ts'
import { FIRST_ZONE, randomUpdate } from './update-messages.ts'
import { MAC_ALGORITHMS, type MacAlgorithm, signUpdate } from './update-tsig.ts'
import { messageOctets, TYPE } from './update-wire.ts'

const messages = () => {
  const drawing = { draw: updateDraw(seededRandom(SEED)), zone: FIRST_ZONE, isCased: true }
  return Array.from({ length: runs(500) }, () => randomUpdate(drawing))
}

it('reads what it writes', () => {
  for (const message of messages()) {
    const { lastAt: _, trailing, ...read } = decodeMessage(messageOctets(message))

    expect({ ...read, trailing }).toEqual({ ...message, trailing: 0 })
  }
})

it('reads no message that ends early', () => {
  for (const message of messages().slice(0, 30)) {
    const octets = messageOctets(message)
    for (let end = 0; end < octets.length; end++)
      expect(() => decodeMessage(octets.subarray(0, end)), `${end} octets`).toThrow(MalformedOctets)
  }
})

it('reads compressed names, and none that points to itself', () => {
  const head = '0001 2800 0001 0000 0001 0000 01 7a 00 0006 0001'.replaceAll(' ', '')
  const record = (owner: string): Buffer =>
    Buffer.from(`${head}${owner}0001 0001 0000003c 0004 c0000201`.replaceAll(' ', ''), 'hex')

  expect(decodeMessage(record('c00c')).updates).toMatchObject([{ owner: 'z', type: TYPE.A, ttl: 60 }])
  for (const owner of ['c013', 'c014', 'c0ff', '8001'])
    expect(() => decodeMessage(record(owner)), owner).toThrow(MalformedOctets)
})

// biome-ignore format: a table
it.each([
  ['an address of five octets',       'c00c', '0001', 'c000020101'],
  ['an address of three octets',      'c00c', '0001', 'c00002'],
  ['a name with octets after it',     'c00c', '0005', 'c00c00'],
  ['TXT without a string',            'c00c', '0010', ''],
  ['a string that is too long',       'c00c', '0010', '0961'],
  ['a compressed target of SRV',      'c00c', '0021', '000000000050c00c'],
  ['a tag of CAA without octets',     'c00c', '0101', '0000'],
  ['type 0',                          'c00c', '0000', ''],
  ['OPT among the updates',           '00',   '0029', ''],
  ['a name of 257 octets',            `${`3f${'61'.repeat(63)}`.repeat(4)}00`, '0001', 'c0000201'],
])('does not read %s', (_, owner, type, rdata) => {
  const length = (rdata.length / 2).toString(16).padStart(4, '0')
  const head = '000128000001000000010000017a0000060001'
  const octets = Buffer.from(`${head}${owner}${type}00010000003c${length}${rdata}`, 'hex')

  expect(() => decodeMessage(octets)).toThrow(MalformedOctets)
})

it.each(Object.keys(MAC_ALGORITHMS) as MacAlgorithm[])(
  'signs with %s as the service verifies it',
  (algorithm) => {
    const secret = Buffer.from(algorithm)
    const key = { name: 'key.test', algorithm, secret }
    const known = { name: key.name, algorithm, secret: new Secret(secret.toString('base64')) }
    for (const message of messages().slice(0, 20)) {
      const octets = signUpdate(messageOctets({ ...message, prerequisites: [], updates: [] }), {
        key,
        time: 1000,
      })
      const parsed = parseRequest(octets)

      expect(parsed).toMatchObject({ kind: 'request' })
      const { tsig } = (parsed as Extract<typeof parsed, { kind: 'request' }>).request
      expect(tsig && verifyTsig(octets, tsig, { keys: [known], now: 1300 })).toMatchObject({ kind: 'valid' })
    }
  },
)
