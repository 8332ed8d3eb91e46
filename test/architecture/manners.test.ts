import { describe, expect, it } from 'vitest'
import { FILES, placesOf } from './sources.ts'

/** Rooms that start programs, and read and write files for a person: what they do is at the edge. */
const EDGE =
  /^([a-z]+\.ts$|shared\/(platform|program)\/|client\/(program|settings|setup)\/|service\/(program|admin)\/)/

/** Things that only the edge may do. Clocks, timers and random numbers are those of effects.test.ts. */
// biome-ignore format: a table
const EDGE_ONLY: readonly (readonly [what: string, pattern: RegExp, except: RegExp])[] = [
  ['read the environment',  /\bprocess\.(env|argv|exit)\b/,                        /^$/],
  ['print',                 /\bconsole\.|process\.std(out|err)/,                  /^$/],
  ['use modules of Node',   /from 'node:(?!net'|crypto'|buffer'|url'|path')/,      /^service\/(http|store)\//],
]

it.each(EDGE_ONLY)('only the rooms at the edge %s', (_, pattern, except) =>
  expect(
    placesOf(
      FILES.filter(({ path }) => !EDGE.test(path) && !except.test(path)),
      pattern,
    ),
  ).toEqual([]),
)

describe('every file', () => {
  it('is there', () => expect(FILES.length).toBeGreaterThan(500))
  it('exports by name', () => expect(placesOf(FILES, /^export default/m)).toEqual([]))
  it('has a descriptive name', () =>
    expect(
      FILES.map(({ path }) => path).filter((path) => /util|helper|common|misc|manager/.test(path)),
    ).toEqual([]))
  it('leaves nothing for later', () => expect(placesOf(FILES, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]))
})

it('only the protocol rooms and the service spell the reply words', () =>
  expect(
    placesOf(
      FILES.filter(({ path }) => !/^(shared\/protocol|client\/services|service)\//.test(path)),
      /'(good|nochg|911)'/,
    ),
  ).toEqual([]))

it('no signal of AbortSignal.timeout() is used, because Node 20 loses it', () =>
  expect(placesOf(FILES, /AbortSignal\.timeout\(\w/)).toEqual([]))
