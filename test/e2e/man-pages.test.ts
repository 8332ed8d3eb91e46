import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/main.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../src/client/settings/client-settings.ts'
import { fileKeyOf } from '../../src/shared/settings/setting.ts'
import { lacks } from '../lacks.ts'
import { ROOT } from './processes.ts'

const PAGES = ['holdfast.1', 'holdfast.toml.5', 'holdfast-service.8']
const mandoc = (page: string, ...args: readonly string[]): string => {
  const { stdout } = spawnSync('mandoc', [...args, join(ROOT, 'docs/man', page)], { encoding: 'utf8' })
  return stdout
}
/** As text, without the overstrikes of a terminal. */
const textOf = (page: string): string =>
  mandoc(page, '-T', 'utf8', '-O', 'width=200').replaceAll(/.\u0008/g, '')

describe.skipIf(lacks('mandoc'))('a manual page', () => {
  it.each(PAGES)('%s has no fault', (page) => expect(mandoc(page, '-T', 'lint', '-W', 'warning')).toBe(''))

  it('of the client has every command of it, with its examples as they are typed', () => {
    const text = textOf('holdfast.1')
    for (const { name, examples } of COMMANDS.filter((one) => one.name !== 'serve' && one.name !== 'admin')) {
      expect(text).toMatch(new RegExp(`^ +${name}\\b`, 'm'))
      for (const example of examples) expect(text).toContain(example)
    }
  })

  it('of the settings has every setting', () => {
    const text = textOf('holdfast.toml.5')
    for (const key of [...Object.keys(ACCOUNT_SETTINGS), ...Object.keys(CLIENT_SETTINGS)])
      expect(text).toMatch(new RegExp(`^ +${fileKeyOf(key)}\\b`, 'm'))
  })

  it('of the service has the operations', () =>
    expect(textOf('holdfast-service.8')).toMatch(/^ +account add NAME PLAN$/m))
})
