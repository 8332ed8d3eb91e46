import { beforeEach, describe, expect, it } from 'vitest'
import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { isLate, isStuck, NotifyQueue } from '../../../src/service/publish/notify.ts'

const START = 1_795_000_000_000
const at = (milliseconds: number): Instant => instant(START + milliseconds)
const zone = (serial: number, id = 1) => ({ id, apex: `zone${id}.test`, serial })

describe('a secondary', () => {
  let queue: NotifyQueue
  beforeEach(() => {
    queue = new NotifyQueue()
  })
  /** The serials that it is told. */
  const due = (milliseconds: number): readonly number[] =>
    queue.due(at(milliseconds)).map(({ serial }) => serial)
  const changed = (serial: number, milliseconds: number): void =>
    queue.changed(zone(serial), at(milliseconds))
  const next = (): number => (queue.nextAt() ?? Number.NaN) - START

  it('is told of a change at once, and once', () => {
    expect(queue.nextAt()).toBeUndefined()
    changed(5, 0)
    expect(next()).toBe(0)
    expect(queue.due(at(0))).toEqual([zone(5)])
    expect([due(0), due(100_000)]).toEqual([[], []])
    expect(queue.nextAt()).toBeUndefined()
  })

  it('is told of several changes as one', () => {
    changed(5, 0)
    changed(6, 1)
    expect(due(1)).toEqual([6])
  })

  it('is not told of more while it has not acknowledged', () => {
    changed(5, 0)
    expect(due(0)).toEqual([5])
    changed(6, 10)
    expect([due(10), due(59_999)]).toEqual([[], []])
  })

  it('that acknowledged and does not fetch is told the newest serial after a second', () => {
    changed(5, 0)
    due(0)
    queue.told(1, true, at(20))
    changed(6, 30)
    changed(7, 40)
    expect(next()).toBe(1020)
    expect([due(1019), due(1020)]).toEqual([[], [7]])
  })

  it('that was compared is told where it serves an older serial, or nothing', () => {
    queue.compared(zone(5, 1), 5, at(0))
    queue.compared(zone(5, 2), 6, at(0))
    queue.compared(zone(5, 3), 4, at(0))
    queue.compared(zone(5, 4), undefined, at(0))
    expect(queue.due(at(0)).map(({ id }) => id)).toEqual([3, 4])
    expect(queue.zones().map(({ id, served }) => [id, served])).toEqual([
      [1, 5],
      [2, 6],
      [3, undefined],
      [4, undefined],
    ])
  })

  it('that was compared while a change was made is told of the change alone', () => {
    changed(6, 0)
    queue.compared(zone(5), 4, at(1))
    expect(due(1)).toEqual([6])
    queue.compared(zone(5), 4, at(2))
    expect([due(2), due(100_000)]).toEqual([[], []])
  })

  it('that fetches is told at once of what came meanwhile', () => {
    changed(5, 0)
    due(0)
    queue.told(1, true, at(20))
    changed(6, 30)
    queue.fetched(zone(5), at(40))
    expect(next()).toBe(40)
    expect(due(40)).toEqual([6])
  })

  it.each([6, 7])('that fetches serial %i already is not told of 6', (serial) => {
    changed(5, 0)
    due(0)
    queue.told(1, true, at(20))
    changed(6, 30)
    queue.fetched(zone(serial), at(40))
    expect([queue.nextAt(), due(100_000)]).toEqual([undefined, []])
  })

  it('that does not answer is told again after pauses that grow to a minute, eight times', () => {
    changed(5, 0)
    const pauses: number[] = []
    let now = 0
    for (; queue.nextAt() !== undefined; ) {
      pauses.push(next() - now)
      now = next()
      expect(due(now - 1)).toEqual([])
      expect(due(now)).toEqual([5])
      now += 2000
      queue.told(1, false, at(now))
    }
    expect(pauses).toEqual([0, ...[1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000)])
    changed(6, now)
    expect(next()).toBe(now + 60_000)
  })

  it('that answered in between is told after short pauses again', () => {
    changed(5, 0)
    due(0)
    for (let now = 0; now < 20_000; now = next()) {
      due(now)
      queue.told(1, false, at(now))
    }
    queue.fetched(zone(5), at(20_000))
    changed(6, 20_000)
    expect(due(20_000)).toEqual([6])
    queue.told(1, false, at(20_000))
    expect(next()).toBe(21_000)
  })

  it('that does not answer is told the newest serial', () => {
    changed(5, 0)
    due(0)
    changed(6, 500)
    queue.told(1, false, at(1000))
    expect([due(1999), due(2000)]).toEqual([[], [6]])
  })

  const ids = (milliseconds: number): readonly number[] => queue.due(at(milliseconds)).map(({ id }) => id)
  const repeated = (count: number): void => {
    for (let id = 1; id <= count; id++) queue.changed(zone(1, id), at(0), 'repeated')
  }

  it('is told of as many zones at a time as it answers', () => {
    repeated(1000)
    expect(ids(0)).toHaveLength(32)
    expect([ids(999), queue.nextAt()]).toEqual([[], undefined])
    for (let id = 1; id <= 32; id++) queue.told(id, true, at(1))
    expect(ids(1)).toHaveLength(64)
    for (let id = 33; id <= 96; id++) queue.told(id, true, at(2))
    expect(ids(2)).toHaveLength(128)
  })

  it('that says nothing is told of four at a time, and what has just changed before all', () => {
    repeated(1000)
    for (const id of ids(0)) queue.told(id, false, at(2000))
    expect(ids(2000)).toEqual([33, 34, 35, 36])
    queue.changed(zone(1, 2000), at(2001))
    expect(next()).toBe(2001)
    expect(ids(2001)).toEqual([2000])
    queue.changed(zone(1, 2001), at(2002))
    expect(ids(2002)).toEqual([])
    queue.told(33, true, at(2003))
    expect(ids(2003)).toEqual([2001])
    queue.told(34, true, at(2004))
    expect(ids(2004)).toEqual([37, 38])
  })

  it('is told of a change as fresh that was to be repeated', () => {
    repeated(100)
    queue.changed(zone(2, 90), at(0))
    queue.changed(zone(2, 90), at(0), 'repeated')
    expect(ids(0).slice(0, 2)).toEqual([90, 1])
  })

  describe('of a change that another process tells', () => {
    const late = (): readonly boolean[] => queue.zones().map(isLate)
    beforeEach(() => queue.noticed(zone(5), at(10_000)))

    it('is behind at once, and told if it does not have it after some seconds', () => {
      expect([late(), due(9999), next()]).toEqual([[true], [], 10_000])
      expect([due(10_000), late()]).toEqual([[5], [true]])
    })

    it('is told later when another change comes, and once of both', () => {
      queue.noticed(zone(6), at(11_000))
      expect([due(10_999), due(11_000)]).toEqual([[], [6]])
    })

    it.each([5, 6])('is not told if it serves %i in the meantime', (serial) => {
      queue.served(1, serial, at(2000))
      expect([late(), due(100_000), queue.nextAt()]).toEqual([[false], [], undefined])
    })

    it('is told if it serves an older serial', () => {
      queue.served(1, 4, at(2000))
      expect([late(), due(10_000)]).toEqual([[true], [5]])
    })

    it('is told if it signs, whatever serial it serves', () => {
      queue = new NotifyQueue({ signs: true })
      queue.noticed(zone(5), at(10_000))
      queue.served(1, 9, at(2000))
      queue.noticed(zone(6), at(12_000))
      expect([late(), due(12_000)]).toEqual([[true], [6]])
    })

    it('is not told of what it was told, fetched or serves', () => {
      for (const [id, know] of [
        [2, () => queue.changed(zone(5, 2), at(0))],
        [3, () => queue.fetched(zone(5, 3), at(0))],
        [4, () => queue.compared(zone(6, 4), 6, at(0))],
      ] as const) {
        know()
        queue.noticed(zone(5, id), at(1000))
      }
      expect([due(0), due(9999)]).toEqual([[5], []])
    })
  })

  it('forgets a zone that is removed', () => {
    changed(5, 0)
    queue.removed(1)
    expect([queue.nextAt(), due(0), queue.zones()]).toEqual([undefined, [], []])
    queue.told(1, true, at(1))
    queue.served(1, 5, at(1))
    expect(queue.zones()).toEqual([])
  })

  it('is known with what it was told, fetched and serves', () => {
    changed(5, 0)
    due(0)
    queue.told(1, true, at(20))
    queue.fetched(zone(5), at(40))
    queue.served(1, 5, at(60))
    const known = { id: 1, apex: 'zone1.test', told: 5, toldAt: at(0), isAcknowledged: true }
    expect(queue.zones()).toMatchObject([
      { ...known, fetched: 5, fetchedAt: at(40), served: 5, servedAt: at(60) },
    ])
  })

  it('that fetches a zone by itself is known', () => {
    queue.fetched(zone(9, 4), at(0))
    expect(queue.zones()).toMatchObject([{ id: 4, apex: 'zone4.test', fetched: 9, told: undefined }])
  })

  describe('is stuck', () => {
    const stuck = (milliseconds: number): boolean =>
      queue.zones().some((one) => isStuck(one, at(milliseconds)))
    beforeEach(() => {
      changed(5, 0)
      due(0)
    })

    it('if it was told a minute ago and has not fetched', () => {
      expect([stuck(60_000), stuck(60_001)]).toEqual([false, true])
      queue.told(1, true, at(20))
      expect(stuck(60_001)).toBe(true)
    })

    it.each([5, 6])('not if it has fetched serial %i', (serial) => {
      queue.fetched(zone(serial), at(20))
      expect(stuck(60_001)).toBe(false)
    })

    it('if it has fetched only an older serial', () => {
      queue.fetched(zone(4), at(20))
      expect(stuck(60_001)).toBe(true)
    })

    it('although it is told of another change every second', () => {
      for (let now = 1000; now <= 60_000; now += 1000) {
        queue.told(1, true, at(now - 1000))
        changed(5 + now / 1000, now)
        expect(due(now)).toHaveLength(1)
      }
      expect([stuck(60_000), stuck(60_001)]).toEqual([false, true])
    })

    it('not if it fetches each of many changes', () => {
      for (let now = 1000; now <= 90_000; now += 1000) {
        queue.told(1, true, at(now - 1000))
        queue.fetched(zone(4 + now / 1000), at(now - 500))
        changed(5 + now / 1000, now)
        expect(due(now)).toHaveLength(1)
      }
      expect(stuck(91_000)).toBe(false)
    })
  })
})
