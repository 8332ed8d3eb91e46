import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseRequest } from '../../src/shared/dns/request.ts'
import { parseResponse } from '../../src/shared/dns/response.ts'
import { signTsig, type TsigKey } from '../../src/shared/dns/tsig.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { Secret } from '../../src/shared/base/secret.ts'
import type { Random } from '../bench/fleet-random.ts'
import { damagedAnswers } from '../shared/dns/fuzz-messages.ts'
import { type Wire, wire } from '../shared/dns/wire.ts'
import { eventually } from '../eventually.ts'
import { connected, datagramSocket, framed, portOf, streamed } from './dns-traffic.ts'
import { scratch, type Service, service } from './processes.ts'

const SECRET = Buffer.alloc(32, 5).toString('base64')
export const KEY: TsigKey = { name: 'a-key', algorithm: 'hmac-sha256', secret: new Secret(SECRET) }
const UNLIMITED = ['--request-limit', '--nochg-limit', '--key-request-limit'].flatMap((name) => [
  name,
  '1000000',
])

export const signed = (message: Wire, skew = 0): Buffer =>
  signTsig(wire(message), KEY, { now: Math.floor(Date.now() / 1000) + skew }).message

const NAMES: Readonly<Record<string, readonly [type: string, ...values: string[]]>> = {
  wild: ['TXT', '"parent"'],
  '*.wild': ['TXT', '"any"'],
  www: ['CNAME', 'home.example.test.'],
  many: ['A', ...Array.from({ length: 90 }, (_, n) => `192.0.2.${n}`)],
  large: ['TXT', ...Array.from({ length: 60 }, (_, n) => `"${String(n).padEnd(250, 'x')}"`)],
  'ns.sub': ['A', '192.0.2.53'],
  sub: ['NS', 'ns.sub.example.test.', 'ns.other.test.'],
}

/** A service with one secondary, and a zone with records of many kinds that is published. */
export async function publishingService(secondaryPort: number, address = '127.0.0.1'): Promise<Service> {
  const keys = join(scratch(), 'keys')
  writeFileSync(keys, `${KEY.name} ${KEY.algorithm} ${SECRET}\n`)
  chmodSync(keys, 0o600)
  const secondary = ['--secondaries', `a=${address}:${secondaryPort} key ${KEY.name}`]
  const at = await service('--tsig-key-file', keys, ...secondary, ...UNLIMITED)
  for (const [name, [type, ...values]] of Object.entries(NAMES)) {
    const response = await fetch(`${at.url}/v1/dns/records/example.test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, rrsets: [{ dns_type: type, rdata: values.map((value) => ({ value })) }] }),
    })
    expect([name, response.status, await response.text()]).toEqual([name, 201, expect.anything()])
  }
  await eventually(async () => transferred(at)).toBeGreaterThan(155)
  return at
}

/** The records of an AXFR; 0 if it is refused. */
export async function transferred(at: Pick<Service, 'dns'>, name = 'example.test'): Promise<number> {
  const socket = await connected(portOf(at))
  // An answer may have several messages: a plain question has the one after them.
  const isPlain = (answer: Buffer): boolean => answer.readUInt16BE(0) === 1
  const requests = Buffer.concat([signed({ name, type: RR_TYPES.AXFR }), wire({ id: 1 })].map(framed))
  const answers = await streamed(socket, requests, isPlain)
  socket.destroy()
  return answers
    .filter((answer) => !isPlain(answer))
    .reduce((sum, answer) => sum + (parseResponse(answer)?.answers.length ?? 0), 0)
}

/** Answers each NOTIFY with damaged answers, and then with a good one. */
export async function fakeSecondary(random: Random) {
  const socket = await datagramSocket()
  const damagedAnswer = damagedAnswers(random, KEY)
  let notified = 0
  socket.on('message', (message, { port }) => {
    const parsed = parseRequest(message)
    if (parsed.kind !== 'request' || parsed.request.tsig === undefined) return
    const { start, mac } = parsed.request.tsig
    const request = Buffer.from(message.subarray(0, start))
    request.writeUInt16BE(request.readUInt16BE(10) - 1, 10)
    notified++
    for (let n = 0; n < 100; n++) socket.send(damagedAnswer(request, mac), port, '127.0.0.1')
    const answer = Buffer.from(request)
    answer.writeUInt8((answer[2] ?? 0) | 0x80, 2)
    const now = Math.floor(Date.now() / 1000)
    socket.send(signTsig(answer, KEY, { now, previous: mac }).message, port, '127.0.0.1')
  })
  return { port: socket.address().port, notified: () => notified }
}
