import { describe, expect, it } from 'vitest'
import { type Duration, hours, milliseconds, minutes, seconds } from '../../../src/base/time.ts'
import { detector } from '../../../src/client/detect/detector.ts'
import type { DetectorOptions } from '../../../src/client/detect/detector-options.ts'
import type { Finding } from '../../../src/client/detect/finding.ts'
import type { AddressSource, Vantage } from '../../../src/client/sources/source.ts'
import { type Address, parseAddress } from '../../../src/net/address.ts'
import type { Sighting } from '../../../src/net/sighting.ts'
import { virtualClock } from '../../fakes/clock.ts'

const never = new AbortController().signal
const seen = (text: string): Sighting => {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`${text} is no address`)
  return { kind: 'seen', address, by: 'x' }
}
const [OLD, NEW] = [seen('8.8.8.8'), seen('9.9.9.9')]
const NOTHING: Sighting = { kind: 'unknown', because: 'rain' }

interface Script {
  readonly says: () => Sighting
  readonly takes?: number
  readonly vantage?: Vantage
  readonly operator?: string
  readonly cooldown?: Duration
}

function scene(script: Readonly<Record<string, Script>>, over: Partial<DetectorOptions> = {}) {
  const clock = virtualClock()
  const asked: string[] = []
  const findings: Finding[] = []
  const sources = Object.entries(script).map(
    ([
      name,
      { says, takes = 50, vantage = 'outside', operator = name, cooldown = milliseconds(0) },
    ]): AddressSource => ({
      name,
      operator,
      vantage: vantage,
      families: ['v4'],
      cooldown: cooldown,
      look: async (_, signal) => {
        asked.push(name)
        const said = says()
        await clock.sleep((clock.now() + takes) as ReturnType<typeof clock.now>, signal)
        return signal.aborted ? NOTHING : said
      },
    }),
  )
  let released = 0
  const made = detector({
    sources: sources,
    clock,
    report: (finding) => findings.push(finding),
    agreement: 'two',
    requestLook: () => released++,
    random: () => 0,
    published: () => [],
    outboundRoute: undefined,
    signal: never,
    ...over,
  })
  const look = async (span = seconds(6)): Promise<{ readonly said: string; readonly took: number }> => {
    const start = clock.now()
    let answer: { said: string; took: number } | undefined
    void made.look('v4', never).then((sighting) => {
      const said = sighting.kind === 'seen' ? sighting.address : sighting.kind
      return (answer = { said, took: clock.now() - start })
    })
    await clock.pass(span)
    if (answer === undefined) throw new Error('it did not answer')
    return answer
  }
  return { clock, asked, findings, made, look, released: () => released }
}

const router = (says: () => Sighting, takes = 1): Script => ({
  says,
  takes,
  vantage: 'router',
  operator: 'your router',
})
const always = (sighting: Sighting) => (): Sighting => sighting

describe('a round', () => {
  it('beside the router asks one outside, and is as quick as that one', async () => {
    const { look, asked } = scene({
      router: router(always(NEW)),
      x: { says: always(NEW) },
      y: { says: always(NEW) },
    })

    expect(await look()).toEqual({ said: '9.9.9.9', took: 51 })
    expect(asked).toEqual(['router', 'x'])
  })

  it('asks nobody outside when the router says that nothing changed', async () => {
    const { look, asked, made } = scene({
      router: router(always(OLD)),
      x: { says: always(OLD) },
      y: { says: always(OLD) },
    })
    await look()
    asked.length = 0
    made.hint(false)

    expect(await look()).toEqual({ said: '8.8.8.8', took: 1 })
    expect(asked).toEqual(['router'])
  })

  it('asks outside in spite of the router where somebody doubts it', async () => {
    let truth = OLD
    const { look, made } = scene({
      router: router(always(OLD)),
      x: { says: () => truth },
      y: { says: () => truth },
    })
    await look()
    truth = NEW
    made.hint(false)
    expect((await look()).said).toBe('8.8.8.8')
    made.hint(true)
    expect((await look()).said).toBe('9.9.9.9')
  })

  it('without a router asks two at once, and a third when they do not agree', async () => {
    const { look, asked } = scene({
      x: { says: always(NEW) },
      y: { says: always(OLD) },
      z: { says: always(NEW) },
    })

    expect(await look()).toEqual({ said: '9.9.9.9', took: 300 })
    expect(asked).toEqual(['x', 'y', 'z'])
  })

  it('goes on to the next when one does not answer, and ends in time when nobody does', async () => {
    const slow = { says: always(NOTHING), takes: 60_000 }
    const { look } = scene({ x: slow, y: { says: always(NEW) }, z: { says: always(NEW) } })
    expect(await look()).toEqual({ said: '9.9.9.9', took: 300 })
    expect(await scene({ x: slow, y: slow, z: slow }).look()).toEqual({ said: 'unknown', took: 5000 })
  })

  it('is shared by all who look at the same time, and its answer for a second after', async () => {
    const { made, asked, clock, look } = scene({ x: { says: always(NEW) }, y: { says: always(NEW) } })
    const all = Promise.all(Array.from({ length: 100 }, async () => made.look('v4', never)))
    await clock.pass(milliseconds(900))
    await all
    await look(milliseconds(10))

    expect(asked).toEqual(['x', 'y'])
  })

  it('asks another one first each time, so that one that is stale does not hide a change', async () => {
    let truth = OLD
    const { look } = scene({
      stale: { says: always(OLD) },
      x: { says: () => truth },
      y: { says: () => truth },
    })
    await look()
    truth = NEW
    const said = [await look(), await look(), await look()].map((one) => one.said)

    expect(said).toContain('9.9.9.9')
    expect(said.at(-1)).toBe('9.9.9.9')
  })
})

describe('hints', () => {
  it('begin a round anew that was asked too early', async () => {
    let truth = OLD
    const { made, clock, asked } = scene({
      router: router(() => truth, 40),
      x: { says: () => truth },
      y: { says: () => truth },
    })
    let said = ''
    void made.look('v4', never).then((one) => (said = one.kind === 'seen' ? one.address : one.kind))
    await clock.pass(milliseconds(35))
    truth = NEW
    made.hint(false)
    await clock.pass(seconds(1))

    expect(said).toBe('9.9.9.9')
    expect(asked.filter((name) => name === 'router')).toHaveLength(2)
  })

  it('in a storm cause no more than a few rounds, and it ends', async () => {
    const { made, clock, asked } = scene({ x: { says: always(NEW) }, y: { says: always(NEW) } })
    let said = ''
    void made.look('v4', never).then((one) => (said = one.kind))
    for (let n = 0; n < 1000; n++) {
      made.hint(false)
      await clock.pass(milliseconds(1))
    }

    expect(said).toBe('seen')
    expect(asked.length).toBeLessThanOrEqual(8)
  })

  it('cannot make us ask outside more often than the budget allows', async () => {
    const { made, look, asked } = scene({
      router: router(always(NOTHING)),
      x: { says: always(OLD) },
      y: { says: always(OLD) },
    })
    for (let n = 0; n < 200; n++) {
      made.hint(false)
      await look(milliseconds(400))
    }

    // 80 seconds: thirty at once and sixteen more, two quorum each.
    expect(asked.filter((name) => name !== 'router').length).toBeLessThanOrEqual(2 * 47)
  })

  it('that are forged, however many, do not delay an address that the router states when asked', async () => {
    let truth = OLD
    const { made, look } = scene({ router: router(() => truth), x: { says: () => truth } })
    for (let n = 0; n < 400; n++) {
      made.hint(false)
      await look(milliseconds(100))
    }
    truth = NEW
    made.hint(false)

    expect(await look()).toEqual({ said: '9.9.9.9', took: 51 })
  })
})

describe('a round without a verdict', () => {
  it('is asked for again, less often the longer that lasts, until there is one', async () => {
    let isOut = true
    const { look, clock, released } = scene({
      x: { says: () => (isOut ? NOTHING : NEW) },
      y: { says: () => (isOut ? NOTHING : NEW) },
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

  it('begins with the shortest pause again after a hint', async () => {
    const { look, clock, made, released } = scene({
      x: { says: always(NOTHING) },
      y: { says: always(NOTHING) },
    })
    for (let n = 0; n < 5; n++) {
      await look(milliseconds(100))
      await clock.pass(minutes(1))
    }
    made.hint(false)
    await look(milliseconds(100))
    const before = released()
    await clock.pass(milliseconds(1100))

    expect(released()).toBe(before + 1)
  })

  it('is not asked for again once the detector has ended', async () => {
    const end = new AbortController()
    const { look, clock, released } = scene(
      { x: { says: always(NOTHING) }, y: { says: always(NOTHING) } },
      { signal: end.signal },
    )
    await look(milliseconds(100))
    end.abort()
    await clock.pass(minutes(5))

    expect(released()).toBe(0)
  })
})

describe('over IPv6', () => {
  it('nothing outside is asked while no interface of this host has an address', async () => {
    const asked: string[] = []
    const clock = virtualClock()
    const source = (name: string, vantage: Vantage, sighting: Sighting): AddressSource => ({
      name,
      operator: name,
      vantage: vantage,
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
      random: () => 0,
      report: () => undefined,
      agreement: 'two',
      requestLook: () => undefined,
      published: () => [],
      outboundRoute: undefined,
      signal: never,
    })
    const looked = made.look('v6', never)
    await clock.pass(seconds(6))

    expect(await looked).toEqual({ kind: 'none' })
    expect(asked).toEqual(['own'])
  })
})

describe('a VPN', () => {
  it('is told once, and keeps what the router states', async () => {
    let exit = OLD
    const { look, made, findings } = scene(
      { router: router(always(OLD)), x: { says: () => exit }, y: { says: () => exit } },
      { outboundRoute: async () => ({}) },
    )
    await look()
    exit = seen('77.77.10.2')
    for (let n = 0; n < 3; n++) {
      made.hint(true)
      expect((await look()).said).toBe('8.8.8.8')
    }

    expect(findings).toEqual([{ kind: 'elsewhere', published: '8.8.8.8', outside: '77.77.10.2' }])
  })

  it('lets a real change through that a proven router states, where the kernel says that the outside is seen through it', async () => {
    let [truth, elsewhere] = [OLD, {}]
    const exit = seen('77.77.10.2')
    const { look, made, findings } = scene(
      { router: router(() => truth), x: { says: () => ('elsewhere' in elsewhere ? exit : truth) } },
      { outboundRoute: async () => elsewhere },
    )
    await look()
    elsewhere = { elsewhere: 'tun0' }
    truth = NEW
    made.hint(false)

    expect((await look()).said).toBe('9.9.9.9')
    expect(findings).toMatchObject([{ kind: 'elsewhere', published: '9.9.9.9', through: 'tun0' }])
  })
})

describe('who lies', () => {
  it('is named, and after the second time left alone for an hour', async () => {
    const { look, findings, asked, clock } = scene({
      outlier: { says: always(seen('8.8.4.4')) },
      x: { says: always(NEW) },
      y: { says: always(NEW) },
      z: { says: always(NEW) },
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

  it('sends us away is left alone at once', async () => {
    const refusal: Sighting = { kind: 'unknown', because: 'answered HTTP 429', isRefusal: true }
    const { look, asked, findings } = scene({
      strict: { says: always(refusal) },
      x: { says: always(NEW) },
      y: { says: always(NEW) },
    })
    for (let n = 0; n < 5; n++) await look()

    expect(asked.filter((name) => name === 'strict')).toHaveLength(1)
    expect(findings).toMatchObject([{ kind: 'quarantined', source: 'strict', because: 'answered HTTP 429' }])
  })

  it('is never published, whatever k of n do', async () => {
    const lies = [seen('8.8.4.4'), seen('1.0.0.1'), NOTHING, OLD]
    for (let n = 3; n <= 6; n++)
      for (let k = 0; 2 * k < n; k++) {
        const script = Object.fromEntries(
          Array.from({ length: n }, (_, at) => [
            `s${at}`,
            { says: always(at < k ? (lies[at] ?? OLD) : NEW), takes: 10 * (at + 1) },
          ]),
        )
        const { look } = scene(script)
        const said = [await look(), await look(), await look()].map((one) => one.said)
        expect(new Set(said), `${k} of ${n}`).toEqual(new Set(['9.9.9.9']))
      }
  })
})

describe('what it says beside the address', () => {
  it('a router without a public address is told once, in words', async () => {
    const shared: Sighting = { kind: 'none', instead: '100.64.9.9' as Address }
    const { look, findings } = scene({
      router: router(always(shared)),
      x: { says: always(NEW) },
      y: { says: always(NEW) },
    })

    expect((await look()).said).toBe('9.9.9.9')
    await look()
    expect(findings).toMatchObject([{ kind: 'behindAnother', router: '100.64.9.9' }])
    expect(JSON.stringify(findings)).toContain('your provider shares')
  })

  it('a router that has none and does not say why is told once, and not for a moment of it', async () => {
    let routers: Sighting = { kind: 'none' }
    const { look, findings } = scene({
      router: router(() => routers),
      x: { says: always(NEW) },
      y: { says: always(NEW) },
    })
    await look()
    await look()
    routers = NEW
    await look()
    expect(findings).toEqual([])
    routers = { kind: 'none' }
    for (let n = 0; n < 6; n++) await look()
    expect(findings).toMatchObject([{ kind: 'behindAnother', router: 'none' }])
  })

  it('an address that comes back too soon is held back, told, and let go when it stays', async () => {
    let truth = OLD
    const { look, findings, clock, released, made } = scene({
      x: { says: () => truth },
      y: { says: () => truth },
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

it('a round that is on the trail of a new address is not begun anew by the hints that follow', async () => {
  const { made, clock, asked } = scene({
    router: router(always(NEW)),
    x: { says: always(NEW), takes: 60 },
    y: { says: always(NEW) },
  })
  let took = 0
  void made.look('v4', never).then(() => (took = clock.now()))
  await clock.pass(milliseconds(40))
  made.hint(false)
  await clock.pass(seconds(1))

  expect(took).toBe(61)
  expect(asked).toEqual(['router', 'x'])
})

it('an interface without an address does not make us ask outside before the router has answered', async () => {
  const own: Script = { says: always({ kind: 'none' }), takes: 0, vantage: 'own' }
  const { made, look, asked } = scene({
    own,
    router: router(always(OLD), 5),
    x: { says: always(OLD) },
    y: { says: always(OLD) },
  })
  await look()
  asked.length = 0
  made.hint(false)
  await look()

  expect(asked.toSorted()).toEqual(['own', 'router'])
})
