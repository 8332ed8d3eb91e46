import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { steadyClock } from '../../src/shared/platform/clock/clock.ts'
import { apexOf } from '../../src/service/model/apex.ts'
import { sqliteStore } from '../../src/service/store/sqlite/store.ts'
import { instant } from '../../src/shared/base/time.ts'
import { freePort } from '../free-port.ts'
import { addressIn, Asker, percentile } from '../bench/publish-asker.ts'
import { lacks } from '../lacks.ts'
import { bind, knot } from '../system/name-server-programs.ts'
import { type Primary, primary } from '../system/secondaries.ts'

const ZONES = 10_000
/** Zones that change in a second, and zones that change one after the other. */
const [AT_ONCE, SINGLE] = [1000, 40]
const NAMES = ['knot', 'bind'] as const
const isLacking = ['knotd', 'named'].map((one) => lacks(one)).includes(true)
const NAMESERVERS = ['ns1.operator.test', 'ns2.operator.test']
const zoneNamed = (n: number): string => `z${n}.test`

/** Zones with one name, in the store of a running service. */
async function addZones({ folder }: Primary): Promise<void> {
  const store = sqliteStore(join(folder, 'store'), steadyClock)
  const now = instant(Date.now())
  for (let at = 0; at < ZONES; at += 500)
    await store.write(async (w) => {
      const login = await w.login('acme')
      const accountId = login?.accountId ?? 0
      for (let n = at; n < at + 500; n++) {
        const zoneId = await w.addZone({ accountId, name: zoneNamed(n), isShared: false }, now)
        await w.saveName(apexOf({ zoneId, accountId }, NAMESERVERS, now), now)
        const home = await w.addName({ zoneId, accountId, name: 'home' }, now)
        await w.setSingleValue(home, { dnsType: 'A', value: '192.0.2.1' }, now)
      }
    })
  await store.close()
}

it.skipIf(isLacking)(
  `of ${ZONES} zones, changes are at BIND and Knot at once, also after a crash`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-zones-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const ports = await Promise.all(NAMES.map(async () => freePort()))
    const at = await primary(
      folder,
      NAMES.map((name, n) => ({ name, port: ports[n] ?? 0 })),
    )
    onTestFinished(async () => at.kill('SIGKILL'))
    const servers = [knot, bind].map((program, n) => program({ folder, port: ports[n] ?? 0, dns: at.dns }))
    const asker = new Asker()
    onTestFinished(async () => {
      asker.close()
      await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
    })
    await addZones(at)
    for (const server of servers) await server.start()

    const isAt = async (port: number, zone: number, address: string, timeout = 60_000): Promise<void> => {
      const wire = questionWire(`home.${zoneNamed(zone)}`, RR_TYPES.A)
      await asker.until({ port, wire, pause: 20, timeout }, (answer) => addressIn(answer) === address)
    }
    const put = async (zone: number, address: string): Promise<void> =>
      expect(
        await at.api('PUT', `/dns/records/${zoneNamed(zone)}/home/rrsets/A`, { rdata: [{ value: address }] }),
      ).toBe(202)
    for (const port of ports) for (let n = 0; n < ZONES; n += 100) await isAt(port, n, '192.0.2.1', 240_000)
    await isAt(ports[1] ?? 0, ZONES - 1, '192.0.2.1')
    await sleep(5000)

    await at.kill('SIGKILL')
    await at.restart()
    const singles: number[] = []
    for (let n = 0; n < SINGLE; n++) {
      const began = performance.now()
      await put(n * 7, '192.0.2.2')
      await Promise.all(ports.map(async (port) => isAt(port, n * 7, '192.0.2.2')))
      singles.push(performance.now() - began)
    }
    const began = performance.now()
    for (let n = 0; n < AT_ONCE; n += 50)
      await Promise.all(Array.from({ length: 50 }, async (_, one) => put(n + one, '192.0.2.3')))
    const changed = performance.now() - began
    for (const port of ports) for (let n = 0; n < AT_ONCE; n += 7) await isAt(port, n, '192.0.2.3')
    const all = performance.now() - began
    console.log(
      JSON.stringify({ p50: percentile(singles, 0.5), p95: percentile(singles, 0.95), changed, all }),
    )
    expect(percentile(singles, 0.95)).toBeLessThan(1000)
    expect(all - changed).toBeLessThan(3000)
  },
  900_000,
)
