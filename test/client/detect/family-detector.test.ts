import { describe, expect, it } from 'vitest'
import { type Duration, milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { always, never, NEW, NOTHING, OLD, own, router, scene, seen } from '../../fakes/detection.ts'

const ms = milliseconds

describe('a round', () => {
  it('asks only the sources of its family', async () => {
    const { look, asked } = scene({
      six: { answers: always(seen('2600::1')), families: ['v6'], takes: 0 },
      x: { answers: always(NEW) },
      y: { answers: always(NEW) },
    })

    expect(await look()).toEqual({ said: '9.9.9.9', took: 50 })
    expect(asked).toEqual(['x', 'y'])
  })

  it('accepts one answer where the settings ask for one', async () => {
    const sources = { x: { answers: always(NEW) }, y: { answers: always(NOTHING) } }

    expect(await scene(sources, { agreement: 'one' }).look()).toEqual({ said: '9.9.9.9', took: 50 })
    expect((await scene(sources).look()).said).toBe('unknown')
  })

  it('gives its result to looks of the next second, and not to a later one', async () => {
    const { look, asked, clock } = scene({ x: { answers: always(NEW) }, y: { answers: always(NEW) } })
    await look(ms(50))
    await clock.pass(ms(999))
    await look(ms(0))
    expect(asked).toHaveLength(2)
    await clock.pass(ms(1))
    await look()
    expect(asked).toHaveLength(4)
  })

  it('is open only after it ended without an agreement', async () => {
    let truth = NOTHING
    const { look, made } = scene({ x: { answers: () => truth }, y: { answers: () => truth } })
    expect(made.isOpen('v4')).toBe(false)
    await look()
    expect(made.isOpen('v4')).toBe(true)
    truth = NEW
    await look()
    expect(made.isOpen('v4')).toBe(false)
  })

  it('without a hint needs one source for the address of the round before', async () => {
    let truth = OLD
    const { look } = scene({ x: { answers: always(OLD) }, y: { answers: () => truth } })
    await look()
    truth = NOTHING

    expect((await look()).said).toBe('8.8.8.8')
  })

  it('after one without an agreement needs as many sources as after a hint', async () => {
    let truths = [OLD, OLD] as const
    const { look, made } = scene({ x: { answers: () => truths[0] }, y: { answers: () => truths[1] } })
    await look()
    made.hint('plain')
    truths = [NOTHING, NOTHING] as never
    expect((await look()).said).toBe('unknown')
    truths = [OLD, NOTHING] as never
    expect((await look()).said).toBe('unknown')
  })

  it('without an agreement leaves a doubt as it is, so that the router alone confirms nothing', async () => {
    let truth = OLD
    const { look, made } = scene({ router: router(always(OLD)), x: { answers: () => truth } })
    await look()
    made.hint('doubt')
    expect((await look()).said).toBe('8.8.8.8')
    truth = NOTHING
    made.hint('doubt')
    expect([await look(), await look()].map(({ said }) => said)).toEqual(['unknown', 'unknown'])
  })

  it('without an agreement at the start is no doubt', async () => {
    let truth = NOTHING
    const { look, made } = scene({ router: router(() => truth), x: { answers: () => truth } })
    await look()
    truth = OLD
    await look()
    made.hint('plain')

    expect(await look()).toEqual({ said: '8.8.8.8', took: 1 })
  })
})

describe('a hint', () => {
  type Sources = Parameters<typeof scene>[0]
  /** The number of rounds that asked y when a hint came at this time after the start of the first. */
  const roundsWithHintAt = async (at: Duration, script: Sources): Promise<number> => {
    const { made, clock, asked } = scene(script)
    void made.look('v4', never)
    await clock.pass(at)
    made.hint('plain')
    await clock.pass(seconds(6))
    return asked.filter((name) => name === 'y').length
  }

  it.each([
    [29, 1],
    [30, 2],
  ])('%i ms after the start of a round: %i rounds', async (at, rounds) =>
    expect(await roundsWithHintAt(ms(at), { x: { answers: always(NEW) }, y: { answers: always(NEW) } })).toBe(
      rounds,
    ),
  )

  it.each([
    ['the router does not answer', { router: router(always(NOTHING)) }],
    ['only an interface has reported a new address', { own: own(always(NEW)) }],
    ['only an outside source has reported a new address', { first: { answers: always(NEW), takes: 5 } }],
  ])('restarts a round in which %s', async (_, first) => {
    const slow = { answers: always(NEW), takes: 100 }
    expect(await roundsWithHintAt(ms(40), { ...first, y: slow })).toBe(2)
  })

  it('restarts a round that checks the unchanged address of the router', async () => {
    const { look, made, clock, asked } = scene({
      router: router(always(OLD)),
      x: { answers: always(OLD), takes: 100 },
    })
    await look()
    asked.length = 0
    made.hint('doubt')
    void made.look('v4', never)
    await clock.pass(ms(40))
    made.hint('plain')
    await clock.pass(seconds(1))

    expect(asked).toEqual(['router', 'x', 'router', 'x'])
  })

  it('restarts a round whose questions left by another line, also where the router has a new address', async () => {
    let elsewhere: { readonly elsewhere?: string } = { elsewhere: 'eth0' }
    const { made, clock, asked } = scene(
      { router: router(always(NEW)), x: { answers: always(NEW), takes: 1000 } },
      { outboundRoute: async () => Promise.resolve(elsewhere) },
    )
    void made.look('v4', never)
    await clock.pass(ms(40))
    made.hint('plain')
    await clock.pass(ms(10))
    expect(asked).toEqual(['router', 'x'])
    elsewhere = {}
    made.hint('plain')
    await clock.pass(ms(10))

    expect(asked).toEqual(['router', 'x', 'router', 'x'])
  })

  it.each([
    ['three times', { x: { answers: always(NEW) }, y: { answers: always(NEW) } }, 4],
    ['six times with interfaces', { own: own(always(NEW), 200), x: { answers: always(NEW), takes: 200 } }, 7],
  ])('of a burst restarts a look at most %s', async (_, script, rounds) => {
    const { made, clock, asked } = scene(script)
    void made.look('v4', never)
    for (let n = 0; n < 20; n++) {
      await clock.pass(ms(30))
      made.hint('plain')
    }

    expect(asked.filter((name) => name === asked[0])).toHaveLength(rounds)
  })
})

describe('the limit of rounds that ask outside sources', () => {
  it('does not delay rounds of the schedule', async () => {
    const { look, asked } = scene({ x: { answers: always(OLD) }, y: { answers: always(OLD) } })
    for (let n = 0; n < 60; n++) await look(seconds(1.1))

    expect(asked).toHaveLength(2 * 60)
  })

  it('counts no round that the router alone decides', async () => {
    let routers = OLD
    const { look, made } = scene({
      router: router(() => routers),
      x: { answers: always(OLD) },
      y: { answers: always(OLD) },
    })
    await look()
    for (let n = 0; n < 60; n++) {
      made.hint('plain')
      await look(ms(100))
    }
    routers = NOTHING
    made.hint('plain')

    expect((await look()).said).toBe('8.8.8.8')
  })
})

describe('a source with a cooldown', () => {
  it('is not asked again within it', async () => {
    const cooldown = minutes(1)
    const { look, clock, made, asked } = scene({
      x: { answers: always(NEW), cooldown },
      y: { answers: always(NEW), cooldown },
    })
    await look()
    made.hint('plain')
    await look()
    expect(asked).toEqual(['x', 'y'])
    await clock.pass(minutes(1))

    expect((await look()).said).toBe('9.9.9.9')
    expect(asked).toHaveLength(4)
  })
})

describe('a round without an agreement', () => {
  it('in a later outage is repeated after the shortest pause again', async () => {
    let truth = NOTHING
    const { look, clock, released } = scene({ x: { answers: () => truth }, y: { answers: () => truth } })
    for (let n = 0; n < 5; n++) {
      await look(ms(100))
      await clock.pass(minutes(1))
    }
    truth = OLD
    await look()
    truth = NOTHING
    await look(ms(100))
    const before = released()
    await clock.pass(ms(1100))

    expect(released()).toBe(before + 1)
  })
})

describe('a tunnel that takes some questions', () => {
  it('is told after a second where the router does not answer', async () => {
    const stray: Sighting = { kind: 'unknown', because: 'was asked through wg0', through: 'wg0' }
    const mute = scene(
      { router: router(always(NOTHING), 4000), x: { answers: always(stray) } },
      { outboundRoute: async () => Promise.resolve({}) },
    )
    void mute.made.look('v4', never)
    await mute.clock.pass(ms(999))
    expect(mute.findings).toEqual([])
    await mute.clock.pass(ms(1))
    expect(mute.findings).toEqual([{ kind: 'elsewhere', through: 'wg0' }])
    await mute.clock.pass(seconds(6))
    expect(mute.findings).toHaveLength(1)
  })
})
