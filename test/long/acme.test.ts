import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'
import { type AcmeAuthority, acmeAuthority } from '../system/acme-authority.ts'
import { CLIENTS, issue } from '../system/acme-clients.ts'
import { bind, knot, type NameServer, short } from '../system/name-server-programs.ts'
import { stopAll, type ToolService, toolService } from '../system/tool-service.ts'

const CERTIFICATES = 20
/** As many as the cores of a small machine. */
const AT_ONCE = 2
const NAMES = ['knot', 'bind'] as const
const isLacking = ['pebble', 'certbot', 'knotd', 'named', 'curl', 'openssl']
  .map((one) => lacks(one))
  .includes(true)

describe.skipIf(isLacking)(
  `${CERTIFICATES} wildcard certificates, while the authority asks Knot or BIND`,
  () => {
    let folder: string
    let at: ToolService
    let servers: readonly NameServer[] = []
    let authorities: readonly AcmeAuthority[] = []
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'holdfast-acme-'))
      const ports = await Promise.all(NAMES.map(freePort))
      at = await toolService(
        folder,
        NAMES.map((name, n) => ({ name, port: ports[n] ?? 0 })),
      )
      servers = [knot, bind].map((program, n) => program({ folder, port: ports[n] ?? 0, dns: at.dns }))
      await Promise.all(servers.map(async (server) => server.start()))
      authorities = await Promise.all(
        servers.map(async ({ name, port }) => {
          mkdirSync(join(folder, name), { recursive: true })
          return acmeAuthority(join(folder, name), port)
        }),
      )
    })
    afterAll(async () => {
      await Promise.all(authorities.map(async (one) => one.stop()))
      await stopAll(at, servers)
      rmSync(folder, { recursive: true, force: true })
    })

    /** The outputs of the commands that got no certificate. */
    const failures = async (
      client: keyof typeof CLIENTS,
      prefix: string,
      more: string,
    ): Promise<readonly string[]> => {
      const failed: string[] = []
      const times: number[] = []
      const one = async (n: number): Promise<void> => {
        const authority = authorities[n % authorities.length]
        const how = CLIENTS[client]
        if (authority === undefined || how === undefined) throw new Error('there is no authority')
        const name = `${prefix}-${n}.example.test`
        const { code, names, stdout, stderr, took } = await issue({ at, authority, folder }, how, name, more)
        times.push(took)
        if (code !== 0 || names === undefined) failed.push(`${name}: ${code} ${stdout}${stderr}`)
      }
      for (let n = 0; n < CERTIFICATES; n += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, async (_, more) => one(n + more)))
      const [median = 0] = times.toSorted((a, b) => a - b).slice(times.length / 2)
      console.log(
        `${client} ${more}: ${CERTIFICATES - failed.length} of ${CERTIFICATES} certificates, ${median.toFixed(1)} s each`,
      )
      return failed
    }

    it('begin when both have the zone', async () => {
      for (const { port } of servers)
        await eventually(() => short(port, 'example.test', 'SOA')).toContain('ns1')
    })

    // biome-ignore format: a table
    it.each([
    ['certbot with dns-rfc2136', 'update', '--dns-rfc2136-propagation-seconds 1'],
    ['certbot with our hook', 'hook', ''],
  ] as const)('come by %s', async (client, prefix, more) => expect(await failures(client, prefix, more)).toEqual([]), 900_000)

    it('without waiting after an UPDATE, some may fail: this says how many', async () => {
      const failed = await failures(
        'certbot with dns-rfc2136',
        'hasty',
        '--dns-rfc2136-propagation-seconds 0',
      )
      expect(failed.filter((one) => !one.includes('TXT'))).toEqual([])
    }, 900_000)
  },
)
