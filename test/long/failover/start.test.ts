import { expect, it, onTestFinished } from 'vitest'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { urlOf } from '../../e2e/two-nodes.ts'
import { eventually } from '../../eventually.ts'
import { whyNoPostgres } from '../../lab/postgres.ts'
import { sized } from '../../large.ts'
import { addKey, clientOf } from './client.ts'
import { startPair } from './pair.ts'
import { startResponder } from './responder.ts'
import { failoverWorld } from './world.ts'

const ZONES = sized(500, 10_000)
/** In milliseconds after a node listens: the demand on a service with 10,000 zones. */
const MAX_FIRST = 500

it.skipIf(whyNoPostgres() !== undefined)(
  `two nodes with ${ZONES} zones and four secondaries answer their first requests at once`,
  async () => {
    const pair = await startPair()
    const world = await failoverWorld({ store: urlOf(...pair.ports), names: 4, zones: ZONES })
    // Secondaries that have every zone as it is: a start asks each of them for each zone.
    const serials = new Map<string, number>()
    const secondaries = await Promise.all(
      ['one', 'two', 'three', 'four'].map(async (name) => startResponder(name, (zone) => serials.get(zone))),
    )
    onTestFinished(() => secondaries.forEach(({ close }) => close()))
    const filled = await world.node(secondaries)
    const credentials = await addKey(filled.url, world.apiKey, 4)
    await eventually(
      async () => pair.query('SELECT count(*)::int AS n FROM dns_dirty', 'service'),
      500,
      300_000,
    ).toEqual([{ n: 0 }])
    filled.child.kill('SIGKILL')
    await filled.ended
    for (const { apex, serial } of await pair.query('SELECT apex, serial FROM dns_zone', 'service'))
      serials.set(String(apex), Number(serial))
    const asked = secondaries.map((one) => one.asked())

    const first = async (n: number) => {
      const node = await world.node(secondaries)
      const client = clientOf(node.url, world.apiKey, credentials)
      const began = steadyClock.now()
      const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
        const value = await work
        return [value, steadyClock.now() - began]
      }
      const [patched, updated] = await Promise.all([
        timed(client.patch(`n${n}`, '192.0.2.2')),
        timed(client.update(`n${2 + n}`, '192.0.2.2').then(({ word }) => word)),
      ])
      return { statuses: [patched[0], updated[0]], times: [patched[1], updated[1]] }
    }
    const firsts = await Promise.all([first(0), first(1)])
    console.log(JSON.stringify(firsts))
    expect(firsts.map(({ statuses }) => statuses)).toEqual([
      [202, 'good'],
      [202, 'good'],
    ])
    // The start had this work to do: without it the times prove nothing.
    for (const [at, one] of secondaries.entries())
      await eventually(() => one.asked() - (asked[at] ?? 0), 100, 300_000).toBeGreaterThan(ZONES)
    expect(Math.max(...firsts.flatMap(({ times }) => times))).toBeLessThan(MAX_FIRST)
  },
  900_000,
)
