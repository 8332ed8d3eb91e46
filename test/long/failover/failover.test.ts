import { expect, it } from 'vitest'
import { readyOf, urlOf } from '../../e2e/two-nodes.ts'
import { eventually } from '../../eventually.ts'
import { whyNoPostgres } from '../../lab/postgres.ts'
import { lacks } from '../../lacks.ts'
import { addKey, clientOf, startPatches, timeToGood } from './client.ts'
import { startPair } from './pair.ts'
import { FollowedZone, LOST, NAMES, ownName } from './followed.ts'
import { linesOf } from './lines.ts'

/** A run of a few minutes has 3; the demand is 50. */
const FAILOVERS = Number(process.env['HOLDFAST_TEST_FAILOVERS'] ?? 50)
/** In milliseconds after the promotion: the limit for /nic/update during four loops of PATCH. */
const MAX_BACK = 2000
/** Updates after each failover with loops. */
const UPDATES = 10
const LOOPS = Array.from({ length: 4 }, (_, n) => [ownName('loop', 2 * n), ownName('loop', 2 * n + 1)])
const isLacking = ['knotd', 'named'].map((one) => lacks(one)).includes(true) || whyNoPostgres() !== undefined

it.skipIf(isLacking)(
  `no serial is given twice and no name is wrong after ${FAILOVERS} failovers that lose the last changes`,
  async () => {
    const pair = await startPair()
    const zone = await FollowedZone.start(urlOf(...pair.ports))
    const nodes = [await zone.node(), await zone.node()] as const
    const credentials = await addKey(nodes[0].url, zone.world.apiKey, NAMES.key)
    const [client, other] = [nodes[0], nodes[1]].map((node) =>
      clientOf(node.url, zone.world.apiKey, credentials),
    )
    if (client === undefined || other === undefined) throw new Error('there are two nodes')
    await zone.startSecondaries()
    const [backs, silent]: [number[], number[]] = [[], []]
    for (let n = 1; n <= FAILOVERS; n++) {
      await pair.follow()
      await pair.cut()
      const lines = linesOf(nodes)
      await zone.lose(client, n)
      await pair.failOver()
      await eventually(async () => readyOf(nodes.map(({ url }) => url)), 5).toEqual([200, 200])
      // Every second time as many changes as were lost, so that the numbers meet; else four loops go on.
      if (n % 2 === 1) {
        for (let at = 0; at < LOST; at++) await timeToGood(other, ownName('after', at), `10.2.${n}.${at}`)
      } else {
        const patches = startPatches(client, LOOPS, n)
        await eventually(() => patches.stored(), 10).toBeGreaterThan(LOOPS.length)
        for (let at = 0; at < UPDATES; at++)
          backs.push(await timeToGood(other, ownName('after', at % LOST), `10.3.${n}.${at}`))
        await patches.stop()
      }
      await zone.settled(n)
      if (linesOf(nodes) === lines) silent.push(n)
    }
    const [twice, slowest] = [zone.own.twice(), Math.round(Math.max(...backs, 0))]
    console.log(JSON.stringify({ slowest, silent, serials: zone.own.seen(), wrong: zone.wrong, twice }))
    expect({ wrong: zone.wrong, twice, silent }).toEqual({ wrong: [], twice: [], silent: [] })
    expect(slowest).toBeLessThan(MAX_BACK)
    // The own secondary has seen every failover at least: what it saw says something.
    expect(zone.own.seen()).toBeGreaterThan(FAILOVERS * LOST)
  },
  FAILOVERS * 60_000 + 120_000,
)
