import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'
import { freePort } from '../free-port.ts'
import { bind, dig, knot, type NameServer, policyOfDocument, short } from './name-server-programs.ts'
import { type Primary, primary } from './secondaries.ts'

const isLacking = ['knotd', 'named', 'dig', 'delv'].map((one) => lacks(one)).includes(true)
const ENV = { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: '/nonexistent' }
const R = '/dns/records/example.test'

/** One name server signs what it fetches; validators believe it by its key. */
describe.skipIf(isLacking)('a zone that a name server signs', () => {
  let folder: string
  let at: Primary
  let servers: readonly NameServer[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-signed-'))
    const [first, second] = [await freePort(), await freePort()]
    at = await primary(folder, [
      { name: 'knot', port: first },
      { name: 'bind', port: second },
    ])
    expect(await at.api('POST', '/dns/zones', { zone_name: 'example.test' })).toBe(201)
    const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }]
    expect(await at.api('POST', R, { name: 'home', rrsets })).toBe(201)
    const zone = `zone "example.test" { type secondary; primaries { 127.0.0.1 port ${at.dns} key bind-key; }; allow-notify { key bind-key; }; file "${folder}/bind/signed.db"; inline-signing yes; dnssec-policy default; };`
    servers = [
      knot({ folder, port: first, dns: at.dns }, policyOfDocument),
      // A member of a catalog cannot be signed by BIND 9.18: the zone is named.
      bind({ folder, port: second, dns: at.dns }, (text) => `${text}\n${zone}\n`),
    ]
    for (const server of servers) await server.start()
  })
  afterAll(async () => {
    await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
    await at.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  const validated = (port: number): string => {
    const key = short(port, 'example.test', 'DNSKEY')
      .split('\n')
      .filter((line) => line.startsWith('257 '))
      .map((line) => {
        const [flags, protocol, algorithm, ...rest] = line.split(' ')
        return `  example.test. static-key ${flags} ${protocol} ${algorithm} "${rest.join('')}";`
      })
    const anchors = join(folder, `anchors-${port}`)
    writeFileSync(anchors, `trust-anchors {\n${key.join('\n')}\n};\n`)
    const { stdout } = spawnSync(
      'delv',
      ['@127.0.0.1', '-p', String(port), '-a', anchors, '+root=example.test', 'home.example.test', 'A'],
      { env: ENV, encoding: 'utf8' },
    )
    return stdout.includes('fully validated') ? (/\sA\s+(\S+)$/m.exec(stdout)?.[1] ?? '') : stdout
  }

  it('is believed by a validator, before and after a change', async () => {
    for (const { name, port } of servers)
      await eventually(() => `${name} ${validated(port)}`, 200).toBe(`${name} 192.0.2.1`)

    expect(await at.api('PUT', `${R}/home/rrsets/A`, { rdata: [{ value: '192.0.2.2' }] })).toBe(202)
    for (const { name, port } of servers)
      await eventually(() => `${name} ${validated(port)}`, 100).toBe(`${name} 192.0.2.2`)
    const signed = () => dig(servers[0]?.port ?? 0, ['home.example.test', 'A', '+dnssec']).includes('RRSIG')
    await eventually(signed).toBe(true)
  })
})

describe.skipIf(isLacking)('a secondary with the wrong secret', () => {
  it('fetches nothing, and is reported after a minute', async () => {
    const own = mkdtempSync(join(tmpdir(), 'holdfast-wrong-'))
    const port = await freePort()
    const service = await primary(own, [{ name: 'knot', port }])
    const wrong = Buffer.alloc(32, 9).toString('base64')
    const server = knot({ folder: own, port, dns: service.dns }, (text) =>
      text.replaceAll(/secret: .*/g, `secret: ${wrong}`),
    )
    try {
      await server.start()
      expect(await service.api('POST', '/dns/zones', { zone_name: 'example.test' })).toBe(201)
      await eventually(() => server.log()).toMatch(/BADSIG|TSIG|NOTAUTH/i)
      expect(dig(port, ['example.test', 'SOA'])).toMatch(/status: (REFUSED|SERVFAIL)/)
      // It is stuck a minute after it was notified.
      await eventually(() => service.log(), 1000, 110_000).toMatch(
        /"secondary":"knot".*"msg":"secondary is stuck"/,
      )
    } finally {
      await server.stop('SIGKILL')
      await service.kill('SIGKILL')
      rmSync(own, { recursive: true, force: true })
    }
  })
})
