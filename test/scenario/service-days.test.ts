import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Duration, days, hours, type Instant, minutes, seconds } from '../../src/shared/base/time.ts'
import { forever, run } from '../../src/client/agent/run.ts'
import type { HttpRequest } from '../../src/shared/ports/http.ts'
import { oneOfEach } from '../large.ts'
import { disk, world } from '../fakes/world.ts'
import { played } from '../client/services/protocols/play.ts'
import {
  KEPT,
  NEW,
  OLD,
  PASSWORD,
  PLAYED,
  type Played,
  recordAt,
} from '../client/services/protocols/services.ts'
import { SPOILS, type Spoil } from '../client/services/protocols/spoils.ts'

type Stage = Awaited<ReturnType<typeof played>>

/** What a day may have. */
interface Bar {
  readonly exchanges: number
  /** The least time between two of them. */
  readonly gap: Duration
}

const ONCE: Bar = { exchanges: 1, gap: days(1) }
/** After 30 minutes, 1, 2, and from then on 4 hours each. */
const WAITS: Bar = { exchanges: 8, gap: minutes(30) }
/** Of a gateway, which is back soon: after 1 and 5 minutes before those. */
const GATEWAY: Bar = { exchanges: 10, gap: minutes(1) }
/** Not reached, or the answer is lost: soon, and from then on every 5 to 10 minutes. */
const RETRIES: Bar = { exchanges: 149, gap: seconds(5) }

/** Of an exchange. */
const MAX_REQUESTS = 4

// biome-ignore format: a table
const SPOILED: readonly (readonly [what: keyof typeof SPOILS, bar: Bar])[] = [
  ['429 with Retry-After', WAITS],
  ['429 without it',       WAITS],
  ['500',                  WAITS],
  ['503 with a page',      GATEWAY],
  ['a page of a portal',   WAITS],
  ['a redirect elsewhere', WAITS],
  ['nothing',              WAITS],
  ['an unknown 4xx',       WAITS],
  ['a reset',              RETRIES],
  ['a silence',            RETRIES],
  ['a cut',                RETRIES],
]

const TRIED = oneOfEach(SPOILED, ([, bar]) => bar)

const LOST = SPOILED.flatMap(([what, bar]) => (bar === RETRIES ? [what] : []))

interface Day {
  /** By hours since the start. */
  readonly addressAt?: (hour: number) => string
  readonly password?: string
  /** What is otherwise at the service. */
  readonly prepare?: (stage: Stage) => void
  readonly spoil?: (stage: Stage) => Spoil
  /** In [0, 1). */
  readonly random?: number
}

const moving = (hour: number): string => `192.0.2.${10 + hour}`

/** 24 hours of the real loop on a clock that jumps, with the strict imitation of a service behind the HTTP port. */
async function day(
  of: Played,
  { addressAt = () => NEW, password = PASSWORD, prepare, spoil, random = 0.999 }: Day,
) {
  const stage = await played(of, { password })
  prepare?.(stage)
  const http = stage.httpWith(spoil?.(stage) ?? ((answered) => answered))
  const scene = world(disk(), [], (minute) => [addressAt(Math.floor(minute / 60))])
  scene.stopAfter(hours(24))
  const exchanges: { readonly at: Instant; readonly first: number }[] = []
  await run(
    {
      ...scene,
      jobs: scene.jobs.map(({ source }) => ({ ...stage.job, source, sources: {} })),
      // That a saved state loads again is compared elsewhere, and takes half of the time.
      memory: { ...scene.memory, save: async () => undefined },
      schedule: { nextAfter: (from) => (from + hours(1)) as Instant },
      http,
      random: () => random,
      emit: (event) => {
        scene.emit(event)
        if (event.kind === 'sending') exchanges.push({ at: scene.clock.now(), first: stage.sent.length })
      },
    },
    [{ kind: 'started' }],
    forever,
  )
  const requests = exchanges.map(({ first }, n) => (exchanges[n + 1]?.first ?? stage.sent.length) - first)
  const gaps = exchanges.slice(1).map(({ at }, n) => at - (exchanges[n]?.at ?? at))
  const told = JSON.stringify(scene.events)
  return { ...stage, told, requests, exchanges: exchanges.length, closest: Math.min(...gaps) }
}

function expectWithin({ exchanges, gap }: Bar, seen: Awaited<ReturnType<typeof day>>): void {
  expect(seen.exchanges, seen.why.join()).toBeLessThanOrEqual(exchanges)
  expect(seen.exchanges).toBeGreaterThan(0)
  expect(seen.closest).toBeGreaterThanOrEqual(gap)
  expect(Math.max(...seen.requests)).toBeLessThanOrEqual(MAX_REQUESTS)
  expect(seen.told).not.toContain(PASSWORD)
}

/** A refusal that may be a fault as well is waited for. */
const barOf = (word: string | undefined): Bar => (word === undefined || word === '911' ? WAITS : ONCE)

const recordsOf = ({ world: { records } }: Stage): string => JSON.stringify(records)

describe.each(PLAYED)('a day of $provider', (of) => {
  it('with one change is one exchange', async () => {
    const seen = await day(of, {})
    expectWithin(ONCE, seen)
    expect(seen.valueOf('A')).toEqual([NEW])
  })

  it('with the address that it has is one exchange', async () => {
    const seen = await day(of, { addressAt: () => OLD })
    expectWithin(ONCE, seen)
    expect(seen.valueOf('A')).toEqual([OLD])
  })

  it('with a wrong password', async () => {
    const seen = await day(of, { password: 'not-the-right-one', addressAt: moving })
    expectWithin(barOf(of.wrongPassword), seen)
    expect(seen.valueOf('A')).toEqual([OLD])
  })

  // Where one password is for one record, the service asks for no hostname.
  it.runIf(of.unknownHostname !== 'good')('with a hostname that does not exist', async () => {
    let before = ''
    const prepare = (stage: Stage): void => {
      for (const record of stage.world.records) record.name = `other.${of.zone}`
      stage.world.zones.splice(0, 1, 'other.test')
      before = recordsOf(stage)
    }
    const seen = await day(of, { prepare, addressAt: moving })
    expectWithin(barOf(of.unknownHostname), seen)
    expect(recordsOf(seen)).toBe(before)
  })

  it.each(TRIED.filter(([, bar]) => bar !== RETRIES))('in which each answer is %s', async (what, bar) => {
    expectWithin(bar, await day(of, { spoil: () => SPOILS[what], addressAt: moving }))
  })

  it('in which each answer is lost, in three ways in turn', async () => {
    const spoil: Spoil = (...answered) => SPOILS[LOST[answered[1] % LOST.length] ?? 'a cut'](...answered)
    expectWithin(RETRIES, await day(of, { spoil: () => spoil, addressAt: moving }))
  })
})

describe.each(KEPT)('a day of $provider', (of) => {
  const record = recordAt(of)

  it.each([
    ['several records', [record('A', OLD), record('A', '192.0.2.3')]],
    ['a conflicting record', [record('CNAME', 'elsewhere.test')]],
  ] as const)('with %s is one exchange, which changes nothing', async (_, records) => {
    const prepare = ({ world: { records: all } }: Stage): void => void all.splice(0, all.length, ...records)
    const seen = await day(of, { prepare, addressAt: moving })
    expectWithin(ONCE, seen)
    expect(seen.world.records).toEqual(records)
  })

  it.each(TRIED)('in which the answer of a write is %s is one write', async (what, { gap }) => {
    const written: (HttpRequest | undefined)[] = []
    const spoil = (stage: Stage): Spoil => {
      let before = recordsOf(stage)
      return (...answered) => {
        if (recordsOf(stage) === before) return answered[0]
        before = recordsOf(stage)
        written.push(stage.sent.at(-1))
        return SPOILS[what](...answered)
      }
    }
    const seen = await day(of, { spoil })
    expectWithin({ exchanges: 2, gap }, seen)
    expect(seen.sent.filter((one) => isDeepStrictEqual(one, written[0]))).toHaveLength(1)
    expect([written.length, seen.valueOf('A')]).toEqual([1, [NEW]])
  })
})

describe.each([PLAYED[0], PLAYED.find(({ provider }) => provider === 'duckdns')])(
  'random delays of $provider',
  (of) => {
    // biome-ignore format: a table
    it.each([
      [0,     9, 11, 292],
      [0.5,   8, 10, 196],
      [0.999, 8, 10, 149],
    ])('of %d give %d waits, %d for a gateway, and %d retries', async (random, ...counts) => {
      const whats = ['500', '503 with a page', 'a reset'] as const
      for (const [at, what] of whats.entries())
        expect((await day(of as Played, { spoil: () => SPOILS[what], random })).exchanges).toBe(counts[at])
    })
  },
)
