import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { encodeName } from '../../src/shared/dns/name.ts'
import { eventually } from '../eventually.ts'
import { judgesPace } from '../lab/pace.ts'
import { lacks } from '../lacks.ts'
import { freePort } from '../free-port.ts'
import { bind, knot, nsd } from '../system/name-server-programs.ts'
import { primary } from '../system/secondaries.ts'
import { addressAt } from './address-at.ts'

/** In seconds, and names. */
const DURATION = Number(process.env['HOLDFAST_TEST_LOAD'] ?? 5)
const COUNT = 2000
const PER_SECOND = 3000
const isLacking = ['knotd', 'named', 'nsd', 'dig'].map((one) => lacks(one)).includes(true)

it.skipIf(isLacking)(
  `name servers follow ${PER_SECOND} changes a second`,
  async () => {
    expect(encodeName('a').length).toBe(3)
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-load-'))
    const names = ['knot', 'bind', 'nsd'] as const
    const ports = await Promise.all(names.map(freePort))
    const at = await primary(
      folder,
      names.map((name, n) => ({ name, port: ports[n] ?? 0 })),
    )
    const place = (n: number) => ({ folder, port: ports[n] ?? 0, dns: at.dns })
    const servers = [knot(place(0)), bind(place(1)), nsd(place(2))]
    try {
      expect(await at.api('POST', '/dns/zones', { zone_name: 'example.test' })).toBe(201)
      for (let first = 0; first < COUNT; first += 100) {
        const changes = Array.from({ length: 100 }, (_, n) => ({
          name: `h${first + n}`,
          dns_type: 'A',
          rdata: [{ value: '192.0.2.1', label: 'a' }],
        }))
        expect(await at.api('PATCH', '/dns/records/example.test', changes)).toBe(202)
      }
      const made = await fetch(`${at.url}/v1/account/ddns-keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ hostnames: Array.from({ length: 50 }, (_, n) => `h${n}.example.test`) }),
      })
      expect(made.status).toBe(201)
      for (const server of servers) {
        await server.start()
        server.addZone('example.test')
      }
      const settled = async (): Promise<void> => {
        for (const { name, port } of [...servers, { name: 'own', port: at.dns }])
          await eventually(async () => `${name} ${await addressAt(port, 'h1999.example.test')}`).toBe(
            `${name} 192.0.2.1`,
          )
      }
      await settled()
      const { changed, last } = await changes(at)
      if (judgesPace) {
        // Converged within three seconds after the end.
        await sleep(3000)
        const wrong = await wrongAnswers(servers, last)
        console.log(`${changed} changes in ${DURATION} s; 3 s later ${wrong.length} wrong answers`)
        expect(wrong).toEqual([])
      }
      // Half of the pace.
      if (judgesPace) expect(changed).toBeGreaterThan((DURATION * PER_SECOND) / 2)
      expect(changed).toBeGreaterThan(0)
      await eventually(async () => wrongAnswers(servers, last)).toEqual([])
    } finally {
      await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
      await at.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)

type At = Awaited<ReturnType<typeof primary>>

/** Batches of changes at the pace, and the last value of every name. */
async function changes(at: At) {
  const last = new Map<string, string>()
  const began = performance.now()
  let number = 0
  while (performance.now() - began < DURATION * 1000) {
    const batch = Array.from({ length: 100 }, () => {
      number++
      const name = `h${(number * 7919) % COUNT}`
      const value = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
      last.set(name, value)
      return { name, dns_type: 'A', rdata: [{ value, label: 'a' }] }
    })
    expect(await at.api('PATCH', '/dns/records/example.test', batch)).toBe(202)
    const due = began + (number / PER_SECOND) * 1000
    if (due > performance.now()) await sleep(due - performance.now())
  }
  return { changed: number, last }
}

/** One name of ten. */
async function wrongAnswers(
  servers: readonly { readonly name: string; readonly port: number }[],
  last: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const { name: server, port } of servers)
    for (const [name, value] of [...last].filter((_, n) => n % 10 === 0)) {
      const found = await addressAt(port, `${name}.example.test`)
      if (found !== value) wrong.push(`${server} ${name} ${found} instead of ${value}`)
    }
  return wrong
}
