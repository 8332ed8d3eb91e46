import { expect, it } from 'vitest'
import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { RoundRobin, type RoundRobinSettings } from '../../../src/service/http/round-robin.ts'

/** Lines in a loop whose turns take a tenth of a millisecond, and whose works take what they say. */
function world(more: Partial<RoundRobinSettings> = {}) {
  let now = 0
  const told: string[] = []
  const order: string[] = []
  const inEachTurn: (() => void)[] = []
  const lines = new RoundRobin({
    clock: { now: (): Instant => instant(now) },
    nextTurn: async () => {
      // As a turn does, after all that promises still have to do.
      await new Promise<void>((done) => setImmediate(done))
      now += 0.1
      for (const what of inEachTurn) what()
    },
    maxRunning: () => 1,
    isHolding: true,
    maxWait: () => 10_000,
    onWait: () => undefined,
    onSlow: (key) => void told.push(key),
    ...more,
  })
  const ask = async (key: string, cost: number, name = key) =>
    lines.take(key, async () => {
      now += cost
      order.push(name)
      return name
    })
  return { lines, ask, told, order, inEachTurn, pass: (ms: number) => (now += ms), at: () => now }
}

it('a request of one account waits for one of another account, not for all of them', async () => {
  const { ask, order } = world()
  const heavy = Array.from({ length: 48 }, async () => ask('heavy', 11))
  await ask('light', 1)
  expect(order.filter((key) => key === 'heavy').length).toBeLessThanOrEqual(1)
  await Promise.all(heavy)
})

it('a request that waits for another thread holds up no other account, and its own line', async () => {
  const { lines, ask, order } = world()
  let end = (): void => undefined
  const long = lines.take('long', async () => {
    await new Promise<void>((done) => (end = done))
    order.push('long')
  })
  const own = ask('long', 1, 'own')
  await Promise.all([ask('a', 1), ask('b', 1), ask('a', 1)])
  expect(order.toSorted()).toEqual(['a', 'a', 'b'])
  end()
  await Promise.all([long, own])
  expect(order.slice(3)).toEqual(['long', 'own'])
})

it('two accounts that ask without end get the same time, whatever one request costs', async () => {
  const { ask, order } = world()
  await Promise.race([
    Promise.all(Array.from({ length: 200 }, async () => ask('long', 20))),
    Promise.all(Array.from({ length: 200 }, async () => ask('short', 1))),
  ])
  const long = order.filter((key) => key === 'long').length
  expect(long * 20).toBeGreaterThan(100)
  expect(long * 20).toBeLessThan(350)
})

it('an account that asks again with each answer has no new credit by that', async () => {
  const { ask, order } = world()
  const again = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await ask('again', 20)
  }
  const done = again(50)
  await Promise.all(Array.from({ length: 100 }, async () => ask('patient', 1)))
  expect(order.filter((key) => key === 'again').length).toBeLessThan(15)
  await done
})

it('while connections are accepted, requests wait for at most 50 ms', async () => {
  const { lines, ask, inEachTurn, at } = world()
  inEachTurn.push(() => lines.accepted())
  const began = at()
  await ask('one', 1)
  expect(at() - began).toBeGreaterThan(50)
  expect(at() - began).toBeLessThan(53)
  inEachTurn.length = 0
  const next = at()
  await ask('one', 1)
  expect(at() - next).toBeLessThan(53)
})

it('a request that waited too long gets a time to retry, and is not begun', async () => {
  const { ask, order, told } = world({ maxWait: () => 1000 })
  const all = await Promise.all(Array.from({ length: 60 }, async (_, nth) => ask('many', 50, String(nth))))
  const served = all.filter((one) => 'value' in one).length
  expect(served).toBe(order.length)
  expect(served).toBeGreaterThan(15)
  expect(served).toBeLessThan(25)
  for (const one of all.slice(served)) expect(one).toEqual({ retryAfter: expect.any(Number) })
  expect(all[served]).toEqual({ retryAfter: 2 })
  expect(told).toEqual(['many'])
})

it('a key that uses little is not told of, although it waits', async () => {
  const { ask, told } = world()
  await Promise.all([
    ...Array.from({ length: 20 }, async () => ask('much', 100)),
    ...Array.from({ length: 3 }, async () => ask('little', 5)),
  ])
  expect(told).toEqual(['much'])
})

it('a key is told of once in a minute', async () => {
  const { ask, told, pass } = world()
  const flood = async () => Promise.all(Array.from({ length: 20 }, async () => ask('many', 50)))
  await flood()
  await flood()
  pass(60_000)
  await flood()
  expect(told).toEqual(['many', 'many'])
})

it('the heaviest of the last two minutes are known, with their waiting requests', async () => {
  const { lines, ask, pass } = world()
  await ask('small', 5)
  await ask('large', 40)
  expect(lines.heaviest(1)).toEqual([{ key: 'large', ms: 40, waiting: 0 }])
  pass(60_000)
  await ask('small', 50)
  expect(lines.heaviest(9).map(({ key, ms }) => [key, ms])).toEqual([
    ['small', 55],
    ['large', 40],
  ])
  pass(120_000)
  expect(lines.heaviest(9)).toEqual([])
})

it('requests that wait for a database run at the same time, up to the limit of their key', async () => {
  const { lines } = world({ maxRunning: () => 2, isHolding: false })
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  const all = Array.from({ length: 5 }, async () =>
    lines.take('one', async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running--
    }),
  )
  const other = lines.take('other', async () => 'here')
  expect(await other).toEqual({ value: 'here' })
  for (let ended = 0; ended < 5; ended++) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    ends.shift()?.()
  }
  await Promise.all(all)
  expect(most).toBe(2)
})

it('a request that fails fails alone', async () => {
  const { lines, ask } = world()
  const failing = lines.take('one', async () => Promise.reject(new Error('no')))
  const after = ask('one', 1)
  await expect(failing).rejects.toThrow('no')
  expect(await after).toEqual({ value: 'one' })
})

it('requests of closed connections are never begun, and delay no others', async () => {
  const { lines, ask, order } = world()
  let isGone = false
  const first = ask('one', 20)
  const left = Array.from({ length: 100 }, async () =>
    lines.take(
      'one',
      async () => order.push('left'),
      () => isGone,
    ),
  )
  isGone = true
  const last = ask('one', 1, 'last')
  await Promise.all([first, last])
  expect(await Promise.all(left)).toEqual(left.map(() => ({ retryAfter: 1 })))
  expect(order).toEqual(['one', 'last'])
})

it('short requests of a key run together, long ones alone', async () => {
  const { lines, pass } = world({ maxRunning: (cost) => (cost < 10 ? 4 : 1), isHolding: false })
  const run = async (cost: number): Promise<number> => {
    let running = 0
    let most = 0
    const ask = async () =>
      lines.take('one', async () => {
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        pass(cost)
        running--
      })
    await ask()
    await Promise.all(Array.from({ length: 20 }, ask))
    return most
  }
  expect(await run(1)).toBe(4)
  expect(await run(30)).toBe(1)
})
