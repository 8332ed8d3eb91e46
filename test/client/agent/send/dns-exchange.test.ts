import { expect, it } from 'vitest'
import { seconds } from '../../../../src/shared/base/time.ts'
import type { DnsStep } from '../../../../src/client/services/protocols/protocol.ts'
import { dnsExchange, nameServerUrl } from '../../../../src/client/agent/send/dns-exchange.ts'
import { askNameServerBy } from '../../../../src/client/agent/send/dns-sending.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { START } from '../../../fakes/world.ts'

const nameServer = { host: 'ns1.example.test', port: 53 }
const update = { request: { hostnames: ['home.example.test'], addresses: {} }, endpoint: 0 }

it('each message of a step has an identifier of its own', async () => {
  const ids: number[] = []
  const random = [7, 7, 7, 8, 7, 9]
  const first: DnsStep = {
    nameServer,
    shown: [],
    compose: ({ newId }) => {
      ids.push(newId(), newId(), newId())
      return { messages: [], read: () => ({ kind: 'incomplete' }) }
    },
  }
  const seen = await dnsExchange(
    { account: 'a', responseTimeout: seconds(1) },
    { update, first },
    {
      ask: async () => Promise.resolve([]),
      wall: () => START,
      newId: () => random.shift() ?? 0,
      signal: new AbortController().signal,
    },
  )
  expect([ids, seen.kind]).toEqual([[7, 8, 9], 'unreached'])
})

it.each([
  ['ns1.example.test', 'dns://ns1.example.test:53'],
  ['2001:db8::1', 'dns://[2001:db8::1]:53'],
])('%s is %s', (host, url) => expect(nameServerUrl({ nameServer: { host, port: 53 } })).toBe(url))

const framed = (...texts: readonly string[]): Buffer =>
  Buffer.concat(texts.flatMap((text) => [Buffer.from([0, text.length]), Buffer.from(text)]))

it('a server is asked at each of its addresses until one answers, and its answers are taken apart', async () => {
  const asked: string[] = []
  const ask = askNameServerBy(async () =>
    Promise.resolve({
      addresses: async (_, family) =>
        Promise.resolve([family === 'v4' ? '192.0.2.1' : '2001:db8::1'] as unknown as readonly Address[]),
      stream: async ({ to, bytes, lengthOf }) => {
        asked.push(`${to} ${Buffer.from(bytes).toString('latin1')}`)
        if (to === '192.0.2.1') return Promise.resolve('refused')
        const answer = framed('one', 'two')
        expect([lengthOf(answer.subarray(0, 6)), lengthOf(answer)]).toEqual([undefined, answer.length])
        return Promise.resolve(answer)
      },
    }),
  )
  const limits = { timeout: seconds(1), signal: new AbortController().signal }
  const answers = await ask(nameServer, [Buffer.from('a'), Buffer.from('b')], limits)
  expect(typeof answers === 'string' ? answers : answers.map(String)).toEqual(['one', 'two'])
  expect(asked).toEqual(
    ['192.0.2.1', '2001:db8::1'].map((to) => `${to} ${framed('a', 'b').toString('latin1')}`),
  )
})

it.each([
  [{ addresses: [] as string[], stream: '' }, 'no address of ns1.example.test was found'],
  [{ addresses: ['192.0.2.1'], stream: 'it took too long' }, '192.0.2.1 port 53: it took too long'],
])('%j is %s', async ({ addresses, stream }, because) => {
  const ask = askNameServerBy(async () =>
    Promise.resolve({
      addresses: async (_, family) =>
        Promise.resolve((family === 'v4' ? addresses : []) as unknown as readonly Address[]),
      stream: async () => Promise.resolve(stream),
    }),
  )
  expect(await ask(nameServer, [], { timeout: seconds(1), signal: new AbortController().signal })).toBe(
    because,
  )
})
