import { describe, expect, it } from 'vitest'
import { measure } from '../bench/detect-run.ts'
import { scenario } from '../bench/detect-scenarios.ts'
import { percentile } from '../bench/detect-statistics.ts'
import { PATIENCE } from '../eventually.ts'
import { canLab } from '../lab/lab.ts'
import { judgesPace } from '../lab/pace.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(
    `\n!!! no network lab here (${reason}): the tests of what is noticed, and when, are SKIPPED\n`,
  )

/** The bench says how fast it is; this only says that it works at all, on a machine that does much else. */
describe.skipIf(reason !== undefined)('a change of address reaches the service', () => {
  // biome-ignore format: a table
  it.each([
    ['announced-swap', 3, 1000],
    ['answering',      2, 2500],
    ['ipv6-prefix',    1, 1000],
    ['liar',           2, 3000],
    ['before-network', 1, 3000],
  ] as const)('%s, %i times; in the long run each within %i ms', async (name, changes, most) => {
    const row = { ...scenario(name), ...(!judgesPace && { limit: PATIENCE }) }
    const { times, missed, wrong, notes } = await measure(row, { changes })

    expect({ missed, wrong, measured: times.length }, notes.join('\n')).toEqual({ missed: 0, wrong: 0, measured: changes })
    if (judgesPace) expect(percentile(times, 1)).toBeLessThanOrEqual(most)
  })
})
