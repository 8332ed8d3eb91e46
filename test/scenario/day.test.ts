import { describe, expect, it } from 'vitest'
import { after, hours, type Instant, minutes } from '../../src/shared/base/time.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import type { State } from '../../src/client/decide/state.ts'
import { formatState } from '../../src/client/agent/memory/codec.ts'
import { eventually } from '../eventually.ts'
import { sized } from '../large.ts'
import { disk, type ScriptedOutcome, START, world } from '../fakes/world.ts'

/** The outcome of every request, and the maximum number of requests in 24 hours for three hostnames. */
// biome-ignore format: a table
const DAYS: readonly (readonly [name: string, outcome: ScriptedOutcome, max: number])[] = [
  ['good',            'good\ngood\ngood',                                  1],
  ['nochg',           'nochg\nnochg\nnochg',                               1],
  ['nohost',          'nohost\nnohost\nnohost',                            1],
  ['badauth',         { status: 401, body: 'badauth' },                    1],
  ['badagent',        'badagent',                                          1],
  ['!donator',        '!donator',                                          1],
  ['abuse',           'abuse',                                             1],
  ['911',             { status: 500, body: '911' },                       12],
  ['HTTP 500',        { status: 500, body: 'Internal Server Error' },     12],
  ['HTTP 429',        { status: 429, body: 'Too Many Requests' },         12],
  ['captive portal',  '<html><body>Welcome! Please sign in</body></html>', 12],
]

/** 24 hours of the real loop on a clock that jumps; every request has the same outcome. */
async function day(outcome: ScriptedOutcome, random: number) {
  const file = disk()
  let writes = 0
  const scene = world(file, Array<ScriptedOutcome>(400).fill(outcome), undefined, [
    { hostnames: ['a.test', 'b.test', 'c.test'] },
  ])
  scene.stopAfter(hours(24))
  const memory = {
    ...scene.memory,
    save: async (state: Parameters<typeof scene.memory.save>[0]) => {
      const before = file.text
      await scene.memory.save(state)
      if (file.text !== before) writes++
      return undefined
    },
  }
  const at: Instant[] = []
  const http: typeof scene.http = async (request, signal) => {
    at.push(scene.clock.now())
    return scene.http(request, signal)
  }
  await run({ ...scene, memory, http, random: () => random }, [{ kind: 'started' }], forever)
  const gaps = at.slice(1).map((moment, n) => moment - (at[n] ?? moment))
  const settled = scene.events.filter(({ kind }) => kind === 'settled').length
  return { requests: at.length, closest: Math.min(...gaps), settled, writes }
}

describe('a day with a service that always answers the same', () => {
  it.each(DAYS)(
    '%s: the daemon sends no more requests than the protocol allows',
    async (name, outcome, max) => {
      for (const random of [0, 0.5, 0.999]) {
        const { requests, closest, settled, writes } = await day(outcome, random)

        expect(requests).toBeLessThanOrEqual(max)
        expect(closest).toBeGreaterThanOrEqual(minutes(30))
        if (!['good', 'nochg'].includes(name)) expect(settled).toBe(0)
        // Flash wears: one write before a request and one after it, and none for a look.
        expect(writes).toBeLessThanOrEqual(2 * requests)
      }
    },
  )

  it.each(DAYS)('%s: a one-shot every five minutes sends no more either', async (_name, outcome, max) => {
    const file = disk()
    let requests = 0
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      const scene = world(
        file,
        [outcome, outcome],
        undefined,
        [{ hostnames: ['a.test', 'b.test', 'c.test'] }],
        after(START, minutes(minute)),
      )
      await run(scene, [{ kind: 'started' }, { kind: 'networkChanged' }], once)
      requests += scene.log.filter((entry) => entry.includes(' send ')).length
    }

    expect(requests).toBeLessThanOrEqual(max)
  })

  it.each(DAYS)(
    '%s: a daemon that restarts every minute sends no more either',
    async (_name, outcome, max) => {
      const file = disk()
      let requests = 0
      for (let minute = 0; minute < 24 * 60; minute++) {
        const scene = world(
          file,
          [outcome, outcome],
          undefined,
          [{ hostnames: ['a.test', 'b.test', 'c.test'] }],
          after(START, minutes(minute)),
        )
        scene.stopAfter(minutes(minute + 1))
        await run(scene, [{ kind: 'started' }], forever)
        requests += scene.log.filter((entry) => entry.includes(' send ')).length
      }

      expect(requests).toBeLessThanOrEqual(max)
    },
  )
})

it('an idle day writes nothing', async () => {
  const file = disk()
  const first = world(file, ['good'])
  first.stopAfter(minutes(1))
  await run(first, [{ kind: 'started' }], forever)
  let writes = 0
  const scene = world(file, [])
  scene.stopAfter(hours(24))
  const before = file.text
  await run(
    {
      ...scene,
      memory: {
        ...scene.memory,
        save: async (state) => {
          await scene.memory.save(state)
          if (file.text !== before) writes++
          return undefined
        },
      },
    },
    [{ kind: 'started' }],
    forever,
  )

  expect(writes).toBe(0)
})

it('thousands of rounds leak neither memory nor handles', async () => {
  const rounds = async (count: number): Promise<void> => {
    let minute = 0
    const scene = world(disk(), Array<ScriptedOutcome>(count).fill('good'), () => [
      `192.0.2.${(minute++ % 250) + 1}`,
    ])
    scene.stopAfter(minutes(5 * count - 1))
    // That a saved state loads again is compared elsewhere, and takes half of the time.
    const memory = {
      ...scene.memory,
      save: async (state: State): Promise<undefined> => void formatState(state),
    }
    await run({ ...scene, memory, emit: () => undefined }, [{ kind: 'started' }], forever)
  }
  const used = async (): Promise<number> => {
    for (let n = 0; n < 5; n++) {
      await new Promise(setImmediate) // weak references are cleared between turns
      globalThis.gc?.()
    }
    return process.memoryUsage().heapUsed
  }
  await rounds(1000)
  const [before, handles] = [await used(), process.getActiveResourcesInfo().length]
  await rounds(sized(3000, 10_000))

  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(handles)
  expect(globalThis.gc, 'run with --expose-gc').toBeDefined()
  // On a loaded machine the engine frees its own memory a little later.
  await eventually(async () => (await used()) - before).toBeLessThan(2_000_000)
}, 60_000)

it('a one-shot saves its state once before the request, because each save of a new state is a write', async () => {
  const scene = world(disk(), ['good'])
  const done: string[] = []
  const memory: typeof scene.memory = {
    ...scene.memory,
    save: async (state) => {
      done.push('save')
      return scene.memory.save(state)
    },
  }
  const http: typeof scene.http = async (request, signal) => {
    done.push('request')
    return scene.http(request, signal)
  }

  await run({ ...scene, memory, http }, [{ kind: 'started' }, { kind: 'networkChanged' }], once)

  expect(done.slice(0, 3)).toEqual(['save', 'request', 'save'])
})
