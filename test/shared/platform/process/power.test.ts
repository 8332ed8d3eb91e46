import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { batteryIn } from '../../../../src/shared/platform/process/power.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-power-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Supply = Readonly<Partial<Record<'type' | 'scope' | 'status', string>>>

// biome-ignore format: a table
it.each<[string, readonly Supply[], boolean]>([
  ['without any supply',          [],                                                                           false],
  ['with mains',                  [{ type: 'Mains' }],                                                          false],
  ['with a battery that charges', [{ type: 'Mains' }, { type: 'Battery', status: 'Charging' }],                 false],
  ['with a battery in use',       [{ type: 'Battery', scope: 'System', status: 'Discharging' }],                true],
  ['with a mouse',                [{ type: 'Battery', scope: 'Device', status: 'Discharging' }],                false],
  ['with two batteries',          [{ type: 'Battery', status: 'Full' }, { type: 'Battery', status: 'Discharging' }], true],
])('a host %s', async (name, supplies, expected) => {
  const root = join(folder, name)
  supplies.forEach((supply, nth) => {
    mkdirSync(join(root, `supply${nth}`), { recursive: true })
    for (const [file, text] of Object.entries(supply))
      writeFileSync(join(root, `supply${nth}`, file), `${text}\n`)
  })

  expect(await batteryIn(root)).toBe(expected)
})
