import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Flusher, type FlusherParts, startFlusher } from '../../../src/service/publish/flusher.ts'
import { SETTINGS } from './flushed.ts'
import { storeWith, type World } from './zones.ts'

const ZONE = 'example.test'
const A = ['300 A 192.0.2.1']
const BAD = ['300 MX 70000 m.test.']

let flusher: Flusher | undefined
beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    }),
)
afterEach(async () => {
  await flusher?.stop()
  vi.useRealTimers()
})

function started({ store }: Pick<World, 'store'>, over: Partial<FlusherParts> = {}) {
  const seen = { zones: [] as string[], faults: [] as string[], errors: [] as string[] }
  flusher = startFlusher({
    store,
    settings: () => SETTINGS,
    onFlushed: (zones) => seen.zones.push(...zones.map(({ apex }) => apex)),
    onNameFault: ({ fqdn }) => seen.faults.push(fqdn),
    onError: (error) => seen.errors.push((error as Error).message),
    ...over,
  })
  return { ...seen, flusher }
}
/** Lets so many milliseconds pass, and the store work. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 5) {
    await vi.advanceTimersByTimeAsync(Math.min(5, left))
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  }
}

describe('the flusher', () => {
  it('publishes what is dirty at its start, and what changes when it is told or finds it', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    const { zones, flusher: running } = started(world)
    await pass(50)
    expect(zones).toEqual(['', ZONE])
    // The pause after a flush is longer than the flush.
    await pass(1010)
    await world.put(ZONE, 'home', ['300 A 192.0.2.2'])
    running.wake()
    await pass(50)
    expect(zones).toEqual(['', ZONE, ZONE])
    await world.put(ZONE, 'home', ['300 A 192.0.2.3'])
    await pass(500)
    expect(zones).toEqual(['', ZONE, ZONE, ZONE])
    expect(await world.published(ZONE)).toContain('home 300 A 192.0.2.3')
  })

  it('tries a name that cannot be rendered again after 60 s, and publishes others meanwhile', async () => {
    const world = await storeWith({ [ZONE]: { bad: BAD, home: A } })
    const { faults, zones } = started(world)
    await pass(100)
    expect([faults, zones]).toEqual([['bad.example.test'], ['', ZONE]])
    await world.put(ZONE, 'home', ['300 A 192.0.2.2'])
    await pass(59_000)
    expect([faults, zones]).toEqual([['bad.example.test'], ['', ZONE, ZONE]])
    await pass(1200)
    expect(faults).toEqual(Array(2).fill('bad.example.test'))
    await pass(60_200)
    expect(faults).toEqual(Array(3).fill('bad.example.test'))
  })

  it('tries the stuck names of an earlier run at its start', async () => {
    const world = await storeWith({ [ZONE]: { bad: BAD } })
    const first = started(world)
    await pass(100)
    await first.flusher.stop()
    const { faults } = started(world)
    await pass(100)
    expect(faults).toEqual(['bad.example.test'])
  })

  it('reports a failure, goes on after a second, and loses nothing', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    let failures = 2
    const { store } = world
    const { zones, errors } = started({
      store: {
        ...store,
        read: async (work) => store.read(work),
        write: async (work) => {
          if (failures-- > 0) throw new Error('disk full')
          return store.write(work)
        },
      },
    })
    await pass(100)
    expect([zones, errors]).toEqual([[], ['disk full']])
    await pass(1000)
    expect([zones, errors]).toEqual([['', ZONE], ['disk full']])
  })

  it('says that the store was lost in the middle, and not that its names are wrong', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    let isLost = true
    const { store } = world
    const lost = async (): Promise<never> => Promise.reject(new Error('connection lost'))
    const { zones, faults, errors } = started({
      store: {
        ...store,
        read: async (work) => store.read(work),
        write: async (work) =>
          store.write(async (w) => work(isLost ? { ...w, storedState: lost, setPublished: lost } : w)),
      },
    })
    await pass(100)
    expect([zones, faults, errors]).toEqual([[], [], ['connection lost']])
    isLost = false
    await pass(1100)
    expect([zones, faults]).toEqual([['', ZONE], []])
  })

  it('starts nothing after its end', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    const { zones, flusher: running } = started(world)
    await pass(50)
    await running.stop()
    await world.put(ZONE, 'home', ['300 A 192.0.2.2'])
    running.wake()
    await pass(70_000)
    expect([zones, vi.getTimerCount()]).toEqual([['', ZONE], 0])
  })

  it('goes on while names of more zones wait than one flush takes', async () => {
    const world = await storeWith({})
    for (let n = 0; n < 1400; n++) await world.addZone(`z${n}.test`)
    const { zones } = started(world)
    await pass(1500)
    expect(await world.store.read(async (r) => r.hasDirtyNames())).toBe(false)
    expect(new Set(zones).size).toBe(1401)
  })

  it('takes fewer names where a flush is slow, and more again', async () => {
    const names = Array.from({ length: 2500 }, (_, n) => [`n${n}`, A])
    const { store } = await storeWith({ [ZONE]: Object.fromEntries(names) })
    const limits: number[] = []
    const times = [100, 100, 20, 10]
    started({
      store: {
        ...store,
        read: async (work) => store.read(work),
        write: async (work) =>
          store.write(async (w) =>
            work({
              ...w,
              dirtyNames: async (limit) => {
                limits.push(limit)
                vi.advanceTimersByTime(times.shift() ?? 20)
                return w.dirtyNames(limit)
              },
            }),
          ),
      },
    })
    await pass(1000)
    // As many as take 20 ms, within bounds.
    const [first, second, third, ...more] = limits
    expect([first, second, third]).toEqual([1000, 400, 400])
    expect(Math.max(...more)).toBeGreaterThan(400)
  })
})
