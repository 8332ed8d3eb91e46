import { describe, expect, it } from 'vitest'
import { milliseconds, seconds } from '../../../src/base/time.ts'
import type { Sighting } from '../../../src/net/sighting.ts'
import { address } from '../../fakes/address.ts'
import { always, NEW, NOTHING, OLD, own, router, type Script, scene, seen } from '../../fakes/detection.ts'

const ONE = { agreement: 'one' } as const
const NONE: Sighting = { kind: 'none' }
const [LINE1, LINE2] = [seen('11.22.33.10'), seen('11.22.44.20')]

/** Two lines whose answers take a time that the test sets. */
function twoLines(kind: (answers: () => Sighting, takes?: number) => Script = own) {
  const state = { first: LINE1, second: LINE2, takes: [1, 1] as [number, number] }
  const made = scene(
    {
      one: {
        ...kind(() => state.first),
        get takes() {
          return state.takes[0]
        },
      },
      two: {
        ...kind(() => state.second),
        get takes() {
          return state.takes[1]
        },
      },
    },
    ONE,
  )
  return { state, ...made }
}

describe('with agreement = "one", the address', () => {
  it.each([
    [1, 1],
    [50, 1],
    [900, 1],
    [1, 900],
  ])('is that of the first of the list, after answers in %i and %i ms', async (first, second) => {
    const sources = { one: own(always(LINE1), first), two: own(always(LINE2), second) }
    expect((await scene(sources, ONE).look()).said).toBe('11.22.33.10')
  })

  it('is that of the next one, where the first has none or does not answer', async () => {
    for (const first of [NONE, NOTHING])
      expect((await scene({ one: own(always(first)), two: own(always(LINE2)) }, ONE).look()).said).toBe(
        '11.22.44.20',
      )
    expect((await scene({ one: own(always(LINE1), 99_000), two: own(always(LINE2)) }, ONE).look()).said).toBe(
      '11.22.44.20',
    )
  })

  it('stays while a later source says it', async () => {
    const { state, look } = twoLines()
    state.first = NONE
    expect((await look()).said).toBe('11.22.44.20')
    state.first = LINE1
    for (let n = 0; n < 20; n++) expect((await look()).said).toBe('11.22.44.20')
    state.second = NONE
    expect((await look()).said).toBe('11.22.33.10')
  })

  it('is known at once where a source says what is published', async () => {
    const { state, look } = twoLines()
    await look()
    state.takes = [1, 4000]
    expect(await look()).toEqual({ said: '11.22.33.10', took: 1 })
  })

  it('is none where no source has one, and unknown where one is silent', async () => {
    expect((await scene({ one: own(always(NONE)), two: own(always(NONE)) }, ONE).look()).said).toBe('none')
    expect((await scene({ one: own(always(NONE)), two: own(always(NOTHING)) }, ONE).look()).said).toBe(
      'unknown',
    )
  })

  it('is that of the first service outside, and of a router before it in the list', async () => {
    const outside = { x: { answers: always(NEW), takes: 900 }, y: { answers: always(OLD), takes: 10 } }
    expect((await scene(outside, ONE).look()).said).toBe('9.9.9.9')
    expect((await scene({ r: router(always(OLD), 300), ...outside }, ONE).look()).said).toBe('8.8.8.8')
  })

  it('does not change in a thousand looks, whatever the pace of the answers, beside an address that comes and goes', async () => {
    /** A small generator, so that a failure can be repeated. */
    let seed = 7
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const { state, look, made, clock } = twoLines()
    const said = new Set<string>()
    for (let n = 0; n < 1000; n++) {
      state.takes = [1 + random(200), 1 + random(200)]
      const others = random(2) === 0 ? {} : { others: [address('11.22.44.77')] }
      state.second = { ...LINE2, ...others }
      if (random(3) === 0) made.hint('plain')
      said.add((await look(seconds(1))).said)
      await clock.pass(milliseconds(1001))
    }
    expect([...said]).toEqual(['11.22.33.10'])
  })
})
