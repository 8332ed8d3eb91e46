import { describe, expect, it } from 'vitest'
import { hours, milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import { detector } from '../../../src/client/detect/detector.ts'
import type { AddressSource, Vantage } from '../../../src/client/detect/sources/source.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { address } from '../../fakes/address.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { always, never, NEW, NOTHING, OLD, own, router, scene, seen } from '../../fakes/detection.ts'

describe('a round', () => {
  it('with a router asks one outside source, and takes as long as that one', async () => {
    const { look, asked } = scene({
      router: router(always(NEW)),
      x: { answers: always(NEW) },
      y: { answers: always(NEW) },
    })

    expect(await look()).toEqual({ said: '9.9.9.9', took: 51 })
    expect(asked).toEqual(['router', 'x'])
  })

  it('asks no outside source when the router reports no change', async () => {
    const { look, asked, made } = scene({
      router: router(always(OLD)),
      x: { answers: always(OLD) },
      y: { answers: always(OLD) },
    })
    await look()
    asked.length = 0
    made.hint('plain')

    expect(await look()).toEqual({ said: '8.8.8.8', took: 1 })
    expect(asked).toEqual(['router'])
  })

  it('asks outside sources after a doubt, although the router reports no change', async () => {
    let truth = OLD
    const { look, made } = scene({
      router: router(always(OLD)),
      x: { answers: () => truth },
      y: { answers: () => truth },
    })
    await look()
    truth = NEW
    made.hint('plain')
    expect((await look()).said).toBe('8.8.8.8')
    made.hint('doubt')
    expect((await look()).said).toBe('9.9.9.9')
  })

  it('without a router asks two in parallel, and a third when they disagree', async () => {
    const { look, asked } = scene({
      x: { answers: always(NEW) },
      y: { answers: always(OLD) },
      z: { answers: always(NEW) },
    })

    expect(await look()).toEqual({ said: '9.9.9.9', took: 300 })
    expect(asked).toEqual(['x', 'y', 'z'])
  })

  it('continues with the next source when one does not answer, and ends in time when none does', async () => {
    const slow = { answers: always(NOTHING), takes: 60_000 }
    const { look } = scene({ x: slow, y: { answers: always(NEW) }, z: { answers: always(NEW) } })
    expect(await look()).toEqual({ said: '9.9.9.9', took: 300 })
    expect(await scene({ x: slow, y: slow, z: slow }).look()).toEqual({ said: 'unknown', took: 5000 })
  })

  it('is shared by concurrent looks, and its result for a second afterwards', async () => {
    const { made, asked, clock, look } = scene({ x: { answers: always(NEW) }, y: { answers: always(NEW) } })
    const all = Promise.all(Array.from({ length: 100 }, async () => made.look('v4', never)))
    await clock.pass(milliseconds(900))
    await all
    await look(milliseconds(10))

    expect(asked).toEqual(['x', 'y'])
  })

  it('starts with another source each time, so that a stale source does not hide a change', async () => {
    let truth = OLD
    const { look } = scene({
      stale: { answers: always(OLD) },
      x: { answers: () => truth },
      y: { answers: () => truth },
    })
    await look()
    truth = NEW
    const said = [await look(), await look(), await look()].map((one) => one.said)

    expect(said).toContain('9.9.9.9')
    expect(said.at(-1)).toBe('9.9.9.9')
  })
})

describe('a host without a route of a family', () => {
  it('asks outside sources once, and says why it asks no more', async () => {
    const script = { router: router(always(NOTHING)), x: { answers: always(NOTHING) } }
    const { made, asked, clock, look } = scene(script, { hasRoute: async () => Promise.resolve(false) })
    await look()
    const looked = made.look('v4', never)
    await clock.pass(seconds(6))

    expect(asked).toEqual(['router', 'x', 'router'])
    await clock.pass(minutes(30))
    await look()
    await clock.pass(minutes(30))
    await look()
    expect(asked.filter((name) => name === 'x')).toHaveLength(2)
    expect(await looked).toMatchObject({
      kind: 'unknown',
      because: expect.stringContaining('this host has no internet route for this family') as string,
    })
  })

  it('believes sources that answer all the same, such as by a proxy', async () => {
    const script = { x: { answers: always(NEW) }, y: { answers: always(NEW) } }
    const { look } = scene(script, { hasRoute: async () => Promise.resolve(false) })

    expect([(await look()).said, (await look()).said]).toEqual(['9.9.9.9', '9.9.9.9'])
  })
})

describe('an address that returns', () => {
  const returning = (isAtRouter: boolean, through?: string) => {
    const probed: string[] = []
    let truth = OLD
    const made = scene(
      { x: { answers: () => truth }, y: { answers: () => truth } },
      {
        isAtRouter: async (address) => {
          probed.push(address)
          return Promise.resolve(isAtRouter)
        },
        outboundRoute: async () => Promise.resolve(through === undefined ? {} : { elsewhere: through }),
      },
    )
    const flip = async (): Promise<readonly string[]> => {
      const said: string[] = []
      for (const next of [OLD, NEW, OLD]) {
        truth = next
        made.made.hint('doubt')
        said.push((await made.look()).said)
      }
      return said
    }
    return { flip, probed }
  }

  it('is published at once where the router has it, and held back where it does not', async () => {
    const held = returning(false)
    expect(await held.flip()).toEqual(['8.8.8.8', '9.9.9.9', 'unknown'])
    const near = returning(true)
    expect(await near.flip()).toEqual(['8.8.8.8', '9.9.9.9', '8.8.8.8'])
    expect([held.probed, near.probed]).toEqual([['8.8.8.8'], ['8.8.8.8']])
  })

  it('is not asked for at the router of a VPN', async () => {
    const { flip, probed } = returning(true, 'wg0')
    expect((await flip()).at(-1)).toBe('unknown')
    expect(probed).toEqual([])
  })
})

describe('hints', () => {
  it('restart a round that started before them', async () => {
    let truth = OLD
    const { made, clock, asked } = scene({
      router: router(() => truth, 40),
      x: { answers: () => truth },
      y: { answers: () => truth },
    })
    let said = ''
    void made.look('v4', never).then((one) => (said = one.kind === 'seen' ? one.address : one.kind))
    await clock.pass(milliseconds(35))
    truth = NEW
    made.hint('plain')
    await clock.pass(seconds(1))

    expect(said).toBe('9.9.9.9')
    expect(asked.filter((name) => name === 'router')).toHaveLength(2)
  })

  it('in a burst cause no more than a few rounds, and the look ends', async () => {
    const { made, clock, asked } = scene({ x: { answers: always(NEW) }, y: { answers: always(NEW) } })
    let said = ''
    void made.look('v4', never).then((one) => (said = one.kind))
    for (let n = 0; n < 1000; n++) {
      made.hint('plain')
      await clock.pass(milliseconds(1))
    }

    expect(said).toBe('seen')
    expect(asked.length).toBeLessThanOrEqual(8)
  })

  it('cause no more outside requests than the budget allows', async () => {
    const { made, look, asked } = scene({
      router: router(always(NOTHING)),
      x: { answers: always(OLD) },
      y: { answers: always(OLD) },
    })
    for (let n = 0; n < 200; n++) {
      made.hint('plain')
      await look(milliseconds(400))
    }

    // 80 seconds: a burst of thirty looks and 27 more, two requests each.
    expect(asked.filter((name) => name !== 'router').length).toBeLessThanOrEqual(2 * 58)
  })

  it('that the router answers do not delay a new address of it', async () => {
    let truth = OLD
    const { made, look } = scene({ router: router(() => truth), x: { answers: () => truth } })
    for (let n = 0; n < 400; n++) {
      made.hint('plain')
      await look(milliseconds(100))
    }
    truth = NEW
    made.hint('plain')

    expect(await look()).toEqual({ said: '9.9.9.9', took: 51 })
  })
})

describe('a round without an agreement', () => {
  it('is repeated with increasing pauses until there is one', async () => {
    let isOut = true
    const { look, clock, released } = scene({
      x: { answers: () => (isOut ? NOTHING : NEW) },
      y: { answers: () => (isOut ? NOTHING : NEW) },
    })
    const pauses: number[] = []
    for (let n = 0; n < 8; n++) {
      await look(milliseconds(100))
      const before = [released(), clock.now()] as const
      while (released() === before[0]) await clock.pass(milliseconds(100))
      pauses.push(Math.round((clock.now() - before[1]) / 1000))
    }
    expect(pauses).toEqual([1, 2, 5, 10, 20, 30, 60, 60])

    isOut = false
    expect((await look()).said).toBe('9.9.9.9')
    const before = released()
    await clock.pass(minutes(10))
    expect(released()).toBe(before)
  })

  it('is repeated after the shortest pause again after a hint', async () => {
    const { look, clock, made, released } = scene({
      x: { answers: always(NOTHING) },
      y: { answers: always(NOTHING) },
    })
    for (let n = 0; n < 5; n++) {
      await look(milliseconds(100))
      await clock.pass(minutes(1))
    }
    made.hint('plain')
    await look(milliseconds(100))
    const before = released()
    await clock.pass(milliseconds(1100))

    expect(released()).toBe(before + 1)
  })

  it('is not repeated after the end of the detector', async () => {
    const end = new AbortController()
    const { look, clock, released } = scene(
      { x: { answers: always(NOTHING) }, y: { answers: always(NOTHING) } },
      { signal: end.signal },
    )
    await look(milliseconds(100))
    end.abort()
    await clock.pass(minutes(5))

    expect(released()).toBe(0)
  })
})

describe('over IPv6', () => {
  it('no outside source is asked while no interface has an address', async () => {
    const asked: string[] = []
    const clock = virtualClock()
    const source = (name: string, vantage: Vantage, sighting: Sighting): AddressSource => ({
      name,
      operator: name,
      vantage,
      families: ['v6'],
      cooldown: milliseconds(0),
      look: async () => {
        asked.push(name)
        return sighting
      },
    })
    const made = detector({
      sources: [source('own', 'own', { kind: 'none' }), source('x', 'outside', seen('2600::1'))],
      clock,
      uptime: () => milliseconds(clock.now()),
      random: () => 0,
      report: () => undefined,
      agreement: 'two',
      requestLook: () => undefined,
      published: () => [],
      outboundRoute: undefined,
      hasRoute: async () => Promise.resolve(true),
      isAtRouter: async () => Promise.resolve(false),
      signal: never,
    })
    const looked = made.look('v6', never)
    await clock.pass(seconds(6))

    expect(await looked).toEqual({ kind: 'none' })
    expect(asked).toEqual(['own'])
  })
})

describe('a VPN', () => {
  it('is reported once, and the address of the router stays published', async () => {
    let exit = OLD
    const { look, made, findings } = scene(
      { router: router(always(OLD)), x: { answers: () => exit }, y: { answers: () => exit } },
      { outboundRoute: async () => ({}) },
    )
    await look()
    exit = seen('77.77.10.2')
    for (let n = 0; n < 3; n++) {
      made.hint('doubt')
      expect((await look()).said).toBe('8.8.8.8')
    }

    expect(findings).toEqual([{ kind: 'elsewhere', published: '8.8.8.8', outside: '77.77.10.2' }])
  })

  it('that comes up in steps is not published: the route changes after it was read', async () => {
    let route = {}
    const exit = seen('77.77.10.2')
    const through = () => ('elsewhere' in route ? exit : OLD)
    const { look, made } = scene(
      { x: { answers: through }, y: { answers: through } },
      { outboundRoute: async () => route, published: () => [address('8.8.8.8')] },
    )
    expect((await look()).said).toBe('8.8.8.8')
    made.hint('doubt')
    // The new address of the tunnel is the hint; the round has read the route, and asks now.
    const looked = look()
    route = { elsewhere: 'wg0', isVpn: true }

    expect((await looked).said).not.toBe('77.77.10.2')
    expect(made.current('v4')).toBe('8.8.8.8')
  })

  it('does not prevent a change that a proven router reports', async () => {
    let [truth, elsewhere] = [OLD, {}]
    const exit = seen('77.77.10.2')
    const { look, made } = scene(
      { router: router(() => truth), x: { answers: () => ('elsewhere' in elsewhere ? exit : truth) } },
      { outboundRoute: async () => elsewhere },
    )
    await look()
    elsewhere = { elsewhere: 'tun0' }
    truth = NEW
    made.hint('plain')

    expect((await look()).said).toBe('9.9.9.9')
  })
})

describe('an outlier', () => {
  it('is reported, and quarantined for an hour after the second disagreement', async () => {
    const { look, findings, asked, clock } = scene({
      outlier: { answers: always(seen('8.8.4.4')) },
      x: { answers: always(NEW) },
      y: { answers: always(NEW) },
      z: { answers: always(NEW) },
    })
    for (let n = 0; n < 12; n++) await look()
    const disagreements = findings.filter(({ kind }) => kind === 'outlier')
    expect(disagreements[0]).toEqual({
      kind: 'outlier',
      source: 'outlier',
      reported: '8.8.4.4',
      agreed: '9.9.9.9',
    })
    expect(findings.filter(({ kind }) => kind === 'quarantined')).toMatchObject([
      { source: 'outlier', duration: hours(1) },
    ])
    const before = asked.filter((name) => name === 'outlier').length
    await clock.pass(minutes(50))
    for (let n = 0; n < 4; n++) await look()
    expect(asked.filter((name) => name === 'outlier')).toHaveLength(before)
    await clock.pass(minutes(20))
    for (let n = 0; n < 4; n++) await look()
    expect(asked.filter((name) => name === 'outlier').length).toBeGreaterThan(before)
  })

  it('that refuses requests is quarantined immediately', async () => {
    const refusal: Sighting = { kind: 'unknown', because: 'answered HTTP 429', isRefusal: true }
    const { look, asked, findings } = scene({
      strict: { answers: always(refusal) },
      x: { answers: always(NEW) },
      y: { answers: always(NEW) },
    })
    for (let n = 0; n < 5; n++) await look()

    expect(asked.filter((name) => name === 'strict')).toHaveLength(1)
    expect(findings).toMatchObject([{ kind: 'quarantined', source: 'strict', because: 'answered HTTP 429' }])
  })

  it('is never published while it is in the minority', async () => {
    const wrong = [seen('8.8.4.4'), seen('1.0.0.1'), NOTHING, OLD]
    for (let n = 3; n <= 6; n++)
      for (let k = 0; 2 * k < n; k++) {
        const script = Object.fromEntries(
          Array.from({ length: n }, (_, at) => [
            `s${at}`,
            { answers: always(at < k ? (wrong[at] ?? OLD) : NEW), takes: 10 * (at + 1) },
          ]),
        )
        const { look } = scene(script)
        const said = [await look(), await look(), await look()].map((one) => one.said)
        expect(new Set(said), `${k} of ${n}`).toEqual(new Set(['9.9.9.9']))
      }
  })
})

describe('a finding', () => {
  it('about a router without a public address is reported in the first round, and once', async () => {
    const shared: Sighting = { kind: 'none', instead: '100.64.9.9' as Address }
    const { look, findings } = scene({
      router: router(always(shared)),
      x: { answers: always(NEW) },
      y: { answers: always(NEW) },
    })

    expect((await look()).said).toBe('9.9.9.9')
    const found = {
      kind: 'behindAnother',
      nat: { kind: 'CGNAT', address: '100.64.9.9' },
      outside: '9.9.9.9',
    }
    expect(findings).toEqual([found])
    await look()
    expect(findings).toEqual([found])
  })

  it('about a router without any address is reported once, when a second round shows it too', async () => {
    let routers: Sighting = { kind: 'none' }
    const { look, findings, released } = scene({
      router: router(() => routers),
      x: { answers: always(NEW) },
      y: { answers: always(NEW) },
    })
    await look()
    expect(released()).toBe(1)
    routers = NEW
    await look()
    expect(findings).toEqual([])
    routers = { kind: 'none' }
    for (let n = 0; n < 6; n++) await look()
    expect(findings).toEqual([
      { kind: 'behindAnother', nat: { kind: 'CGNAT or double NAT' }, outside: '9.9.9.9' },
    ])
  })

  it('about an address that returns too soon is reported, and the address is published when it stays', async () => {
    let truth = OLD
    const { look, findings, clock, released, made } = scene({
      x: { answers: () => truth },
      y: { answers: () => truth },
    })
    await look()
    truth = NEW
    await look()
    truth = OLD
    expect((await look()).said).toBe('unknown')
    expect(made.current('v4')).toBe('9.9.9.9')
    expect(findings).toMatchObject([{ kind: 'flipping', address: '8.8.8.8', heldFor: minutes(1) }])
    await clock.pass(minutes(1))
    expect(released()).toBe(1)
    expect((await look()).said).toBe('8.8.8.8')
  })
})

it('a hint does not restart a round that confirms a new address of the router', async () => {
  const { made, clock, asked } = scene({
    router: router(always(NEW)),
    x: { answers: always(NEW), takes: 60 },
    y: { answers: always(NEW) },
  })
  let took = 0
  void made.look('v4', never).then(() => (took = clock.now()))
  await clock.pass(milliseconds(40))
  made.hint('plain')
  await clock.pass(seconds(1))

  expect(took).toBe(61)
  expect(asked).toEqual(['router', 'x'])
})

it('an interface without an address does not start outside requests before the router has answered', async () => {
  const { made, look, asked } = scene({
    own: own(always({ kind: 'none' }), 0),
    router: router(always(OLD), 5),
    x: { answers: always(OLD) },
    y: { answers: always(OLD) },
  })
  await look()
  asked.length = 0
  made.hint('plain')
  await look()

  expect(asked.toSorted()).toEqual(['own', 'router'])
})

it('has the name of its sources', () =>
  expect(scene({ router: router(always(OLD)), x: { answers: always(OLD) } }).made.name).toBe('router, x'))

it.each([
  ['is known', () => seen('2606:4700::1'), 0],
  ['is not known any more', () => NOTHING, 2],
])('an absent family rests while the other one %s', async (_, later, asks) => {
  let other = seen('2606:4700::1')
  const { clock, made, look, asked } = scene({
    x: { answers: always(NOTHING) },
    y: { answers: always(NOTHING) },
    six: { answers: () => other, families: ['v6'] },
    also: { answers: () => other, families: ['v6'] },
  })
  const lookAtOther = async (): Promise<void> => {
    void made.look('v6', never)
    await clock.pass(seconds(6))
  }
  await lookAtOther()
  await look()
  await clock.pass(minutes(11))
  await look()
  other = later()
  await lookAtOther()
  asked.length = 0
  await look()
  expect(asked.filter((name) => name === 'x' || name === 'y')).toHaveLength(asks)
})
