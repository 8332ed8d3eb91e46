import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { measure } from '../bench/detect-run.ts'
import { scenario } from '../bench/detect-scenarios.ts'
import { PATIENCE } from '../eventually.ts'
import { canLab } from '../lab/lab.ts'
import { judgesPace } from '../lab/pace.ts'

const OTHER_NODE = process.env['HOLDFAST_TEST_NODE']
const hasOther = OTHER_NODE !== undefined && existsSync(OTHER_NODE)
const reason = canLab()
if (reason !== undefined)
  console.error(`\n!!! no network lab here (${reason}): the tests of detection in the field are SKIPPED\n`)
else if (!hasOther)
  console.error(
    '\n!!! HOLDFAST_TEST_NODE names no other Node: its test of detection in the field is SKIPPED\n',
  )

/** The bench says how fast it is; this says that nothing is missed or wrong, and that the daemon survives. */
describe.skipIf(reason !== undefined)('in the field', () => {
  const holds = async (name: string, changes: number, node?: string): Promise<void> => {
    const { times, missed, wrong, crashed, failed, notes } = await measure(
      { ...scenario(name), limit: PATIENCE },
      { changes, node },
    )

    const found = { missed, wrong, crashed, failed, measured: times.length }
    const wanted = { missed: 0, wrong: 0, crashed: 0, failed: undefined, measured: changes }
    expect(found, notes.join('\n')).toEqual(wanted)
  }

  it('both families change at once, 4 times: both arrive, and the daemon continues', async () =>
    holds('both-at-once', 4))

  it.skipIf(!hasOther)('both families change at once, 4 times, under the other Node', async () =>
    holds('both-at-once', 4, OTHER_NODE),
  )

  it('the gateway drops UDP 5351 while addresses change: the daemon continues', async () =>
    holds('no-udp-5351', 1))

  it('a container network has a lower global address: that of the uplink is published', async () =>
    holds('docker0', 1))

  // How long an address is away is a matter of pace.
  it.runIf(judgesPace)('an address that comes back within a second is published again', async () =>
    holds('flip-back', 1),
  )
})
