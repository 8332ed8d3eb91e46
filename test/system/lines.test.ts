import { describe, expect, it } from 'vitest'
import { type Pace, play, report } from '../lab/line-judge.ts'
import { lineRow } from '../lab/line-rows.ts'
import { canLab } from '../lab/lab.ts'
import { judgesPace } from '../lab/pace.ts'
import { lacks } from '../lacks.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(`\n!!! no network lab here (${reason}): the tests of other lines are SKIPPED\n`)
const cannot = reason !== undefined || lacks('curl') || lacks('python3')

/** One of each kind; `npm run test:long -- lines` has the others, and looks longer. */
const ROWS = [
  'a VPN box in the LAN, mute',
  'IPsec, mute',
  'an L2 VPN, replaced, mute',
  'LTE with a public address, a route instead, no carrier, mute',
  'a box that announces a global prefix, announcing',
  'PPPoE of the host beside a second way, mute',
  'port 53 taken',
] as const
const SHORT: Pace = { rounds: 1, settle: 5000, hold: 5000, isJudged: judgesPace }

describe.skipIf(cannot)('the line of this host', () => {
  it.concurrent.each(ROWS)('%s', async (name) => {
    const verdict = await play(lineRow(name), SHORT)

    expect(verdict.faults, report(verdict)).toEqual([])
  })
})
