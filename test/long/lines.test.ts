import { describe, expect, it } from 'vitest'
import { LONG, play, report } from '../lab/line-judge.ts'
import { LINE_ROWS } from '../lab/line-rows.ts'
import { canLab } from '../lab/lab.ts'
import { lacks } from '../lacks.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(`\n!!! no network lab here (${reason}): the tests of other lines are SKIPPED\n`)
const cannot = reason !== undefined || lacks('curl') || lacks('python3')
const lacksWireGuard = lacks('wg-quick') || lacks('wireguard-go')
const rows = LINE_ROWS.filter(({ name }) => !(name.startsWith('wg-quick') && lacksWireGuard))

/** Most of the time all wait. */
const HALF_HOUR = 1_800_000
/** Less time: what is allowed is published soon. */
const CONTROL = { ...LONG, rounds: 1, hold: 3000 }

describe.skipIf(cannot)('the line of this host', { timeout: HALF_HOUR }, () => {
  it.concurrent.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const verdict = await play(row, LONG)
    console.log(report(verdict))

    expect(verdict.faults, report(verdict)).toEqual([])
  })

  // The lab is as it says, and the judge sees what it must.
  it.concurrent.each(rows.filter(({ exit }) => exit !== undefined).map((row) => [row.name, row] as const))(
    '%s, where the user allows it: the exit is published, and the judge sees that',
    async (_, row) => {
      const { faults, notes } = await play(row, CONTROL, { HOLDFAST_ALLOW_VPN: 'yes' })

      expect(faults.filter((fault) => fault.startsWith('WRONG')).join('\n'), notes.join('\n')).toContain(
        row.exit,
      )
      expect(faults.filter((fault) => fault.includes('the lab is wrong'))).toEqual([])
    },
  )
})
