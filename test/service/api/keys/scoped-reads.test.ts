import type { Instant } from '../../../../src/shared/base/time.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { addApiKey } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

/** The account has the zones example.test and noadd.test, and a name in dyn.test; its DDNS keys and their targets: */
const TARGETS = {
  inside: ['free.example.test'],
  outside: ['x.noadd.test'],
  both: ['alias.example.test', 'mine.dyn.test'],
} as const
type KeyName = keyof typeof TARGETS

/** Keys with these targets, each of which has sent an update; their names by username. */
async function keysWithTargets(): Promise<ReadonlyMap<string, KeyName>> {
  const { ask, store, ids } = world
  const names = new Map<string, KeyName>()
  for (const [name, hostnames] of Object.entries(TARGETS)) {
    const made = await ask('POST', '/v1/account/ddns-keys', { description: name, hostnames })
    names.set((made.body.data as { readonly username: string }).username, name as KeyName)
  }
  await store.write(async (w) => {
    for (const username of names.keys()) {
      const login = await w.login(username)
      if (login?.kind !== 'key') throw new Error('no key')
      const principal = { kind: 'key', id: login.id, accountId: ids['a'] ?? 0 } as const
      const last = { at: instant(1), agent: username, peer: '192.0.2.9' as Address, reply: 'good 192.0.2.9' }
      await w.putUsage(principal, { requests: [], refusals: [], nondescriptive: 0 }, last)
    }
  })
  return names
}

describe('the list of update clients', () => {
  it.each<[scope: readonly string[], seen: readonly KeyName[]]>([
    [[], ['both', 'inside', 'outside']],
    [['zone:example.test'], ['inside']],
    [['zone:noadd.test'], ['outside']],
    [
      ['zone:example.test', 'zone:dyn.test'],
      ['both', 'inside'],
    ],
    [
      ['zone:example.test', 'zone:dyn.test', 'zone:noadd.test'],
      ['both', 'inside', 'outside'],
    ],
    [['name:free.example.test'], ['inside']],
    [['name:alias.example.test'], []],
    [['read', 'zone:example.test'], ['inside']],
    [['zone:frozen.test'], []],
  ])('for a key with %j has the keys all of whose targets it may see: %j', async (scopes, seen) => {
    const names = await keysWithTargets()
    await addApiKey(world.store, world.ids['a'] ?? 0, 'scoped', { scopes })
    const { body } = await world.ask('GET', '/v1/dns/clients?limit=100', undefined, 'scoped')
    const rows = body.data as readonly { readonly ddns_key_username: string }[]
    const listed = rows.flatMap((row) => names.get(row.ddns_key_username) ?? [])

    expect(listed.toSorted()).toEqual(seen)
    // The number tells as much as a row.
    expect(body.page?.total).toBe(rows.length)
  })

  it('gives a key with a scope nothing by the name of another key', async () => {
    const names = await keysWithTargets()
    await addApiKey(world.store, world.ids['a'] ?? 0, 'scoped', { scopes: ['zone:example.test'] })
    const both = [...names].find(([, name]) => name === 'both')?.[0] ?? ''
    const path = `/v1/dns/clients?filter[ddns_key_username]=${both}`
    expect((await world.ask('GET', path)).body.page?.total).toBe(1)
    expect((await world.ask('GET', path, undefined, 'scoped')).body.page?.total).toBe(0)
  })
})

describe('the e-mail address of the account', () => {
  const EMAIL = 'person@mail.test'

  it.each<[scopes: readonly string[], isRead: boolean]>([
    [[], true],
    [['zone:example.test'], false],
    [['name:home.example.test'], false],
    [['type:TXT'], false],
    [['read', 'zone:example.test'], false],
    [['name:_acme-challenge.home.example.test', 'type:TXT'], false],
  ])('for a key with %j: is read: %s', async (scopes, isRead) => {
    const { store, ids } = world
    await store.write(async (w) =>
      w.changeAccount(ids['a'] ?? 0, { email: EMAIL }, Date.UTC(2026, 0, 1) as Instant),
    )
    await addApiKey(store, ids['a'] ?? 0, 'scoped', { scopes })
    const { status, body } = await world.ask('GET', '/v1/account', undefined, 'scoped')

    expect([status, JSON.stringify(body).includes(EMAIL)]).toEqual([200, isRead])
    expect(body.data).toMatchObject({ name: 'a', plan: { name: 'plan of a' } })
  })
})
