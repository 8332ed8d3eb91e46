import { describe, expect, it } from 'vitest'
import { parseFast } from '../../src/cli/parse-fast.ts'
import { withEnvironmentSwitches } from '../../src/cli/switches.ts'

describe('a flag that is on or off, given with a value', () => {
  // biome-ignore format: a table
  it.each([
    ['true', true], ['yes', true], ['on', true], ['1', true], ['YES', true],
    ['false', false], ['no', false], ['off', false], ['0', false],
  ])('is read by the words of the environment: %s', async (word, isOn) => {
    for (const [command, flag] of [['update', 'dry-run'], ['update', 'ipv4'], ['run', 'json']] as const) {
      const line = await withEnvironmentSwitches([command, `--${flag}=${word}`])

      expect(line.ok && (await parseFast(line.value))?.flags).toEqual({ [flag]: isOn })
    }
  })

  it.each(['maybe', '', 'SECRET', 'true=1', 'yes\nno'])('is refused with any other: %j', async (word) =>
    expect(await withEnvironmentSwitches(['service', 'install', `--dry-run=${word}`])).toEqual({
      ok: false,
      error: ['--dry-run is neither true nor false; write --dry-run or --no-dry-run'],
    }),
  )

  // biome-ignore format: a table
  it.each([
    ['update', '--no-ipv6'], ['update', '--json'], ['update', '--server=yes'], ['update', '--', '--json=no'],
    ['update', '--no-such=maybe'], ['updat', '--json=maybe'], ['update', '--no-ipv6=yes'], [],
  ])('changes nothing else: %j', async (...words) =>
    expect(await withEnvironmentSwitches(words)).toEqual({ ok: true, value: words }),
  )
})
