import type { Instant } from '../../../../src/shared/base/time.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addApiKey } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const read = async (key?: string) => (await world.ask('GET', '/v1/account', undefined, key)).body.data

describe('the account', () => {
  it('has its plan and what it uses of it, as the quotas count', async () => {
    expect(await read()).toEqual({
      name: 'a',
      plan: {
        name: 'plan of a',
        max_names: 50,
        max_rdata: 50,
        max_ddns_keys: 1000,
        max_name_metadata: 10,
        max_rrset_metadata: 10,
        min_ttl: 60,
        fixed_ttl: null,
        dns_types: null,
        has_offline: true,
        has_wildcards: true,
        needs_second_factor: false,
      },
      // Of 14 names four are apexes.
      usage: { names: 10, rdata: 12, ddns_keys: 2, api_keys: 2, tsig_keys: 1, zones: 4 },
      website_only: false,
      operator: false,
      email: null,
      email_confirmed: false,
      created_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('has as many names as it may, where no more can be made', async () => {
    const { store, ids, ask } = world
    const { usage } = (await read()) as { readonly usage: { readonly names: number } }
    await store.write(async (w) =>
      w.changePlan(ids['plan-a'] ?? 0, { maxNames: usage.names + 1, fixedTtl: 300, types: ['A', 'TXT'] }),
    )
    const made = async (name: string): Promise<number> =>
      (await ask('POST', '/v1/dns/records/example.test', { name })).status
    expect([await made('one'), await made('two')]).toEqual([201, 402])
    expect(await read()).toMatchObject({
      plan: { max_names: usage.names + 1, fixed_ttl: 300, dns_types: ['A', 'TXT'] },
      usage: { names: usage.names + 1 },
    })
  })

  it('is read by every API key of it, and shows its own account', async () => {
    const all = await read()
    await addApiKey(world.store, world.ids['a'] ?? 0, 'narrow', {
      scopes: ['name:x.example.test', 'type:TXT'],
    })
    const narrow = (await read('narrow')) as { readonly usage: object }
    expect(narrow).toEqual({ ...(all as object), usage: { ...narrow.usage, api_keys: 3 } })
    expect(await read('reader-of-a')).toEqual(narrow)
    expect(await read('key-of-b')).toMatchObject({ name: 'b', usage: { zones: 1, ddns_keys: 1 } })
  })

  it('is read also where it can only be changed on the website', async () => {
    const { store, ids } = world
    await store.write(async (w) =>
      w.changeAccount(ids['a'] ?? 0, { isWebsiteOnly: true }, Date.UTC(2026, 0, 1) as Instant),
    )
    expect(await read()).toMatchObject({ website_only: true })
  })
})
