import { describe, expect, it } from 'vitest'
import { after, type Duration, instant, milliseconds, seconds } from '../../../src/shared/base/time.ts'
import { LOOK_REQUEST } from '../../../src/client/agent/agent.ts'
import { forever, run } from '../../../src/client/agent/run.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { address } from '../../fakes/address.ts'
import type { VirtualClock } from '../../fakes/clock.ts'
import { disk, START, world, type World } from '../../fakes/world.ts'
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

/** A small generator, so that a failure can be repeated. */
function randomOf(start: number): (below: number) => number {
  let seed = start
  return (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
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
    const random = randomOf(7)
    const { state, look, made, clock } = twoLines()
    const said = new Set<string>()
    for (let n = 0; n < 1000; n++) {
      state.takes = [1 + random(200), 1 + random(200)]
      const others = random(2) === 0 ? {} : { others: [address('11.22.44.77')] }
      state.second = { ...LINE2, ...others }
      if (random(3) === 0) made.hint(random(2) === 0 ? 'plain' : 'doubt')
      said.add((await look(seconds(1))).said)
      await clock.pass(milliseconds(1001))
    }
    expect([...said]).toEqual(['11.22.33.10'])
  })

  it('is sent once by each of ten daemons in an hour, while another address comes and goes', async () => {
    const lines = Array.from({ length: 10 }, (_, nth) => hourOf(randomOf(nth + 1)))
    expect(await Promise.all(lines)).toEqual(Array.from({ length: 10 }, () => ['myip=11.22.33.10']))
  })
})

/** What the real loop sends in an hour of virtual time. */
async function hourOf(random: (below: number) => number): Promise<readonly (string | undefined)[]> {
  const { state, made, clock } = twoLines()
  const one = world(disk(), Array<string>(99).fill('good'), undefined, [{ families: ['v4'] }])
  const end = new AbortController()
  const agent = {
    ...one,
    jobs: one.jobs.map((job) => ({ ...job, source: made })),
    clock: {
      now: () => after(START, milliseconds(clock.now())),
      sleep: sleepOn(clock),
      deadline: (span: Duration) => clock.deadline(span),
    },
    random: () => random(1000) / 1000,
    end: end.signal,
  }
  const running = run(agent, [{ kind: 'started' }], forever)
  for (let n = 0; n < 360; n++) {
    state.takes = [1 + random(200), 1 + random(200)]
    state.second = { ...LINE2, ...(random(2) === 0 ? {} : { others: [address('11.22.44.77')] }) }
    if (random(3) === 0) {
      made.hint(random(2) === 0 ? 'plain' : 'doubt')
      agent.inbox.put(LOOK_REQUEST)
    }
    await clock.pass(seconds(10))
  }
  end.abort()
  await clock.pass(seconds(1))
  await running
  return one.log.map((line) => /myip=[^& ]*/.exec(line)?.[0])
}

const sleepOn =
  (clock: VirtualClock): World['clock']['sleep'] =>
  async (until, ...ends) =>
    clock.sleep(instant(until - START), ...ends)
