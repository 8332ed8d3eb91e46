import { describe, expect, it } from 'vitest'
import { measure } from '../bench/detect-run.ts'
import { complaints, table } from '../bench/detect-statistics.ts'
import { VPN_SCENARIOS } from '../bench/detect-vpn.ts'
import { canLab } from '../lab/lab.ts'
import { lacks } from '../lacks.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(`\n!!! no network lab here (${reason}): the tests of VPNs in steps are SKIPPED\n`)
const lacksWireGuard = lacks('wg-quick') || lacks('wireguard-go')

/** Each scenario is a home with one VPN after the other, three a minute. Most of the time all wait. */
const HALF_HOUR = 1_800_000

describe.skipIf(reason !== undefined)('VPNs that come up in steps', { timeout: HALF_HOUR }, () => {
  it.concurrent.each(
    VPN_SCENARIOS.filter(({ name }) => !(name.startsWith('wg-quick') && lacksWireGuard)).map(
      (scenario) => [scenario.name, scenario] as const,
    ),
  )('%s: the exit is never sent, a warning comes, and the line is right in time', async (_, scenario) => {
    const row = await measure(scenario, {
      changes: scenario.changes?.full ?? 1,
      logs: process.env['HOLDFAST_TEST_LOGS'],
    })
    console.log(`\n${[table([row]), ...row.notes].join('\n')}\n`)

    expect(complaints(row), row.notes.join('\n')).toEqual([])
    expect(row.times.length).toBe(scenario.changes?.full)
  })
})
