import { expect, it } from 'vitest'
import { slowChecks } from '../../../src/service/auth/slow-checks.ts'

/** Checks that end when the test says so, and the order in which they started. */
function held() {
  const run = slowChecks()
  const started: string[] = []
  const ends: (() => void)[] = []
  const begin = async (share: string, name = share): Promise<string | undefined> =>
    run(share, async () => {
      started.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
      return name
    })
  const endOne = async (): Promise<void> => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begin, endOne, started }
}

it('three checks run at once, and shares take turns', async () => {
  const { begin, endOne, started } = held()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'c1']) void begin(name[0] ?? '', name)
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['a1', 'a2', 'a3'])

  for (let n = 0; n < 6; n++) await endOne()

  expect(started.slice(3)).toEqual(['a4', 'b1', 'c1', 'a5', 'b2', 'a6'])
})

it('a share has 64 waiting checks, others are not affected, and all get their result', async () => {
  const { begin, endOne } = held()
  const results = Array.from({ length: 70 }, async (_, n) => begin('flood', `flood ${n}`))
  const other = begin('other')
  expect(await results[67]).toBeUndefined()

  for (let n = 0; n < 70; n++) await endOne()

  expect((await Promise.all(results)).filter((one) => one !== undefined)).toHaveLength(67)
  expect(await other).toBe('other')
})

it('a check that fails ends its turn', async () => {
  const run = slowChecks()
  const fail = async (): Promise<never> => Promise.reject(new Error('broken'))

  for (let n = 0; n < 10; n++) await expect(run('a', fail)).rejects.toThrow('broken')
  expect(await run('a', async () => Promise.resolve(1))).toBe(1)
})

it('a check that begins after another one ended waits for its turn too', async () => {
  const { begin, endOne, started } = held()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void begin('a', name)
  await new Promise((resolve) => setImmediate(resolve))
  await endOne()
  await endOne()
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])

  void begin('b', 'b1')
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toHaveLength(5)
  await endOne()
  expect(started.at(-1)).toBe('b1')
})
