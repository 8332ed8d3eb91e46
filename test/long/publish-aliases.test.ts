import { Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { inFolder, inPostgres, type Place, tenants } from './tenants.ts'

const ALIASES = 990
/** In milliseconds: another zone is published in a few hundredths of a second without the neighbour. */
const MAX_WAIT = 1000
const PATIENCE = 120_000

const ADDRESSES = (octet: number): readonly string[] =>
  Array.from({ length: 100 }, (_, n) => `10.0.${octet}.${n}`)

async function world(place: Place) {
  const dns = ['--dns-listen', '127.0.0.1:0', '--answer-queries', '--nameservers', 'ns1.operator.test']
  const made = await tenants(place, ...dns)
  const resolver = new Resolver()
  resolver.setServers([made.at.dns])
  const answer = async (name: string): Promise<readonly string[]> => resolver.resolve4(name).catch(() => [])
  /** The longest time until the DNS has a change of another account; until the event. */
  const longestWait = async (until: Promise<unknown>): Promise<number> => {
    const state = { isOver: false }
    void until.then(() => (state.isOver = true))
    let longest = 0
    for (let nth = 0; !state.isOver; nth++) {
      const value = `198.51.100.${nth % 250}`
      const body = { rdata: [{ value }] }
      await made.api(made.light, 'PUT', '/dns/records/light.test/home/rrsets/A', body)
      const began = performance.now()
      while (!(await answer('home.light.test')).includes(value)) await sleep(5)
      longest = Math.max(longest, performance.now() - began)
      await sleep(100)
    }
    return longest
  }
  const has = async (name: string, address: string): Promise<void> => {
    const began = performance.now()
    while (!(await answer(name)).includes(address) && performance.now() - began < PATIENCE) await sleep(50)
    expect(await answer(name)).toContain(address)
  }
  return { ...made, longestWait, has }
}

describe('a name with 200 records and 990 ALIAS', { timeout: 600_000 }, () => {
  let postgres: Postgres | undefined
  beforeAll(async () => {
    if (whyNoPostgres() === undefined) postgres = await startPostgres()
  })
  afterAll(async () => postgres?.stop())

  it.each(['SQLite', 'PostgreSQL'])('does not hold up the zones of others, on %s', async (store) => {
    if (store === 'PostgreSQL' && postgres === undefined) return
    const { at, api, heavy, longestWait, has } = await world(
      store === 'SQLite' || postgres === undefined ? inFolder() : await inPostgres(postgres),
    )
    const lines = [
      ...ADDRESSES(0).map((address) => `a0 60 IN A ${address}`),
      ...ADDRESSES(0).map((_, n) => `a0 60 IN AAAA 2001:db8::${n.toString(16)}`),
      ...Array.from({ length: ALIASES }, (_, n) => `;holdfast b${n} 60 IN ALIAS a0.heavy.test.`),
    ]
    const imported = await fetch(`${at.url}/v1/dns/zones/heavy.test/import`, {
      method: 'POST',
      headers: { authorization: heavy, 'content-type': 'text/dns' },
      body: `${lines.join('\n')}\n`,
    })
    expect([imported.status, await imported.text()]).toEqual([202, expect.anything()])
    const last = `b${ALIASES - 1}.heavy.test`
    const waits = [await longestWait(has(last, '10.0.0.1'))]
    for (const octet of [1, 2]) {
      const rdata = ADDRESSES(octet).map((value) => ({ value }))
      await api(heavy, 'PUT', '/dns/records/heavy.test/a0/rrsets/A', { rdata })
      const began = performance.now()
      waits.push(await longestWait(has(last, `10.0.${octet}.1`)))
      console.log(store, JSON.stringify({ waits, took: performance.now() - began }))
    }
    expect(at.log()).not.toContain('publishing failed')
    expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_WAIT)
  })
})
