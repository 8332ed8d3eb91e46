import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { judgesPace } from '../lab/pace.ts'
import { lacks } from '../lacks.ts'
import { freePort } from '../free-port.ts'
import { bind, dig, knot, type NameServer, nsd, powerdns, short } from './name-server-programs.ts'
import { type Primary, primary } from './secondaries.ts'

const R = '/dns/records/example.test'
const isLacking = ['knotd', 'named', 'nsd', 'pdns_server', 'dig'].map((one) => lacks(one)).includes(true)
const NAMES = ['knot', 'bind', 'nsd', 'powerdns'] as const

/** A zone with every kind of name that a question can meet. */
const NAMES_OF_ZONE: readonly (readonly [name: string, type: string, ...values: readonly string[]])[] = [
  ['@', 'A', '192.0.2.10'],
  ['@', 'MX', '10 mail.example.test.', '20 mail2.other.test.'],
  ['@', 'TXT', '"v=spf1 -all"', '"octets \\000\\255 \\"quoted\\""'],
  ['@', 'CAA', '0 issue "ca.example.net"'],
  ['home', 'A', '192.0.2.1'],
  ['home', 'AAAA', '2001:db8::1'],
  ['www', 'CNAME', 'home.example.test.'],
  ['away', 'CNAME', 'elsewhere.other.test.'],
  ['chain', 'CNAME', 'www.example.test.'],
  ['alias', 'ALIAS', 'home.example.test.'],
  ['go', '_URL', 'https://example.net/x'],
  ['*', 'TXT', '"any"'],
  ['deep', 'A', '192.0.2.4'],
  ['*.deep', 'A', '192.0.2.3'],
  ['a.b.c', 'A', '192.0.2.4'],
  ['nomail', 'MX', '0 .'],
  ['_sip._tcp', 'SRV', '0 0 0 .', '1 2 5060 home.example.test.'],
  ['ns.cut', 'A', '192.0.2.53'],
  ['cut', 'NS', 'ns.cut.example.test.', 'ns.other.test.'],
  ['cut', 'DS', `1 13 2 ${'AB'.repeat(32)}`],
  ['svc', 'HTTPS', '1 . alpn=h2,h3 port=8443 ipv4hint=192.0.2.1'],
  ['svc', 'SVCB', '1 home.example.test. key65000="a b"'],
  ['svc', 'NAPTR', '1 2 "s" "SIP+D2U" "" _sip._udp.example.test.'],
  ['svc', 'URI', '1 2 "https://example.net/"'],
  ['svc', 'LOC', '52 22 23 N 4 53 32 E -2m 0m'],
  ['svc', 'SSHFP', `4 2 ${'CD'.repeat(32)}`],
  ['_443._tcp', 'TLSA', `3 1 1 ${'EF'.repeat(32)}`],
  ['off', 'A', '192.0.2.9'],
  ['off', 'TXT', '"stays"'],
]

/** Questions of every kind: positive, aliases, wildcards, empty names, cuts, other zones. */
const QUESTIONS: readonly (readonly [name: string, type: string])[] = [
  ...NAMES_OF_ZONE.filter(([, type]) => type !== 'ALIAS' && type !== '_URL' && type !== 'DS').map(
    ([name, type]) =>
      [name === '@' ? 'example.test' : `${name.replace('*', 'x')}.example.test`, type] as const,
  ),
  ['alias.example.test', 'A'],
  ['alias.example.test', 'AAAA'],
  ['go.example.test', 'A'],
  ['go.example.test', 'AAAA'],
  ['off.example.test', 'A'],
  ['www.example.test', 'A'],
  ['www.example.test', 'AAAA'],
  ['www.example.test', 'MX'],
  ['chain.example.test', 'A'],
  ['away.example.test', 'A'],
  ['example.test', 'SOA'],
  ['example.test', 'NS'],
  ['example.test', 'AAAA'],
  ['nothing.example.test', 'A'],
  ['no.such.example.test', 'TXT'],
  ['b.c.example.test', 'A'],
  ['c.example.test', 'TXT'],
  ['x.b.c.example.test', 'TXT'],
  ['other.deep.example.test', 'A'],
  ['x.y.deep.example.test', 'A'],
  ['other.deep.example.test', 'AAAA'],
  ['*.deep.example.test', 'A'],
  ['under.home.example.test', 'A'],
  ['cut.example.test', 'A'],
  ['cut.example.test', 'DS'],
  ['www.cut.example.test', 'A'],
  ['HoMe.ExAmPlE.TeSt', 'A'],
  ['kid.example.test', 'NS'],
  ['www.kid.example.test', 'A'],
]

describe.skipIf(isLacking)('name servers of other projects', () => {
  let folder: string
  let at: Primary
  let servers: readonly NameServer[]
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-publish-'))
    const ports = await Promise.all(NAMES.map(freePort))
    at = await primary(
      folder,
      NAMES.map((name, n) => ({ name, port: ports[n] ?? 0 })),
    )
    const place = (n: number) => ({ folder, port: ports[n] ?? 0, dns: at.dns })
    servers = [knot(place(0)), bind(place(1)), nsd(place(2)), powerdns(place(3))]
    expect(await at.api('POST', '/dns/zones', { zone_name: 'example.test' })).toBe(201)
    for (const [name, type, ...values] of NAMES_OF_ZONE) {
      const rdata = values.map((value) => ({ value }))
      expect([name, type, await at.api('POST', `${R}/${name}/rrsets/${type}/rdata`, rdata)]).toEqual([
        name,
        type,
        201,
      ])
    }
    const redirect = { action: 'redirect', url: 'https://example.net/' }
    expect(await at.api('PUT', `${R}/off/offline-settings`, redirect)).toBe(202)
    for (const server of servers) await server.start()
  })
  afterAll(async () => {
    await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
    await at.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  const everywhere = async (question: readonly string[], answer: string): Promise<void> => {
    for (const { name, port } of servers)
      await eventually(() => `${name} ${short(port, ...question)}`).toBe(`${name} ${answer}`)
  }
  const addZone = async (zone: string): Promise<void> => {
    // PowerDNS learns the zone from the catalog first.
    await eventually(() => servers[3]?.log()).toContain(`create zone '${zone}'`)
    for (const server of servers) server.addZone(zone)
  }
  const setHome = async (address: string): Promise<void> => {
    expect(await at.api('PUT', `${R}/home/rrsets/A`, { rdata: [{ value: address }] })).toBe(202)
  }

  it('fetch a zone that they learn from the catalog', async () => {
    await addZone('example.test')
    await everywhere(['home.example.test', 'A'], '192.0.2.1')
  })

  it('fetch a change as soon as they are told', async () => {
    await setHome('192.0.2.2')
    await everywhere(['home.example.test', 'A'], '192.0.2.2')
    await setHome('192.0.2.1')
    await everywhere(['home.example.test', 'A'], '192.0.2.1')
  })

  it('follow a zone of the service inside another one, and a name that goes offline', async () => {
    expect(await at.api('POST', '/dns/zones', { zone_name: 'kid.example.test' })).toBe(201)
    await addZone('kid.example.test')
    const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.99' }] }]
    expect(
      await at.api('POST', R, {
        name: 'late',
        rrsets,
        offline: true,
        offline_settings: { action: 'record', dns_type: 'A', rdata: '192.0.2.77' },
      }),
    ).toBe(201)
    await everywhere(['late.example.test', 'A'], '192.0.2.77')
    await everywhere(['kid.example.test', 'NS'], 'ns1.operator.test.\nns2.operator.test.')
  })

  it('answer every kind of question as the service does', async () => {
    const sections = ['+noall', '+answer', '+comments', '+nottlunits', '+norecurse']
    const said = (port: number, name: string, type: string): readonly string[] => {
      const text = dig(port, [name, type, ...sections])
      const [, status = ''] = /status: (\w+)/.exec(text) ?? []
      const isAuthoritative = / aa[ ;]/.test(/flags:[^;]*;/.exec(text)?.[0] ?? '')
      const records = text.split('\n').filter((line) => line !== '' && !line.startsWith(';'))
      return [
        status,
        isAuthoritative ? 'aa' : '-',
        ...records.map((line) => line.replaceAll(/\s+/g, ' ').toLowerCase()).toSorted(),
      ]
    }
    const differences = () =>
      QUESTIONS.flatMap(([name, type]) => {
        const own = said(at.dns, name, type)
        return servers.flatMap((server) => {
          const other = said(server.port, name, type)
          return JSON.stringify(own) === JSON.stringify(other)
            ? []
            : [{ server: server.name, name, type, own, other }]
        })
      })
    // A secondary transfers a zone when it has time.
    await eventually(differences).toEqual([])
  })

  it('ask a service whose cookies dig finds good', () =>
    expect(dig(at.dns, ['home.example.test', 'A'])).toMatch(/COOKIE: [0-9a-f]{48} \(good\)/))

  it('catch up after they were away, and after the service was killed', async () => {
    for (const server of servers) await server.stop()
    for (let n = 0; n < 20; n++) await setHome(`192.0.2.${100 + n}`)
    for (const server of servers) await server.start()
    await everywhere(['home.example.test', 'A'], '192.0.2.119')

    await setHome('192.0.2.120')
    await at.kill('SIGKILL')
    await at.restart()
    await everywhere(['home.example.test', 'A'], '192.0.2.120')
  })

  it('fetch the whole zone if the journal does not reach back', async () => {
    for (const server of servers) await server.stop()
    await setHome('192.0.2.130')
    await sleep(200)
    await at.kill('SIGTERM')
    const database = new DatabaseSync(join(folder, 'store/holdfast.db'))
    database.exec('DELETE FROM dns_journal')
    database.close()
    await at.restart()
    await setHome('192.0.2.131')
    for (const server of servers) await server.start()
    await everywhere(['home.example.test', 'A'], '192.0.2.131')
  })

  it('follow a restored backup, although its serials are older', async () => {
    const before = short(servers[0]?.port ?? 0, 'home.example.test', 'A')
    const backups = join(folder, 'backups')
    await at.admin('backup', backups)
    for (let n = 0; n < 5; n++) await setHome(`192.0.2.${140 + n}`)
    await everywhere(['home.example.test', 'A'], '192.0.2.144')
    await at.kill('SIGTERM')
    const [backup = ''] = readdirSync(backups)
    await at.admin('restore', join(backups, backup))
    await at.restart()
    await everywhere(['home.example.test', 'A'], before)
  })

  it('follow a store that went back in time without a word', async () => {
    const copy = join(folder, 'copy')
    await setHome('192.0.2.150')
    await everywhere(['home.example.test', 'A'], '192.0.2.150')
    await at.kill('SIGTERM')
    execFileSync('cp', ['-a', join(folder, 'store'), copy])
    await at.restart()
    for (const address of ['192.0.2.151', '192.0.2.152']) {
      await setHome(address)
      await everywhere(['home.example.test', 'A'], address)
    }
    await at.kill('SIGTERM')
    rmSync(join(folder, 'store'), { recursive: true })
    execFileSync('cp', ['-a', copy, join(folder, 'store')])
    await at.restart()
    const began = Date.now()
    await everywhere(['home.example.test', 'A'], '192.0.2.150')
    if (judgesPace) expect(Date.now() - began).toBeLessThan(10_000)
    // Whichever it sees first: a copy of its database, or what a secondary has.
    expect(at.log()).toMatch(/secondary is newer|database taken over/)
    await setHome('192.0.2.153')
    await everywhere(['home.example.test', 'A'], '192.0.2.153')
  })

  it('follow zones that come and go', async () => {
    expect(await at.api('POST', '/dns/zones', { zone_name: 'second.test' })).toBe(201)
    await addZone('second.test')
    const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.50' }] }]
    expect(await at.api('POST', '/dns/records/second.test', { name: 'x', rrsets })).toBe(201)
    await everywhere(['x.second.test', 'A'], '192.0.2.50')
    expect(await at.api('DELETE', '/dns/zones/second.test')).toBe(200)
    for (const { name, port } of servers.filter(({ name: one }) => one === 'knot' || one === 'bind'))
      await eventually(() => `${name} ${/status: (\w+)/.exec(dig(port, ['x.second.test', 'A']))?.[1]}`).toBe(
        `${name} REFUSED`,
      )
  })

  it('are shown by holdfast admin publishing', async () => {
    const rows = async () => {
      const text = await at.admin('publishing', '--json')
      return (JSON.parse(text) as { secondaries: readonly { name: string; zones: number; stuck: number }[] })
        .secondaries
    }
    await eventually(async () =>
      (await rows()).map(({ name, zones, stuck }) => [name, zones > 0, stuck]),
    ).toEqual(NAMES.map((name) => [name, true, 0]))
    expect(await at.admin('publishing')).toMatch(/as of 20\S+\nname +address +zones/)
  })

  it('are reported as stuck only if they do not fetch, and the service logs no fault', () => {
    const faults = at
      .log()
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line))
    expect(faults.filter((line) => !/is stuck|secondary is newer|database taken over/.test(line))).toEqual([])
  })
})
