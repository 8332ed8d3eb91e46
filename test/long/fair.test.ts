import { describe, expect, it } from 'vitest'
import { flood, type Repeated } from '../lab/flood.ts'
import { inFolder, steadily, tenants, timed, type Times } from './tenants.ts'

/** In milliseconds. */
const ATTACK = 8000

/** Names n1 and on of a zone, with another address each time. */
const patchOf = (count: number, nth: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `n${at + 1}`,
    dns_type: 'A',
    ttl: 300,
    rdata: [{ value: `198.51.${nth % 250}.${1 + (at % 250)}` }],
  }))

async function filledWorld() {
  const made = await tenants(inFolder())
  const { api, agent, at, heavy, third } = made
  for (const [auth, zone] of [
    [heavy, 'heavy.test'],
    [third, 'third.test'],
  ] as const) {
    await api(auth, 'PATCH', `/dns/records/${zone}`, patchOf(500, 1))
    await api(auth, 'PATCH', `/dns/records/${zone}`, patchOf(999, 1).slice(500))
  }
  const listings = async (span: number): Promise<Times> =>
    steadily(span, async () =>
      timed(at.url, '/v1/dns/records?limit=200', { auth: third, agent, expected: /^200 / }),
    )
  return { ...made, listings }
}

const json = (auth: string) => ({ authorization: auth, 'content-type': 'application/json' })

const ATTACKS: readonly (readonly [what: string, (auth: string) => Omit<Repeated, 'url'>])[] = [
  [
    'a page of 500 names, by 48 connections',
    (auth) => ({ method: 'GET', path: '/v1/dns/records?limit=500', headers: json(auth), connections: 48 }),
  ],
  [
    'a change of 500 names, by 16 connections',
    (auth) => ({
      method: 'PATCH',
      path: '/v1/dns/records/heavy.test',
      headers: json(auth),
      bodies: [2, 3].map((nth) => JSON.stringify(patchOf(500, nth))),
      connections: 16,
    }),
  ],
]

describe('while an account repeats', () => {
  it.each(ATTACKS)('%s, updates and listings of others go on', async (what, attack) => {
    const { at, heavy, updates, listings } = await filledWorld()
    await updates(true, 1000)
    const alone = {
      kept: await updates(true, 3000),
      fresh: await updates(false, 3000),
      listing: await listings(2000),
    }
    const end = await flood({ url: at.url, ...attack(heavy) })
    const kept = await updates(true, ATTACK)
    const fresh = await updates(false, ATTACK)
    const listing = await listings(ATTACK)
    const counts = await end()
    console.log(what, JSON.stringify({ alone, kept, fresh, listing, counts }))
    for (const [one, before] of [
      [kept, alone.kept],
      [fresh, alone.fresh],
    ] as const) {
      expect(one.p99).toBeLessThanOrEqual(100)
      expect(one.p99).toBeLessThanOrEqual(10 * Math.max(before.p99, 10))
    }
    expect(listing.p99).toBeLessThanOrEqual(150)
    expect(at.log()).toContain('"key":"account heavy","msg":"requests wait for others of the same account"')
  })
})
