import { describe, expect, it } from 'vitest'
import { measure } from '../bench/detect-run.ts'
import { vpnScenario } from '../bench/detect-vpn.ts'
import { PATIENCE } from '../eventually.ts'
import { canLab } from '../lab/lab.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(`\n!!! no network lab here (${reason}): the tests of VPNs in steps are SKIPPED\n`)

/** A tunnel that has its address before its routes, in ms. The long run tries others, and wg-quick, and judges the times. */
const DELAY = { policy: 60, def1: 60, halves: 400, ports: 60 } as const
// biome-ignore format: a table
const CASES = [
  ['policy', 'mute'],
  ['policy', 'announcing'],
  ['def1',   'mute'],
  ['def1',   'announcing'],
  ['halves', 'mute'],
  ['ports',  'mute'],
] as const

describe.skipIf(reason !== undefined)('a VPN that comes up in steps', () => {
  it.concurrent.each(CASES)('%s, the router is %s: its exit is never sent', async (routes, router) => {
    const scenario = { ...vpnScenario(routes, router, [DELAY[routes]]), settle: 3000, limit: PATIENCE }
    const { times, missed, wrong, crashed, failed, notes } = await measure(scenario, { changes: 1 })

    const found = { missed, wrong, crashed, failed, measured: times.length }
    const wanted = { missed: 0, wrong: 0, crashed: 0, failed: undefined, measured: 1 }
    expect(found, notes.join('\n')).toEqual(wanted)
  })
})
