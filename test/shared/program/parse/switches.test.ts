import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../../src/main.ts'
import { normalizeSwitches, parseFast } from '../../../../src/shared/program/parse/fast.ts'

describe('a switch with a value', () => {
  // biome-ignore format: a table
  it.each([
    ['true', true], ['yes', true], ['on', true], ['1', true], ['YES', true],
    ['false', false], ['no', false], ['off', false], ['0', false],
  ])('accepts the values of the environment: %s', async (value, isOn) => {
    for (const [command, flag] of [['update', 'dry-run'], ['update', 'ipv4'], ['run', 'json']] as const) {
      const line = await normalizeSwitches(COMMANDS, [command, `--${flag}=${value}`])

      expect(line.ok && (await parseFast(COMMANDS, line.value))?.flags).toEqual({ [flag]: isOn })
    }
  })

  it.each(['maybe', '', 'SECRET', 'true=1', 'yes\nno'])('rejects any other value: %j', async (value) =>
    expect(await normalizeSwitches(COMMANDS, ['service', 'install', `--dry-run=${value}`])).toEqual({
      ok: false,
      error: ['--dry-run must be true or false; write --dry-run or --no-dry-run'],
    }),
  )

  // biome-ignore format: a table
  it.each([
    ['update', '--no-ipv6'], ['update', '--json'], ['update', '--server=yes'], ['update', '--', '--json=no'],
    ['update', '--no-such=maybe'], ['updat', '--json=maybe'], ['update', '--no-ipv6=yes'], [],
  ])('leaves other words unchanged: %j', async (...words) =>
    expect(await normalizeSwitches(COMMANDS, words)).toEqual({ ok: true, value: words }),
  )

  // biome-ignore format: a table
  it.each([
    [['update', '-qv'],                ['update', '--quiet', '--log-level', 'debug']],
    [['update', '-c./x.toml'],         ['update', '--config', './x.toml']],
    [['update', '-cx'],                ['update', '--config', 'x']],
    [['update', '-qc', 'x.toml'],      ['update', '--quiet', '--config', 'x.toml']],
    [['update', '--username', '-c.x'], ['update', '--username', '-c.x']],
    [['help', 'update'],               ['update', '--help']],
  ])('rewrites short forms: %j', async (words, long) =>
    expect(await normalizeSwitches(COMMANDS, words)).toEqual({ ok: true, value: long }))
})
