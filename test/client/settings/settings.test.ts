import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { COMMANDS } from '../../../src/main.ts'
import { readSettings } from '../../../src/client/settings/settings.ts'

afterEach(() => vi.unstubAllEnvs())

function configFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'h.toml')
  writeFileSync(path, text)
  return path
}

it('a misspelled environment variable is reported together with the mistakes of the file', async () => {
  vi.stubEnv('HOLDFAST_INTERVALL', '5m')
  const settings = await readSettings({
    layer: {},
    accounts: [],
    knownVariables: async () =>
      (await Promise.all(COMMANDS.map(async ({ variables }) => variables()))).flat(),
    configFile: configFile('sevrer = "dyn.test"\n'),
  })

  expect(settings.ok ? [] : settings.error.messages).toEqual(
    expect.arrayContaining([
      expect.stringContaining('h.toml:1: sevrer is not a setting'),
      'HOLDFAST_INTERVALL is not a setting; did you mean HOLDFAST_INTERVAL?',
    ]),
  )
})
