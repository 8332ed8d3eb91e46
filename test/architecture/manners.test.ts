import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const SRC = join(ROOT, 'src')
const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
const files = paths.map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))
const pure = files.filter(({ path }) => !/^(platform|app|cli)\//.test(path))

/** Things only the shell may do. Each is one line of the architecture, so each has one line here. */
// biome-ignore format: a table
const SHELL_ONLY: readonly (readonly [what: string, pattern: RegExp, except: RegExp])[] = [
  ['read the clock',        /\bDate\.now\(|new Date\(\)|performance\.now/, /^$/],
  ['set a timer',           /\bset(Timeout|Interval|Immediate)\(/,         /^server\/(http\/(listen|connections)|store\/group-commit)\.ts$/],
  ['read the environment',  /\bprocess\.(env|argv|exit)\b/,                /^$/],
  ['print',                 /\bconsole\.|process\.std(out|err)/,           /^$/],
  ['use random numbers',      /\bMath\.random\(/,                            /^$/],
  ['touch Node',            /from 'node:(?!net'|crypto'|buffer')/,         /^server\/(http|store)\//],
]

describe.each(SHELL_ONLY)('only platform/, app/ and cli/ %s', (_, pattern, except) => {
  it.each(pure.filter(({ path }) => !except.test(path)))('$path does not', ({ text }) =>
    expect(text).not.toMatch(pattern),
  )
})

describe('every file', () => {
  it.each(files)('$path is short enough to read at once', ({ text }) =>
    expect(text.split('\n').length).toBeLessThan(300),
  )
  it.each(files)('$path exports by name', ({ text }) => expect(text).not.toMatch(/^export default/m))
  it.each(files)('$path has a descriptive name', ({ path }) =>
    expect(path).not.toMatch(/util|helper|common|misc|manager/),
  )
  it.each(files)('$path leaves nothing for later', ({ text }) =>
    expect(text).not.toMatch(/\b(TODO|FIXME|XXX|HACK)\b/),
  )
})

it('only the protocol room and the service spell the reply words', () => {
  const spelled = files.filter(
    ({ path, text }) => !/^(protocol|server)\//.test(path) && /'(good|nochg|911)'/.test(text),
  )

  expect(spelled.map(({ path }) => path)).toEqual([])
})

it('no signal of AbortSignal.timeout() is used, because Node 20 loses it', () =>
  expect(files.filter(({ text }) => /AbortSignal\.timeout\(\w/.test(text)).map(({ path }) => path)).toEqual(
    [],
  ))
