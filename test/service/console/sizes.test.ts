import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { CONSOLE_SCRIPT } from '../../../src/service/console/script.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { STYLESHEET } from '../../../src/service/console/assets.ts'
import type { Address } from '../../../src/shared/base/address.ts'
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
    const zone = world.ids['example.test'] ?? 0
    await world.store.write(async (w) => {
      const all = await Promise.all(
        Array.from({ length: 30 }, async (_, n) => w.nameAt(zone, `a-long-name-${n}-`.padEnd(63, 'x'))),
      )
      for (const name of all) if (name?.id !== undefined) await w.blockName(name.id, true)
    })
    // Five of them need a person, above the list; there are five more if some cannot be published.
    const { html } = await one.send('/console/names')
    const [, row = '', ...rows] = html.split('<th scope="row">')
    expect(rows).toHaveLength(104)
    // Each has a moment of its last update in the place of a word.
    const moment = '<time datetime="2026-01-02T00:00:00.000Z">2026-01-02 00:00 UTC</time>'
    const more = 5 * row.length + 110 * (moment.length - 'never'.length)
    expect(Buffer.byteLength(html) + more).toBeLessThan(60_000)
    // The same where one router is refused for all of them: five more stand above the list.
    await world.store.write(async (w) => {
      const { id = 0 } = (await w.keyNamed('kkk1111')) ?? {}
      const names = await Promise.all(
        Array.from({ length: 120 }, async (_, n) => w.nameAt(zone, `a-long-name-${n}-`.padEnd(63, 'x'))),
      )
      await w.setTargets(
        id,
        names.flatMap((name) => name?.id ?? []),
      )
      const last = {
        at: instant(Date.UTC(2026, 0, 2)),
        agent: 'x',
        peer: '192.0.2.9' as Address,
        reply: 'nohost',
      }
      const usage = { requests: [], refusals: [], nondescriptive: 0 }
      await w.putUsage({ kind: 'key', id, accountId: 1 }, usage, last)
    })
    const refused = await one.send('/console/names')
    // All but those that are blocked, and two that are no targets of the key.
    const blocked = refused.html.match(/✗<\/span> blocked</g)?.length ?? 0
    expect(blocked).toBeGreaterThan(30)
    expect(refused.html.match(/update refused/g)).toHaveLength(110 - blocked - 2)
    expect(refused.html.match(/<th scope="row">/g)).toHaveLength(110)
    expect(Buffer.byteLength(refused.html)).toBeLessThan(60_000)
    const choosing = await one.send('/console/names?choose=yes')
    expect(Buffer.byteLength(choosing.html)).toBeLessThan(60_000)
    const [, next = ''] = /<a rel="next" href="([^"]+)"/.exec(html) ?? []
    const rest = await one.send(next.replaceAll('&amp;', '&'))
    expect(rest.html.match(/<th scope="row">/g)?.length).toBeGreaterThan(19)
    expect(rest.html).not.toContain('rel="next"')
  } finally {
    await world.close()
  }
})
