import { expect, it } from 'vitest'
import { err, ok, type Result } from '../../../src/shared/base/result.ts'
import type { VerifyContext } from '../../../src/client/verify/ports.ts'
import { findZoneServers } from '../../../src/client/verify/zone-servers.ts'
import { familyOf } from '../../../src/shared/base/address.ts'
import { steadyClock, systemEntropy } from '../../../src/shared/platform/clock/clock.ts'
import { address } from '../../fakes/address.ts'

interface Names {
  readonly zones: Readonly<Record<string, readonly string[] | string>>
  readonly addresses?: Readonly<Record<string, readonly string[]>>
}

/** A resolver that knows these zones, by name: their name servers, or the failure of the lookup. */
function context({ zones, addresses = {} }: Names) {
  const asked: string[] = []
  const found = (zone: string): Result<readonly string[], string> => {
    const names = zones[zone] ?? []
    return typeof names === 'string' ? err(names) : ok(names)
  }
  const unused = async (): Promise<never> => Promise.reject(new Error('asked'))
  const context: VerifyContext = {
    ports: {
      clock: steadyClock,
      entropy: systemEntropy,
      datagram: unused,
      stream: unused,
      addresses: async (host, family) =>
        (addresses[host] ?? []).map(address).filter((one) => familyOf(one) === family),
      nameServers: async (zone) => {
        asked.push(zone)
        return found(zone)
      },
    },
    signal: new AbortController().signal,
  }
  return { context, asked }
}

it('asks for the name and then for its parents, until one is a zone', async () => {
  const { context: at, asked } = context({
    zones: { 'example.test': ['ns2.test', 'ns1.test'] },
    addresses: { 'ns1.test': ['192.0.2.1', '2001:db8::1'], 'ns2.test': ['192.0.2.2'] },
  })
  expect(await findZoneServers('nas.home.example.test', at)).toEqual(
    ok([
      { name: 'ns1.test', addresses: ['192.0.2.1', '2001:db8::1'], port: 53 },
      { name: 'ns2.test', addresses: ['192.0.2.2'], port: 53 },
    ]),
  )
  expect(asked).toEqual(['nas.home.example.test', 'home.example.test', 'example.test'])
})

it('never asks for a name of one label', async () => {
  const { context: at, asked } = context({ zones: { test: ['a.root.test'] } })
  expect(await findZoneServers('home.test', at)).toEqual(
    err('no zone with name servers was found for home.test'),
  )
  expect(asked).toEqual(['home.test'])
})

it('asks for eleven names at most', async () => {
  const { context: at, asked } = context({ zones: {} })
  expect((await findZoneServers('a.b.c.d.e.f.g.h.i.j.k.l.m.test', at)).ok).toBe(false)
  expect(asked).toHaveLength(11)
})

it('a failed lookup is an error, not the absence of a zone', async () => {
  const { context: at, asked } = context({
    zones: { 'a.example.test': 'the resolver of this host does not answer' },
  })
  expect(await findZoneServers('a.example.test', at)).toEqual(
    err('the resolver of this host does not answer'),
  )
  expect(asked).toHaveLength(1)
})

it('takes four servers and one address of each family', async () => {
  const names = [1, 2, 3, 4, 5].map((n) => `ns${n}.test`)
  const { context: at } = context({
    zones: { 'example.test': names },
    addresses: Object.fromEntries(names.map((name) => [name, ['192.0.2.1', '192.0.2.2', '2001:db8::1']])),
  })
  const found = await findZoneServers('example.test', at)
  expect(found.ok && found.value.map(({ name }) => name)).toEqual(names.slice(0, 4))
  expect(found.ok && found.value[0]?.addresses).toEqual(['192.0.2.1', '2001:db8::1'])
})

it('the root as a name server is none', async () => {
  const { context: at } = context({ zones: { 'example.test': [''] } })
  expect((await findZoneServers('example.test', at)).ok).toBe(false)
})

it('leaves out servers without an address; without any, it says so', async () => {
  const zones = { 'example.test': ['ns1.test', 'ns2.test'] }
  const one = await findZoneServers(
    'example.test',
    context({ zones, addresses: { 'ns2.test': ['192.0.2.2'] } }).context,
  )
  expect(one.ok && one.value.map(({ name }) => name)).toEqual(['ns2.test'])
  expect(await findZoneServers('example.test', context({ zones }).context)).toEqual(
    err('the addresses of ns1.test, ns2.test were not found'),
  )
})
