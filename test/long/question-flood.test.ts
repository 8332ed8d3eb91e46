import { expect, it } from 'vitest'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { freePort } from '../free-port.ts'
import { questionFlood } from '../lab/question-flood.ts'
import { inFolder, tenants } from './tenants.ts'

/** Questions a second; in milliseconds, how long. */
const [RATE, SPAN] = [20_000, 8000]
const NAMES = 200

it.each([
  ['one network', 1],
  ['many networks', 200],
])(
  `during ${RATE} questions a second from %s, updates go on`,
  async (what, networks) => {
    const port = await freePort()
    const dns = ['--dns-listen', `127.0.0.1:${port}`, '--answer-queries', '--nameservers', 'ns1.example.net']
    const { api, heavy, updates } = await tenants(inFolder(), ...dns)
    const records = Array.from({ length: NAMES }, (_, n) => ({
      name: `n${n}`,
      dns_type: 'A',
      ttl: 300,
      rdata: [{ value: '192.0.2.1' }],
    }))
    await api(heavy, 'PATCH', '/dns/records/heavy.test', records)
    await updates(true, 2000)
    const alone = { kept: await updates(true, 4000), fresh: await updates(false, 4000) }
    const wires = records.map(({ name }) => questionWire(`${name}.heavy.test`, RR_TYPES.A))
    const end = await questionFlood({ port, wires, rate: RATE, networks })
    const during = { kept: await updates(true, SPAN), fresh: await updates(false, SPAN) }
    const { sent, answered } = await end()
    console.log(what, JSON.stringify({ alone, during, sent, answered, rate: sent / (2 * SPAN) }))
    expect(sent).toBeGreaterThan((0.9 * RATE * 2 * SPAN) / 1000)
    for (const [before, one] of [
      [alone.kept, during.kept],
      [alone.fresh, during.fresh],
    ] as const)
      expect(one.p99).toBeLessThanOrEqual(5 * Math.max(before.p99, 5))
  },
  120_000,
)
