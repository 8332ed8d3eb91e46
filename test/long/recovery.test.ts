import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../free-port.ts'
import { eventually } from '../eventually.ts'
import { ARCHIVING, recoverable } from '../lab/postgres-recovery.ts'
import { startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { lacks } from '../lacks.ts'
import { bind, knot, nsd, short } from '../system/name-server-programs.ts'
import { primary } from '../system/secondaries.ts'

const lacking =
  ['knotd', 'named', 'nsd', 'dig'].map((one) => lacks(one)).includes(true) || whyNoPostgres() !== undefined
const NAMES = ['knot', 'bind', 'nsd'] as const
const ZONE = 'example.test'

/** How the service meets it. */
const CASES = ['while the service runs', 'before the service starts'] as const

describe.skipIf(lacking)('PostgreSQL is recovered to an earlier moment', { timeout: 300_000 }, () => {
  it.each(CASES)('%s: name servers have what it has within ten seconds', async (when) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-recovery-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const postgres = await startPostgres(ARCHIVING)
    onTestFinished(async () => postgres.stop())
    const past = recoverable(postgres)
    await postgres.query('CREATE DATABASE service')
    const ports = await Promise.all(NAMES.map(async () => freePort()))
    const at = await primary(
      folder,
      NAMES.map((name, n) => ({ name, port: ports[n] ?? 0 })),
      [`hash_key_file = "${join(folder, 'hash.key')}"`, 'store_wait = "2s"'],
      `postgres://holdfast@127.0.0.1:${postgres.port}/service`,
    )
    onTestFinished(async () => at.kill('SIGKILL'))
    const servers = [knot, bind, nsd].map((program, n) =>
      program({ folder, port: ports[n] ?? 0, dns: at.dns }),
    )
    onTestFinished(
      async () => void (await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))),
    )
    const put = async (name: string, address: string): Promise<void> => {
      const path = `/dns/records/${ZONE}/${name}/rrsets/A`
      await eventually(async () =>
        Math.floor((await at.api('PUT', path, { rdata: [{ value: address }] })) / 100),
      ).toBe(2)
    }
    const everywhere = async (name: string, address: string): Promise<void> => {
      for (const { name: server, port } of [{ name: 'ours', port: at.dns }, ...servers])
        await eventually(() => `${server} ${name} ${short(port, `${name}.${ZONE}`, 'A')}`).toBe(
          `${server} ${name} ${address}`,
        )
    }
    expect(await at.api('POST', '/dns/zones', { zone_name: ZONE })).toBe(201)
    for (const server of servers) {
      await server.start()
      server.addZone(ZONE)
    }
    const add = async (name: string, value: string): Promise<void> =>
      expect(await at.api('POST', `/dns/records/${ZONE}/${name}/rrsets/A/rdata`, [{ value }])).toBe(201)
    past.backup()
    await add('home', '192.0.2.1')
    await everywhere('home', '192.0.2.1')
    await past.mark('then')
    for (const address of ['192.0.2.2', '192.0.2.3']) {
      await put('home', address)
      await everywhere('home', address)
    }
    await add('late', '192.0.2.4')
    await everywhere('late', '192.0.2.4')

    if (when === 'before the service starts') await at.kill('SIGTERM')
    await past.goBack('then')
    if (when === 'before the service starts') await at.restart()
    const began = Date.now()
    await everywhere('home', '192.0.2.1')
    await everywhere('late', '')
    expect(Date.now() - began).toBeLessThan(10_000)
    expect(at.log()).toContain('secondary is newer')
    await put('home', '192.0.2.5')
    await everywhere('home', '192.0.2.5')
  })
})
