import fc from 'fast-check'
import { expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import type { TrailEntry } from '../../../src/service/model/trail.ts'
import { mergedTrail, type ScannedTrail, type TrailPlace } from '../../../src/service/store/account/trail.ts'
import { runs } from '../../runs.ts'

const entryAt = (at: number, isUpdate: boolean): TrailEntry => ({
  at: instant(at),
  accountId: 1,
  isUpdate,
  actor: 'account a',
  peer: '192.0.2.1',
  operation: 'update',
  subject: 'x.test',
})

interface Stored {
  readonly n: number
  readonly at: number
  readonly isMatching: boolean
}

/** What the store gives: of the newest `depth` entries before a place, the first `limit` that match. */
function scanned(
  stored: readonly Stored[],
  isUpdate: boolean,
  { before = 0, depth = 1, limit = 1 },
): ScannedTrail {
  const newest = stored.filter(({ n }) => n < before).toReversed()
  const found = newest
    .slice(0, depth)
    .filter(({ isMatching }) => isMatching)
    .slice(0, limit)
  const end = found.length === limit ? found.at(-1) : newest[depth - 1]
  return {
    before,
    entries: found.map(({ n, at }) => ({ ...entryAt(at, isUpdate), n })),
    ...(end && { end: { n: end.n, at: instant(end.at) } }),
  }
}

const part = (isSteady: boolean) =>
  fc
    .array(fc.tuple(fc.nat(50), fc.boolean()), { maxLength: 30 })
    .map((list) => (isSteady ? list.toSorted(([a], [b]) => a - b) : list))
    .map((list) => list.map(([at, isMatching], index) => ({ n: index * 2 + 1, at, isMatching })))

const walk = (parts: readonly [readonly Stored[], readonly Stored[]], depth: number, limit: number) => {
  const rows: TrailEntry[] = []
  let place: TrailPlace | undefined = { updates: 1000, others: 1000 }
  for (let pages = 0; place !== undefined; pages++) {
    if (pages > 200) throw new Error('the pages do not end')
    const options = { depth: Math.max(depth, limit), limit }
    const page = mergedTrail(
      scanned(parts[0], true, { ...options, before: place.updates }),
      scanned(parts[1], false, { ...options, before: place.others }),
      limit,
    )
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    rows.push(...page.entries)
    place = page.next
  }
  return rows
}

const sizes = [fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })] as const

it('the pages of the trail have each entry once, the newest first', () => {
  fc.assert(
    fc.property(part(true), part(true), ...sizes, (updates, others, depth, limit) => {
      const rows = walk([updates, others], depth, limit)
      const times = rows.map(({ at }) => at)
      expect(times).toEqual(times.toSorted((a, b) => b - a))
      for (const [stored, isUpdate] of [
        [updates, true],
        [others, false],
      ] as const)
        expect(rows.filter((row) => row.isUpdate === isUpdate).map(({ at }) => at)).toEqual(
          stored
            .filter(({ isMatching }) => isMatching)
            .map(({ at }) => at)
            .toReversed(),
        )
    }),
    { numRuns: runs(500) },
  )
})

it('the pages of the trail lose no entry where the clock was set back', () => {
  fc.assert(
    fc.property(part(false), part(false), ...sizes, (updates, others, depth, limit) => {
      const rows = walk([updates, others], depth, limit)
      expect(rows.length).toBe([...updates, ...others].filter(({ isMatching }) => isMatching).length)
    }),
    { numRuns: runs(500) },
  )
})
