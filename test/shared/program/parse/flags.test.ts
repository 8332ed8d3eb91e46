import { describe, expect, it } from 'vitest'
import { clientSettings } from '../../../../src/client/program/commands/options.ts'
import { serviceSettings } from '../../../../src/service/program/commands/options.ts'
import { COMMANDS } from '../../../../src/main.ts'
import { CONFIG_FLAGS, POKE_FLAGS, UPDATE_FLAGS } from '../../../../src/client/program/commands/flags.ts'
import { ADMIN_FLAGS, SERVE_FLAGS } from '../../../../src/service/program/commands/flags.ts'
import { type FlagTable, readFlags } from '../../../../src/shared/program/parse/flags.ts'
import { parseFast } from '../../../../src/shared/program/parse/fast.ts'
import { parseWithYargs } from '../../../../src/shared/program/parse/yargs.ts'

describe('the typed flags of a command', () => {
  // biome-ignore format: a table
  it.each<readonly [readonly string[], FlagTable, Readonly<Record<string, unknown>>]>([
    [['update'],                              UPDATE_FLAGS, { asJson: false, isForced: false, isDryRun: false, isQuiet: false }],
    [['update', '--force', '--no-quiet'],     UPDATE_FLAGS, { asJson: false, isForced: true, isDryRun: false, isQuiet: false }],
    [['update', '--json', '--dry-run'],       UPDATE_FLAGS, { asJson: true, isForced: false, isDryRun: true, isQuiet: false }],
    [['poke'],                                POKE_FLAGS,   { asJson: false, isQuiet: false, account: undefined }],
    [['poke', 'office'],                      POKE_FLAGS,   { asJson: false, isQuiet: false, account: 'office' }],
    [['config', 'show'],                      CONFIG_FLAGS, { asJson: false, operation: 'show' }],
    [['serve', '--dev', '--fault', 'reset'],  SERVE_FLAGS,  { asJson: false, isDev: true, mayMake: false, faults: 'reset' }],
    [['admin'],                               ADMIN_FLAGS,  { asJson: false, words: [] }],
    [['admin', 'key', 'lock', '0815'],        ADMIN_FLAGS,  { asJson: false, words: ['key', 'lock', '0815'] }],
  ])('%j, from either parser', async (line, table, expected) => {
    for (const parse of [parseFast, parseWithYargs])
      expect(readFlags(table, (await parse(COMMANDS, line))?.flags ?? {})).toEqual(expected)
  })

  it('include what the client reads its settings from', async () => {
    const line = [
      'run',
      '--config',
      'h.toml',
      '--account',
      'a',
      '--account',
      'b',
      '--interval',
      '9m',
      '--no-ipv6',
    ]

    for (const parse of [parseFast, parseWithYargs])
      expect(await clientSettings.read((await parse(COMMANDS, line))?.flags ?? {}, [])).toMatchObject({
        configFile: 'h.toml',
        accounts: ['a', 'b'],
        layer: {
          interval: { value: '9m', where: '--interval' },
          ipv6: { value: false, where: '--ipv6' },
        },
      })
  })

  it('include what the service reads its settings from', async () =>
    expect(
      await serviceSettings.read((await parseFast(COMMANDS, ['serve', '--store', 'x']))?.flags ?? {}, []),
    ).toEqual({
      configFile: undefined,
      layer: { store: { value: 'x', where: '--store' } },
    }))

  it.each(['--config', '--fault'])('has one value of %s, never two', async (flag) =>
    expect(async () => parseWithYargs(COMMANDS, ['serve', flag, 'a', flag, 'b'])).rejects.toThrow(
      `${flag} is given twice; keep one`,
    ),
  )
})

describe('every command', () => {
  it.each(COMMANDS)('$name has a summary in one line, and examples that parse', async (command) => {
    expect(command.summary).toMatch(/^[a-z].{10,75}[^.]$/)
    for (const example of command.examples) {
      const [name, ...words] = example.replace(/^sudo /, '').split(' ')
      expect(name).toBe('holdfast')
      expect((await parseFast(COMMANDS, words))?.command.name, example).toBe(command.name)
    }
  })

  it.each(COMMANDS)('$name describes each of its options', async (command) => {
    for (const [flag, { describe: text }] of Object.entries(await command.options()))
      expect(text, flag).not.toBe('')
    if (command.positional !== undefined) expect(command.positional.describe).not.toBe('')
  })
})
