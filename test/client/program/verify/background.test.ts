import { describe, expect, it } from 'vitest'
import { BackgroundVerification } from '../../../../src/client/program/verify/background.ts'
import type { ClientAccount } from '../../../../src/client/settings/settings.ts'
import { hours, milliseconds, minutes } from '../../../../src/shared/base/time.ts'
import type { AgentEvent } from '../../../../src/client/agent/events.ts'
import { ok } from '../../../../src/shared/base/result.ts'
import type { ReplyWord } from '../../../../src/shared/protocol/reply.ts'
import { ROUNDS } from '../../../../src/client/verify/verify.ts'
import { address } from '../../../fakes/address.ts'
import { virtualClock } from '../../../fakes/clock.ts'
import { HOST, type Script, scripted } from '../../verify/scripted.ts'

const [OLD, NEW] = ['192.0.2.101', '192.0.2.102']
const KEY = 'key@dyn.test'
const accountWith = (over: Partial<ClientAccount> = {}): ClientAccount =>
  ({
    server: 'https://dyn.test',
    username: 'key',
    hostnames: [HOST],
    ipv4: true,
    ipv6: true,
    verify: true,
    ...over,
  }) as ClientAccount

interface Confirming {
  readonly hostname?: string
  readonly word?: ReplyWord
  readonly to?: string
  readonly from?: string
  readonly offline?: 'YES'
}
const confirming = ({
  hostname = HOST,
  word = 'good',
  to = NEW,
  from = OLD,
  offline,
}: Confirming = {}): AgentEvent => ({
  kind: 'settled',
  account: KEY,
  hostname,
  reply: { word, addresses: [address(to)] },
  previous: { v4: address(from) },
  sent: { hostnames: [hostname], addresses: {}, ...(offline && { offline }) },
})

/** A verification whose zone has these name servers. */
function world(scripts: readonly Script[], account = accountWith()) {
  const clock = virtualClock()
  const { ports, questions, servers } = scripted(clock, scripts)
  const events: AgentEvent[] = []
  const end = new AbortController()
  const verification = new BackgroundVerification((event) => void events.push(event), end.signal, {
    ...ports,
    nameServers: async () => ok(servers.map(({ name }) => name)),
    addresses: async (host, family) =>
      family === 'v6' ? [] : [...(servers.find(({ name }) => name === host)?.addresses ?? [])],
  })
  verification.adopt({ accounts: [account] })
  const kinds = (): readonly string[] => events.map(({ kind }) => kind)
  return { clock, questions, events, kinds, end, verification }
}

describe('a confirmed change', () => {
  it('is verified, reported once and kept for status', async () => {
    const { clock, events, verification } = world([() => NEW, (at) => (at < 300 ? OLD : NEW)])
    verification.record(confirming())
    await clock.pass(milliseconds(200))
    expect(verification.get(KEY, HOST)?.state).toBe('pending')
    await clock.pass(hours(1))
    expect(verification.get(KEY, HOST)).toMatchObject({
      state: 'published',
      servers: [{ took: 100 }, { took: 500 }],
    })
    expect(events).toMatchObject([{ kind: 'published', account: KEY, hostname: HOST }])
  })

  it('that is never published causes one warning, after five minutes', async () => {
    const { clock, kinds, verification } = world([() => OLD])
    verification.record(confirming())
    await clock.pass(milliseconds(minutes(5) - 1))
    expect(kinds()).toEqual([])
    await clock.pass(hours(2))
    expect(kinds()).toEqual(['notPublished'])
    expect(verification.get(KEY, HOST)).toMatchObject({ state: 'stale', servers: [{ finding: 'old' }] })
  })

  it('ends the questions for the change before it', async () => {
    const { clock, kinds, questions, verification } = world([() => NEW])
    verification.record(confirming({ to: '192.0.2.55' }))
    await clock.pass(milliseconds(200))
    verification.record(confirming({ from: '192.0.2.55' }))
    await clock.pass(hours(1))
    expect(kinds()).toEqual(['published'])
    expect(questions).toEqual(['ns1 100', 'ns1 300'])
  })

  it('whose reply names no address is that of the request', async () => {
    const { clock, kinds, verification } = world([() => NEW])
    const event = confirming() as Extract<AgentEvent, { kind: 'settled' }>
    const sent = { ...event.sent, addresses: { v4: address(NEW) } }
    verification.record({ ...event, reply: { word: 'good', addresses: [] }, sent })
    await clock.pass(hours(1))
    expect(kinds()).toEqual(['published'])
  })
})

it.each([
  ['both families', true, 2],
  ['the family that is on, and what is left of the other one', false, 2],
] as const)('an address that was not sent again is verified too: %s', async (_, ipv6, asked) => {
  const { clock, questions, verification } = world([() => NEW], accountWith({ ipv4: true, ipv6 }))
  const event = confirming() as Extract<AgentEvent, { kind: 'settled' }>
  const previous = { v4: address(OLD), v6: address('2001:db8::1') }
  verification.record({ ...event, previous, sent: { ...event.sent, addresses: { v4: address(NEW) } } })
  await clock.pass(milliseconds(150))
  expect(questions).toHaveLength(asked)
})

describe('no question is asked', () => {
  const silent = async (event: AgentEvent, account?: ClientAccount) => {
    const { clock, questions, verification } = world([() => NEW], account)
    verification.record(event)
    await clock.pass(hours(1))
    expect(questions).toEqual([])
    expect(verification.get(KEY, HOST)).toBeUndefined()
  }

  it('after nochg', async () => silent(confirming({ word: 'nochg' })))
  it('for an offline hostname', async () => silent(confirming({ offline: 'YES' })))
  it('for a group', async () => silent(confirming({ hostname: 'group' })))
  it('with verify = false', async () => silent(confirming(), accountWith({ verify: false })))
  it('for an account that is not configured', async () =>
    silent(confirming(), accountWith({ username: 'other' })))
  it('after any other event', async () => silent({ kind: 'ended' }))
})

describe('many hostnames', () => {
  it('of many accounts: fifty are verified at a time', async () => {
    const { clock, questions, verification } = world([() => OLD])
    const accounts = Array.from({ length: 20 }, (_, n) => accountWith({ username: `key${n}` }))
    verification.adopt({ accounts })
    for (let n = 0; n < 20; n++)
      for (let m = 0; m < 5; m++)
        verification.record({
          ...confirming({ hostname: `h${m}.example.test` }),
          account: `key${n}@dyn.test`,
        } as AgentEvent)
    await clock.pass(milliseconds(150))
    expect(questions).toHaveLength(50)
  })

  it('of one account: ten are verified at a time', async () => {
    const { clock, questions, verification } = world([() => NEW])
    for (let n = 0; n < 12; n++) verification.record(confirming({ hostname: `h${n}.example.test` }))
    await clock.pass(milliseconds(150))
    expect(questions).toHaveLength(10)
  })
})

describe('where the name servers cannot be asked', () => {
  it('that is reported once', async () => {
    const { clock, kinds, questions, verification } = world([() => 'silent'])
    verification.record(confirming())
    await clock.pass(minutes(10))
    verification.record(confirming({ from: NEW, to: OLD }))
    await clock.pass(minutes(10))
    expect(kinds()).toEqual(['unverified'])
    expect(questions).toHaveLength(2 * ROUNDS.length)
  })

  it('an answer later is verified as usual', async () => {
    const { clock, kinds, verification } = world([(at) => (at < minutes(8) ? 'silent' : NEW)])
    verification.record(confirming())
    await clock.pass(minutes(10))
    verification.record(confirming())
    await clock.pass(minutes(10))
    expect(kinds()).toEqual(['unverified', 'published'])
  })
})

it('new settings without verify end the questions and drop the results', async () => {
  const { clock, questions, verification } = world([() => OLD])
  verification.record(confirming())
  await clock.pass(milliseconds(200))
  verification.adopt({ accounts: [accountWith({ verify: false })] })
  await clock.pass(hours(1))
  expect(questions).toEqual(['ns1 100'])
  expect(verification.get(KEY, HOST)).toBeUndefined()
})

it('new settings without verify drop the results of earlier changes', async () => {
  const { clock, verification } = world([() => NEW])
  verification.record(confirming())
  await clock.pass(hours(1))
  verification.adopt({ accounts: [accountWith()] })
  expect(verification.get(KEY, HOST)?.state).toBe('published')
  verification.adopt({ accounts: [accountWith({ verify: false })] })
  expect(verification.get(KEY, HOST)).toBeUndefined()
})

it('the end of the daemon ends the questions, without an event', async () => {
  const { clock, questions, kinds, end, verification } = world([() => OLD])
  verification.record(confirming())
  await clock.pass(milliseconds(200))
  end.abort()
  await clock.pass(hours(1))
  expect([questions, kinds()]).toEqual([['ns1 100'], []])
})
