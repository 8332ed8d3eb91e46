import { describe, expect, it } from 'vitest'
import { FILES, placesOf } from './sources.ts'

const pure = FILES.filter(
  ({ path }) => !/^([a-z]+\.ts$|shared\/(platform|program)\/|(client|service)\/(app|commands)\/)/.test(path),
)

/** Things only the shell may do. Each is one line of the architecture, so each has one line here. */
// biome-ignore format: a table
const SHELL_ONLY: readonly (readonly [what: string, pattern: RegExp, except: RegExp])[] = [
  ['read the clock',        /\bDate\.now\(|new Date\(\)|performance\.now/, /^$/],
  ['set a timer',           /\bset(Timeout|Interval|Immediate)\(/,         /^service\/(http\/(listen|connections)|store\/sqlite\/group-commit)\.ts$/],
  ['read the environment',  /\bprocess\.(env|argv|exit)\b/,                /^$/],
  ['print',                 /\bconsole\.|process\.std(out|err)/,           /^$/],
  ['use random numbers',    /\bMath\.random\(/,                            /^$/],
  ['use modules of Node',   /from 'node:(?!net'|crypto'|buffer'|url')/,       /^service\/(http|store)\//],
]

it.each(SHELL_ONLY)('only the rooms that make the programs %s', (_, pattern, except) =>
  expect(
    placesOf(
      pure.filter(({ path }) => !except.test(path)),
      pattern,
    ),
  ).toEqual([]),
)

describe('every file', () => {
  const linesOf = (text: string): number => text.split('\n').length

  it('is there', () => expect(FILES.length).toBeGreaterThan(500))
  it('is short enough to read at once', () =>
    expect(
      FILES.filter(({ text }) => linesOf(text) >= 300).map(
        ({ path, text }) => `${path} has ${linesOf(text)} lines`,
      ),
    ).toEqual([]))
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
      FILES.filter(({ path }) => !/^(shared\/protocol|client\/protocols|service)\//.test(path)),
      /'(good|nochg|911)'/,
    ),
  ).toEqual([]))

it('no signal of AbortSignal.timeout() is used, because Node 20 loses it', () =>
  expect(placesOf(FILES, /AbortSignal\.timeout\(\w/)).toEqual([]))
