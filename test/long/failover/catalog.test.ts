import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { questionWire } from '../../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../../src/shared/dns/types.ts'
import { addressIn, Asker } from '../../bench/publish-asker.ts'
import { scratch } from '../../e2e/processes.ts'
import { urlOf } from '../../e2e/two-nodes.ts'
import { eventually } from '../../eventually.ts'
import { whyNoPostgres } from '../../lab/postgres.ts'
import { lacks } from '../../lacks.ts'
import { short } from '../../system/name-server-programs.ts'
import { startPair } from './pair.ts'
import { failoverWorld, startServers, type World, ZONE } from './world.ts'
import { addZones, FIRST, zoneNamed } from './zones.ts'

const ZONES = 2000
/** In milliseconds, from the moment when a service has the zones: the demand on 2,000 new zones. */
const MAX_ALL = 15_000
/** How long the test looks for them: what never comes is said by its numbers. */
const PATIENCE = 90_000
const isLacking = ['knotd', 'named'].map((one) => lacks(one)).includes(true)

const secondariesOf = ({ servers }: World) => servers.map(({ name, port }) => ({ name, port }))

/** In which way the zones come. */
const WAYS = [
  {
    title: 'are added to the folder of a running service',
    skip: isLacking,
    come: async () => {
      const store = join(scratch(), 'store')
      const world = await failoverWorld({ store })
      await world.node(secondariesOf(world))
      await startServers(world)
      for (const { port } of world.servers) await eventually(() => short(port, ZONE, 'SOA')).toContain('ns1')
      await addZones(store, { from: 0, to: ZONES })
      return world
    },
  },
  {
    title: 'are in a database that a service is started on',
    skip: isLacking || whyNoPostgres() !== undefined,
    come: async () => {
      const pair = await startPair()
      const world = await failoverWorld({ store: urlOf(...pair.ports), zones: ZONES })
      await startServers(world)
      await world.node(secondariesOf(world))
      return world
    },
  },
]

for (const { title, skip, come } of WAYS)
  it.skipIf(skip)(
    `${ZONES} zones that ${title} are at Knot and BIND by the catalog, and none is refused`,
    async () => {
      const { servers } = await come()
      const began = performance.now()
      const asker = new Asker()
      onTestFinished(() => asker.close())
      const missing = new Map(
        servers.map(({ name }) => [name, new Set(Array.from({ length: ZONES }, (_, n) => n))]),
      )
      const times: Record<string, number> = {}
      for (const { name, port } of servers)
        void (async () => {
          const left = missing.get(name) ?? new Set()
          while (left.size > 0 && performance.now() - began < PATIENCE)
            for (const n of left)
              if (
                addressIn(await asker.ask(port, questionWire(`home.${zoneNamed(n)}`, RR_TYPES.A))) === FIRST
              )
                left.delete(n)
              else await new Promise((done) => setTimeout(done, 5))
          times[name] = Math.round(performance.now() - began)
        })()
      await eventually(() => Object.keys(times).length, 100, PATIENCE + 60_000).toBe(servers.length)
      const refused = servers.map(({ name, log }) => [
        name,
        log()
          .split('\n')
          .filter((line) => line.includes('NOTAUTH')).length,
      ])
      console.log(
        title,
        JSON.stringify({ times, refused, missing: [...missing].map(([name, { size }]) => [name, size]) }),
      )
      expect([...missing].map(([name, { size }]) => [name, size])).toEqual(
        servers.map(({ name }) => [name, 0]),
      )
      expect(refused).toEqual(servers.map(({ name }) => [name, 0]))
      expect(Math.max(...Object.values(times))).toBeLessThan(MAX_ALL)
    },
    300_000,
  )
