import { describe, expect, it } from 'vitest'
import { compared, complaints, type Row } from './detect-statistics.ts'

const row = (over: Partial<Row>): Row => ({
  name: 'one',
  changes: 2,
  times: [100, 200],
  missed: 0,
  wrong: 0,
  crashed: 0,
  bar: undefined,
  notes: [],
  ...over,
})

describe('a row', () => {
  // biome-ignore format: a table
  it.each([
    ['in order',                     {},                                       []],
    ['with a miss',                  { missed: 1 },                            ['1 missed']],
    ['above its bar',                { bar: { of: 'p95', ms: 199 } },          ['p95 200 > 199 ms']],
    ['with warnings in time',        { warnings: { times: [5], max: 5 } },     []],
    ['with a late warning',          { warnings: { times: [5, 6], max: 5 } },  ['1 warned later than 5 ms']],
  ] as const)('%s has its complaints', (_, over, expected) => expect(complaints(row(over))).toEqual(expected))

  // biome-ignore format: a table
  it.each([
    ['below the limit',  [100, 130],  undefined,                                  ['p95 130 ≤ 1.3 × 100 ms of two']],
    ['above the limit',  [100, 131],  'p95 131 > 1.3 × 100 ms of two',            []],
  ] as const)('compared with another one, %s', (_, times, failed, notes) =>
    expect(compared(row({ times }), row({ name: 'two', times: [100] }), 1.3)).toMatchObject({
      notes,
      ...(failed !== undefined && { failed }),
    }),
  )

  it('that is not compared says so', () =>
    expect(compared(row({}), undefined, 1.3).notes).toEqual(['compared with no other row']))
})
