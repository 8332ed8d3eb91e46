import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/shared/base/result.ts'
import { hours, instant, milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import type { Publication } from '../../../src/client/verify/publication.ts'
import { ONE_ROUND, ROUNDS, type Verification, verify } from '../../../src/client/verify/verify.ts'
import { address } from '../../fakes/address.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { HOST, noResolver, type Script, scripted } from './scripted.ts'

const [OLD, NEW] = ['192.0.2.101', '192.0.2.102']
const confirmed = { addresses: { v4: address(NEW) }, previous: { v4: address(OLD) } }
const never = new AbortController().signal
/** The old address until the moment. */
const newAt =
  (moment: number): Script =>
  (at) =>
    at < moment ? OLD : NEW

/** Runs a verification to its end, in virtual time. */
async function run(
  scripts: readonly Script[],
  { signal = never, ...more }: Partial<Verification> & { signal?: AbortSignal } = {},
) {
  const clock = virtualClock()
  const { ports, questions, servers } = scripted(clock, scripts)
  const reports: Publication[] = []
  const verification = { hostname: HOST, servers, rounds: ROUNDS, isAwaited: false, ...confirmed, ...more }
  const running = verify(verification, { ports, signal }, (one) => void reports.push(one))
  await clock.pass(hours(1))
  return { last: await running, reports, questions }
}

describe('after a confirmation', () => {
  it('ends with the first round in which every server gives the address', async () => {
    const { last, questions } = await run([newAt(0), newAt(0)])
    expect(last).toMatchObject({ state: 'published', servers: [{ took: 100 }, { took: 100 }], because: null })
    expect(questions).toEqual(['ns1 100', 'ns2 100'])
  })

  it('asks only the servers that do not give it yet', async () => {
    const { reports, questions } = await run([newAt(0), newAt(700)])
    expect(questions).toEqual(['ns1 100', 'ns2 100', 'ns2 500', 'ns2 1000'])
    expect(reports.map(({ state, servers }) => [state, ...servers.map(({ took }) => took)])).toEqual([
      ['pending', 100, 100],
      ['pending', 100, 500],
      ['published', 100, 1000],
    ])
  })

  it('a server that never gives it is stale after five minutes, and no longer asked', async () => {
    const { last, reports, questions } = await run([newAt(0), () => OLD])
    expect(last).toMatchObject({
      state: 'stale',
      servers: [{ finding: 'seen' }, { server: 'ns2', finding: 'old', addresses: [OLD], took: minutes(5) }],
    })
    expect(reports.slice(0, -1).every(({ state }) => state === 'pending')).toBe(true)
    expect(questions.filter((one) => one.startsWith('ns2'))).toHaveLength(ROUNDS.length)
  })

  it('a foreign address is different after five minutes', async () => {
    const { last } = await run([() => '203.0.113.9'])
    expect(last?.state).toBe('different')
  })

  it.each(['silent', 'lame'])('a %s server is asked in every round', async (answer) => {
    const { last, questions } = await run([newAt(0), () => answer])
    expect(last).toMatchObject({ state: 'published', servers: [{ finding: 'seen' }, { finding: answer }] })
    expect(questions).toHaveLength(1 + ROUNDS.length)
  })

  it('a server that drops the questions of one family gives the other, and is asked again', async () => {
    const addresses = { v4: address(NEW), v6: address('2001:db8::2') }
    const { last, questions } = await run([newAt(0)], { addresses })
    expect(last).toMatchObject({ state: 'published', servers: [{ finding: 'seen', unanswered: ['v6'] }] })
    expect(questions).toHaveLength(2 * ROUNDS.length)
  })

  it('a process that waits asks it twice, where the others give the address', async () => {
    const { last, questions } = await run([newAt(0), () => 'silent'], { isAwaited: true })
    expect(last?.state).toBe('published')
    expect(questions).toEqual(['ns1 100', 'ns2 100', 'ns2 500'])
  })

  it('without an answer for the zone, it is not verified', async () => {
    const { last } = await run([() => 'silent', () => 'lame'])
    expect(last).toMatchObject({ state: 'unverified', because: null })
  })

  it('a server that answers late is still verified', async () => {
    const { last } = await run([(at) => (at < 60_000 ? 'silent' : NEW)])
    expect(last).toMatchObject({ state: 'published', servers: [{ took: minutes(1) }] })
  })
})

describe('a question at another time', () => {
  it('is one round, and has no duration', async () => {
    const { last, questions } = await run([() => OLD], { rounds: ONE_ROUND, age: seconds(10) })
    expect(last).toMatchObject({ state: 'pending', servers: [{ took: null }] })
    expect(questions).toEqual(['ns1 0'])
  })

  it('takes the age of the confirmation into account', async () => {
    expect((await run([() => OLD], { rounds: ONE_ROUND, age: minutes(5) })).last?.state).toBe('stale')
    const almost = milliseconds(minutes(5) - 1)
    expect((await run([() => OLD], { rounds: ONE_ROUND, age: almost })).last?.state).toBe('pending')
  })
})

describe('the end by the signal', () => {
  it('before the first answers there is no result', async () => {
    const end = new AbortController()
    end.abort()
    const { last, reports } = await run([newAt(0)], { signal: end.signal })
    expect([last, reports]).toEqual([undefined, []])
  })

  it('the result before it stays', async () => {
    const end = new AbortController()
    const script: Script = (at) => {
      if (at >= 500) end.abort()
      return at >= 500 ? 'silent' : OLD
    }
    const { last, questions } = await run([script], { signal: end.signal })
    expect(last).toMatchObject({ state: 'pending', servers: [{ took: 100 }] })
    expect(questions).toEqual(['ns1 100', 'ns1 500'])
  })
})

it('the end in the middle of a round leaves the servers that have answered; the others are silent', async () => {
  const clock = virtualClock()
  const { ports, servers } = scripted(clock, [newAt(0), newAt(0)])
  const end = new AbortController()
  const slow: typeof ports.datagram = async (request, signal) => {
    if (request.to !== '192.0.2.2') return ports.datagram(request, signal)
    await clock.sleep(instant(3000), signal)
    return { kind: 'silent' }
  }
  const verification = { hostname: HOST, servers, rounds: ROUNDS, isAwaited: true, ...confirmed }
  const running = verify(verification, { ports: { ...ports, datagram: slow }, signal: end.signal })
  await clock.pass(seconds(1))
  end.abort()
  await clock.pass(seconds(5))
  expect(await running).toMatchObject({
    state: 'published',
    servers: [
      { server: 'ns1', finding: 'seen', took: 100 },
      { server: 'ns2', finding: 'silent' },
    ],
  })
})

describe('the servers of the zone', () => {
  const verifyWith = async (ports: Partial<ReturnType<typeof scripted>['ports']>) => {
    const clock = virtualClock()
    const world = scripted(clock, [newAt(0)])
    const verification = { hostname: HOST, rounds: ROUNDS, isAwaited: false, ...confirmed }
    const running = verify(verification, { ports: { ...world.ports, ...ports }, signal: never })
    await clock.pass(hours(1))
    return { last: await running, questions: world.questions }
  }

  it('are looked up once', async () => {
    let lookups = 0
    const { last } = await verifyWith({
      nameServers: async () => ok(lookups++ < 1 ? ['ns1.example.test'] : []),
      addresses: async (_, family) => (family === 'v4' ? [address('192.0.2.1')] : []),
    })
    expect(last).toMatchObject({ state: 'published', servers: [{ server: 'ns1.example.test' }] })
    expect(lookups).toBe(1)
  })

  it('are looked up again where the lookup failed', async () => {
    let lookups = 0
    const { last } = await verifyWith({
      nameServers: async () => (lookups++ < 1 ? err('no network yet') : ok(['ns1.example.test'])),
      addresses: async () => [address('192.0.2.1')],
    })
    expect(last).toMatchObject({ state: 'published', servers: [{ took: 500 }] })
  })

  it('where the resolver does not answer, the name is not verified, and that is said', async () => {
    const { last, questions } = await verifyWith({ nameServers: noResolver })
    expect(last).toEqual({
      state: 'unverified',
      servers: [],
      because: 'the resolver of this host does not answer',
    })
    expect(questions).toEqual([])
  })
})
