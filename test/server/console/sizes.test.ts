import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { CONSOLE_SCRIPT } from '../../../src/app/service/http/console-script.ts'
import { instant } from '../../../src/base/time.ts'
import { STYLESHEET } from '../../../src/server/console/assets.ts'
import { apiWorld, PASSWORD } from '../api/world.ts'
import { consoleOn, personAt } from './person.ts'

it('the script has 6 kB at most, and the style 4 kB, compressed', () => {
  expect(gzipSync(CONSOLE_SCRIPT).length).toBeLessThan(6000)
  expect(gzipSync(STYLESHEET.text).length).toBeLessThan(4000)
})

const RRSETS = [
  { dns_type: 'A', rdata: [{ value: '198.51.100.177' }] },
  { dns_type: 'AAAA', rdata: [{ value: '2001:db8:1234:5678:9abc:def0:1234:5678' }] },
]

it('a page of 100 names with long labels has 60 kB at most, and no page has more names', async () => {
  const world = await apiWorld()
  try {
    const plan = world.ids['plan-a'] ?? 0
    await world.store.write(async (w) => w.changePlan(plan, { maxNames: 1000, maxRdata: 1000 }))
    for (let n = 0; n < 120; n++) {
      // The longest label (RFC 1035 §2.3.4), and both addresses.
      const name = { name: `a-long-name-${n}-`.padEnd(63, 'x'), rrsets: RRSETS }
      expect((await world.ask('POST', '/v1/dns/records/example.test', name)).status).toBe(201)
    }
    const one = personAt(consoleOn(world.store, { now: () => instant(Date.UTC(2026, 0, 2)) }))
    await one.signIn('a', PASSWORD)
    const { html } = await one.send('/console/names?state=pending')
    expect(html.match(/<th scope="row">/g)).toHaveLength(100)
    expect(Buffer.byteLength(html)).toBeLessThan(60_000)
    const choosing = await one.send('/console/names?state=pending&choose=yes')
    expect(Buffer.byteLength(choosing.html)).toBeLessThan(60_000)
    const [, next = ''] = /<a rel="next" href="([^"]+)"/.exec(html) ?? []
    const rest = await one.send(next.replaceAll('&amp;', '&'))
    expect(rest.html.match(/<th scope="row">/g)?.length).toBeGreaterThan(19)
    expect(rest.html).not.toContain('rel="next"')
  } finally {
    await world.close()
  }
})
