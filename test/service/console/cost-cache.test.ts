import { describe, expect, it } from 'vitest'
import { after, type Instant, instant, milliseconds, seconds } from '../../../src/shared/base/time.ts'
import { costCache } from '../../../src/service/console/cost-cache.ts'

/** A clock that a search moves on by so many milliseconds. */
function kept(took: number) {
  let now: Instant = instant(0)
  let found = 0
  const keep = costCache(
    () => now,
    async () => new Promise(() => undefined),
  )
  return {
    wait: (span: number) => void (now = after(now, milliseconds(span))),
    ask: async (key = 'a') =>
      keep(key, async () => {
        now = after(now, milliseconds(took))
        return ++found
      }),
  }
}

describe('what is shown beside a page', () => {
  it('is found each time, where that is quick', async () => {
    const { ask } = kept(9)
    expect([await ask(), await ask()]).toEqual([1, 2])
  })

  it('is kept for a hundred times as long as it took, for each who sees it', async () => {
    const { ask, wait } = kept(20)
    expect([await ask(), await ask(), await ask('b')]).toEqual([1, 1, 2])
    wait(2000)
    expect(await ask()).toBe(3)
  })

  it('is kept for half a minute at most', async () => {
    const { ask, wait } = kept(5000)
    await ask()
    wait(29_999)
    expect(await ask()).toBe(1)
    wait(1)
    expect(await ask()).toBe(2)
  })

  it('is not waited for, and is there afterwards; it is found once for all who ask', async () => {
    let now: Instant = instant(0)
    let finish: (value: number) => void = () => undefined
    let asked = 0
    const keep = costCache(
      () => now,
      async () => undefined,
    )
    const find = async (): Promise<number> => {
      asked++
      return new Promise((done) => void (finish = done))
    }
    expect([await keep('a', find), await keep('a', find)]).toEqual([undefined, undefined])
    now = after(now, seconds(1))
    finish(7)
    await new Promise((done) => void setImmediate(done))
    expect([await keep('a', find), asked]).toEqual([7, 1])
  })

  it('that fails is found again', async () => {
    const keep = costCache(
      () => instant(0),
      async () => new Promise(() => undefined),
    )
    await expect(keep('a', async () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await keep('a', async () => 1)).toBe(1)
  })
})
