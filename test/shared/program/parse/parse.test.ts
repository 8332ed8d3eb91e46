import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../runs.ts'
import { COMMANDS } from '../../../../src/main.ts'
import type { ParsedFlags } from '../../../../src/shared/program/parse/flags.ts'
import { parseFast } from '../../../../src/shared/program/parse/fast.ts'
import { parseWithYargs, UsageError } from '../../../../src/shared/program/parse/yargs.ts'

/** What yargs reads from a line: the name of the command and the flags, or that the line is wrong. */
async function byYargs(words: readonly string[]): Promise<readonly [string, ParsedFlags] | 'wrong'> {
  try {
    const parsed = await parseWithYargs(COMMANDS, words)
    if (parsed === undefined) return 'wrong'
    return [parsed.command.name, given(parsed.flags)]
  } catch (error) {
    if (error instanceof UsageError) return 'wrong'
    throw error
  }
}

const given = (flags: ParsedFlags): ParsedFlags =>
  Object.fromEntries(
    Object.entries(flags).filter(([key, value]) => key !== '_' && key !== '$0' && value !== undefined),
  )

const flagsOf = new Map(
  await Promise.all(COMMANDS.map(async (one) => [one.name, Object.entries(await one.options())] as const)),
)

const VALUES = [
  'x',
  '',
  '0',
  '-1',
  '1e3',
  'a=b',
  'a b',
  '--json',
  '-x',
  '0x10',
  'true',
  'install',
  'check',
  'null',
  '5m',
]
const value = fc.constantFrom(...VALUES)

/** One flag of the command in one of its spellings, valid or not. */
function flagWords(name: string): fc.Arbitrary<readonly string[]> {
  const flags = flagsOf.get(name) ?? []
  if (flags.length === 0) return fc.constantFrom(...ODD)
  const known = fc.constantFrom(...flags).chain(([flag, { kind }]) => {
    const spellings: readonly (readonly string[])[] =
      kind === 'switch'
        ? [[`--${flag}`], [`--no-${flag}`], [`--${flag}=false`], [`--${flag}=1`], [`--${flag}`, 'false']]
        : [[`--${flag}`], [`--no-${flag}`], [`-${flag}`, 'x'], [`--${flag.toUpperCase()}`, 'x']]
    const odd: fc.Arbitrary<readonly string[]> = fc.constantFrom(...spellings)
    const filled = value.chain((text) => fc.constantFrom([`--${flag}`, text], [`--${flag}=${text}`]))
    return kind === 'switch' ? odd : fc.oneof({ arbitrary: filled, weight: 5 }, odd)
  })
  return fc.oneof({ arbitrary: known, weight: 6 }, fc.constantFrom(...ODD))
}

// biome-ignore format: a table
const ODD: readonly (readonly string[])[] = [
  ['--help'], ['--version'], ['--'], ['-h'], ['--no-such', 'x'], ['word'], ['1'], ['install'], ['check'], ['-'], ['--a.b', 'x'],
  ['--constructor', 'x'], ['--__proto__', 'x'], ['--_', 'x'], ['--$0', 'x'], ['--operation', 'check'], ['--account-name', 'x'], ['--subject', 'x'],
]

const line = fc
  .constantFrom(...COMMANDS.map(({ name }) => name))
  .chain((name) =>
    fc.tuple(
      fc.constant(name),
      fc.array(fc.constantFrom('install', 'check', 'word', '12'), { maxLength: 2 }),
      fc.array(flagWords(name), { maxLength: 4 }),
    ),
  )
  .map(([name, words, flags]) => [name, ...words, ...flags.flat()])

const wordsOf = ({ operation: words }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(words) ? words : []

describe('the fast parser of the command line', () => {
  it('agrees with yargs on every line that it accepts', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(line, async (words) => {
        const parsed = await parseFast(COMMANDS, words)
        if (parsed === undefined || [parsed.flags['file'], ...wordsOf(parsed.flags)].includes('-')) return
        accepted++
        expect([parsed.command.name, given(parsed.flags)]).toEqual(await byYargs(words))
      }),
      { numRuns: runs(40) },
    )
    expect(accepted).toBeGreaterThan(runs(40) * 0.15)
  })

  it('keeps a single dash where it stands for a file, which yargs loses', async () => {
    expect((await parseFast(COMMANDS, ['import', '-']))?.flags).toMatchObject({ file: '-' })
    expect((await byYargs(['import', '-']))[1]).toMatchObject({ file: '' })
    const words = ['zone', 'import', 'a.test', '-']
    expect((await parseFast(COMMANDS, ['admin', ...words]))?.flags).toMatchObject({ operation: words })
    expect(await parseFast(COMMANDS, ['update', '-'])).toBeUndefined()
  })

  // biome-ignore format: a table
  it.each([
    ['update'],
    ['update', '--server', 'https://a.test', '--hostname', 'a.test', '--hostname', 'b.test', '--no-ipv6'],
    ['run', '--json', '--interval=5m'],
    ['explain', 'abuse'],
    ['config', 'check', '--config', 'x.toml'],
    ['admin', 'zone', 'add', 'example.test', '--store', 'x'],
    ['serve', '--dev', '--json'],
  ])('accepts %j', async (...words) => {
    const parsed = await parseFast(COMMANDS, words)

    expect(parsed && [parsed.command.name, given(parsed.flags)]).toEqual(await byYargs(words))
    expect(parsed).toBeDefined()
  })

  // biome-ignore format: a table
  it.each([
    [], ['--help'], ['update', '--help'], ['update', '--version'], ['updat'], ['update', 'word'], ['update', '--hostnme', 'x'],
    ['update', '--server'], ['config'], ['config', 'chek'], ['explain', 'a', 'b'], ['update', '--', 'x'], ['update', '--constructor', 'x'],
    ['update', '--config', 'a', '--config', 'b'],
  ])('leaves %j to yargs, which prints the help or the mistake', async (...words) =>
    expect(await parseFast(COMMANDS, words)).toBeUndefined(),
  )
})
