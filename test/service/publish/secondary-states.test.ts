import { beforeEach, describe, expect, it } from 'vitest'
import { secondaryState } from '../../../src/service/publish/notify-sender.ts'
import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { NotifyQueue } from '../../../src/service/publish/notify.ts'

const at = (milliseconds: number): Instant => instant(Date.UTC(2026, 0, 1) + milliseconds)
const zone = (serial: number) => ({ id: 1, apex: 'example.test', serial })

describe('what a secondary has of a zone', () => {
  let queue: NotifyQueue
  beforeEach(() => {
    queue = new NotifyQueue()
  })
  const state = (signs = false, isEachCompared = false) =>
    secondaryState({ name: 'ns1', signs }, { zone: queue.zone(1), isEachCompared })
  const known = { server: 'ns1', signs: false }
  const unknown = { ...known, serial: undefined, isBehind: undefined, checkedAt: undefined }

  it('is not known before it was told or asked', () => {
    expect(state()).toEqual(unknown)
    queue.changed(zone(5), at(0))
    expect(state()).toEqual({ ...unknown, isBehind: true })
  })

  it('is up to date without an entry after the first comparison', () => {
    expect(state(false, true)).toEqual({ ...unknown, isBehind: false })
    queue.changed(zone(5), at(0))
    expect(state(false, true)).toEqual({ ...unknown, isBehind: true })
  })

  it('is behind from the NOTIFY until it has fetched the zone', () => {
    queue.changed(zone(5), at(0))
    queue.due(at(0))
    expect(state()).toEqual({ ...unknown, isBehind: true })
    queue.fetched(zone(5), at(20))
    expect(state()).toEqual({ ...known, serial: 5, isBehind: false, checkedAt: at(20) })
  })

  it('has the serial that it was last seen with, of a transfer or of its own answer', () => {
    queue.fetched(zone(5), at(0))
    queue.served(1, 4, at(10))
    expect(state()).toMatchObject({ serial: 4, checkedAt: at(10) })
    queue.fetched(zone(6), at(20))
    expect(state()).toMatchObject({ serial: 6, checkedAt: at(20) })
  })

  it('has the serial of its own answer where it signs', () => {
    queue.fetched(zone(5), at(0))
    expect(state(true)).toEqual({ ...unknown, signs: true, isBehind: false })
    queue.served(1, 2_026_010_100, at(10))
    queue.fetched(zone(6), at(20))
    expect(state(true)).toMatchObject({ serial: 2_026_010_100, checkedAt: at(10), isBehind: false })
  })

  it('is known where it was compared and is up to date', () => {
    queue.compared(zone(5), 5, at(0))
    expect(state()).toEqual({ ...known, serial: 5, isBehind: false, checkedAt: at(0) })
  })
})
