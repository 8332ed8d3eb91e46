import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../../e2e/processes.ts'
import { lacks } from '../../lacks.ts'
import { addKey, clientOf, timeToGood } from './client.ts'
import { FollowedZone, LOST, NAMES, ownName } from './followed.ts'
import { linesOf } from './lines.ts'
import type { Node } from './world.ts'

/** A run of a few minutes has 3; the demand on failovers is 50. */
const TIMES = Number(process.env['HOLDFAST_TEST_FAILOVERS'] ?? 50)
const isLacking = ['knotd', 'named'].map((one) => lacks(one)).includes(true)

async function end({ child, ended }: Node, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal)
  await ended
}

/** With the modes of its files. */
const copied = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to])

it.skipIf(isLacking)(
  `no serial is given twice and no name is wrong after ${TIMES} starts on an older copy of the store`,
  async () => {
    const folder = join(scratch(), 'store')
    const copy = `${folder}.copy`
    const zone = await FollowedZone.start(folder)
    let node = await zone.node()
    const credentials = await addKey(node.url, zone.world.apiKey, NAMES.key)
    const client = () => clientOf(node.url, zone.world.apiKey, credentials)
    await zone.startSecondaries()
    const silent: number[] = []
    for (let n = 1; n <= TIMES; n++) {
      await end(node, 'SIGTERM')
      copied(folder, copy)
      node = await zone.node()
      await zone.lose(client(), n)
      await end(node, 'SIGKILL')
      rmSync(folder, { recursive: true })
      copied(copy, folder)
      rmSync(copy, { recursive: true })
      node = await zone.node()
      // As many changes as were lost, so that the numbers meet.
      for (let at = 0; at < LOST; at++) await timeToGood(client(), ownName('after', at), `10.2.${n}.${at}`)
      await zone.settled(n)
      if (linesOf([node]) === 0) silent.push(n)
    }
    console.log(
      JSON.stringify({ silent, serials: zone.own.seen(), wrong: zone.wrong, twice: zone.own.twice() }),
    )
    expect({ wrong: zone.wrong, twice: zone.own.twice(), silent }).toEqual({
      wrong: [],
      twice: [],
      silent: [],
    })
    // The own secondary has seen what was lost each time: that nothing came twice says something.
    expect(zone.own.seen()).toBeGreaterThan(TIMES * LOST)
  },
  TIMES * 60_000 + 120_000,
)
