import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Flags } from '../../src/app/flags.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseFast } from '../../src/cli/parse-fast.ts'
import { parseWithYargs, UsageError } from '../../src/cli/parse-yargs.ts'

/** What yargs makes of a line: the command's name and what was given, or that it is wrong. */
async function byYargs(words: readonly string[]): Promise<readonly [string, Flags] | 'wrong'> {
  try {
    const chosen = await parseWithYargs(words)
    if (chosen === undefined) return 'wrong'
    return [chosen.command.name, given(chosen.flags)]
  } catch (error) {
    if (error instanceof UsageError) return 'wrong'
    throw error
  }
}

const given = (flags: Flags): Flags =>
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

/** One flag of the command in any of the ways it can be written, right or not quite. */
function flagWords(name: string): fc.Arbitrary<readonly string[]> {
  const known = fc.constantFrom(...(flagsOf.get(name) ?? [])).chain(([flag, { type }]) => {
    const ways: readonly (readonly string[])[] =
      type === 'boolean'
        ? [[`--${flag}`], [`--no-${flag}`], [`--${flag}=false`], [`--${flag}=1`], [`--${flag}`, 'false']]
        : [[`--${flag}`], [`--no-${flag}`], [`-${flag}`, 'x'], [`--${flag.toUpperCase()}`, 'x']]
    const odd: fc.Arbitrary<readonly string[]> = fc.constantFrom(...ways)
    const filled = value.chain((text) => fc.constantFrom([`--${flag}`, text], [`--${flag}=${text}`]))
    return type === 'boolean' ? odd : fc.oneof({ arbitrary: filled, weight: 5 }, odd)
  })
  return fc.oneof({ arbitrary: known, weight: 6 }, fc.constantFrom(...ODD))
}

// biome-ignore format: a table
const ODD: readonly (readonly string[])[] = [
  ['--help'], ['--version'], ['--'], ['-h'], ['--no-such', 'x'], ['word'], ['1'], ['install'], ['check'], ['-'], ['--a.b', 'x'],
  ['--constructor', 'x'], ['--__proto__', 'x'], ['--_', 'x'], ['--$0', 'x'], ['--words', 'x'], ['--what', 'check'], ['--subject', 'x'],
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

describe('the quick reader of the command line', () => {
  it('reads whatever it takes upon itself as yargs does', { timeout: 120_000 }, async () => {
    let understood = 0
    await fc.assert(
      fc.asyncProperty(line, async (words) => {
        const plain = await parseFast(words)
        if (plain === undefined) return
        understood++
        expect([plain.command.name, given(plain.flags)]).toEqual(await byYargs(words))
      }),
      { numRuns: 400 },
    )
    expect(understood).toBeGreaterThan(60)
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
  ])('needs no yargs for %j', async (...words) => {
    const plain = await parseFast(words)

    expect(plain && [plain.command.name, given(plain.flags)]).toEqual(await byYargs(words))
    expect(plain).toBeDefined()
  })

  // biome-ignore format: a table
  it.each([
    [], ['--help'], ['update', '--help'], ['update', '--version'], ['updat'], ['update', 'word'], ['update', '--hostnme', 'x'],
    ['update', '--server'], ['config'], ['config', 'chek'], ['explain', 'a', 'b'], ['update', '--', 'x'], ['update', '--constructor', 'x'],
  ])('leaves %j to yargs, which knows how to say it', async (...words) =>
    expect(await parseFast(words)).toBeUndefined(),
  )
})
