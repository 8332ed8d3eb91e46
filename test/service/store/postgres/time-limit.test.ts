import { describe, expect, it } from 'vitest'
import { after, milliseconds } from '../../../../src/shared/base/time.ts'
import { StoreBusy } from '../../../../src/service/store/errors.ts'
import { TimeLimit } from '../../../../src/service/store/postgres/store.ts'
import { virtualClock } from '../../../fakes/clock.ts'

const SPAN = milliseconds(1000)

function world() {
  const clock = virtualClock()
  const closing = new AbortController()
  const limit = new TimeLimit(clock, SPAN, closing.signal)
  const ends: string[] = []
  /** Work that takes this long. */
  const start = (name: string, span: number): void => {
    const work = clock.sleep(after(clock.now(), milliseconds(span))).then(() => name)
    void limit.of(work).then(
      (value) => ends.push(`${value} at ${clock.now()}`),
      (error: unknown) => {
        expect(error).toBeInstanceOf(StoreBusy)
        ends.push(`${name} refused at ${clock.now()}`)
      },
    )
  }
  return { clock, closing, limit, ends, start }
}

describe('one timer', () => {
  it('refuses what takes longer than the span, each at its own time', async () => {
    const { clock, ends, start } = world()
    start('slow', 5000)
    await clock.pass(milliseconds(400))
    start('slower', 5000)
    start('quick', 100)
    await clock.pass(milliseconds(3000))
    expect(ends).toEqual(['quick at 500', 'slow refused at 1000', 'slower refused at 1400'])
  })

  it('refuses a later one after earlier ones ended in time, and one after nothing was left', async () => {
    const { clock, ends, start } = world()
    start('first', 10)
    await clock.pass(milliseconds(900))
    start('second', 5000)
    await clock.pass(milliseconds(2100))
    start('third', 5000)
    await clock.pass(milliseconds(2000))
    expect(ends).toEqual(['first at 10', 'second refused at 1900', 'third refused at 4000'])
  })

  it('passes on what the work rejects with', async () => {
    const { limit } = world()
    await expect(limit.of(Promise.reject(new Error('no such table')))).rejects.toThrow('no such table')
  })

  it('refuses nothing after the store was closed', async () => {
    const { clock, closing, ends, start } = world()
    start('slow', 5000)
    closing.abort()
    await clock.pass(milliseconds(9000))
    expect(ends).toEqual(['slow at 5000'])
  })
})
