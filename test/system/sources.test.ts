import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../e2e/processes.ts'
import { canLab, type Lab, lab } from '../lab/lab.ts'
import { lacks } from '../lacks.ts'

/** The real source and the real platform, in a process inside the host. */
const LOOK = `
  const [make, family] = process.argv.slice(1)
  const from = (path) => import(${JSON.stringify(`${ROOT}/src/`)} + path)
  const names = ['client/detect/sources/stun', 'client/detect/sources/dns', 'client/detect/sources/nat-pmp', 'client/detect/sources/pcp', 'client/detect/sources/upnp', 'client/detect/sources/web',
    'client/detect/sources/router', 'shared/platform/sockets/datagram', 'shared/platform/sockets/stream', 'shared/platform/network/network', 'shared/platform/network/tables', 'shared/platform/http/http', 'shared/platform/network/interfaces', 'shared/platform/clock/clock', 'client/detect/default-gateway']
  Promise.all(names.map((name) => from(name + '.ts'))).then(async (modules) => {
    const all = Object.assign({}, ...modules)
    const ports = { http: all.undiciHttp, interfaces: all.systemInterfaces, datagram: all.askByDatagram, stream: all.askByStream,
      resolve: async () => [], forget: () => undefined, outboundRoute: async () => undefined, entropy: all.systemEntropy,
      gateway: all.defaultGateway({ routes: all.systemRoutes, interfaces: all.systemInterfaces }), program: all.runProgram }
    const asking = { userAgent: 'Holdfast test/1-1', allowed: [] }
    const source = new Function('all', 'ports', 'asking', 'return ' + make)(all, ports, asking)
    console.log(JSON.stringify(await source.look(family, AbortSignal.timeout(15000))))
  })`

const why = canLab()
if (why !== undefined)
  console.error(`\n!!! no lab can be built here (${why}): these system tests are SKIPPED\n`)

describe.skipIf(why !== undefined)('from behind a router', () => {
  let house: Lab
  let folder: string
  const started: ChildProcess[] = []

  const look = async (make: string, family: 'v4' | 'v6'): Promise<unknown> => {
    const child = house.spawn('host', process.execPath, ['--no-warnings', '-e', LOOK, make, family])
    const [out, errors] = await Promise.all(
      [child.stdout, child.stderr].map(async (stream) => (stream === null ? '' : text(stream))),
    )
    if (out === '') throw new Error(errors)
    return JSON.parse(out ?? '')
  }
  /** Asks until it is answered: a server that was just started needs a moment. */
  const lookUntilSeen = async (make: string, family: 'v4' | 'v6'): Promise<unknown> => {
    for (let left = 20; ; left--) {
      const sighting = await look(make, family)
      if (left === 0 || (sighting as { kind: string }).kind === 'seen') return sighting
      await sleep(250)
    }
  }
  const serve = (program: string, args: readonly string[]): void => {
    const child = house.spawn('isp', program, args)
    child.stdout?.resume()
    child.stderr?.resume()
    started.push(child)
  }
  const outsideOf = (family: 'v4' | 'v6'): object =>
    family === 'v4'
      ? { kind: 'seen', address: house.wan }
      : { kind: 'seen', address: expect.stringMatching(new RegExp(`^${house.prefix}:`)) as string }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-sources-'))
    house = await lab()
  })
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL')
    await house?.down()
    rmSync(folder, { recursive: true, force: true })
  })

  // biome-ignore format: a table
  it.each([
    ['NAT-PMP',           'all.pmpSource(ports, asking)'],
    ['PCP',               'all.pcpSource(ports, asking)'],
    ['UPnP',              'all.igdSource(ports, asking)'],
    ['whichever it speaks', 'all.routerSource(ports, asking)'],
  ])('miniupnpd tells the address by %s', async (_, make) =>
    expect(await look(make, 'v4')).toMatchObject(outsideOf('v4')))

  it('miniupnpd reports the new address after a change', async () => {
    await house.changeWan('11.22.33.20')

    for (const name of ['pmpSource', 'pcpSource', 'igdSource'])
      expect(await look(`all.${name}(ports, asking)`, 'v4')).toMatchObject({
        kind: 'seen',
        address: '11.22.33.20',
      })
  })

  // biome-ignore format: a table
  it.each([
    ['STUN',          'v4', "all.stunSource({ host: '11.99.0.81', port: 3478 }, ports, asking)"],
    ['STUN',          'v6', "all.stunSource({ host: '2a00:db8:99::81', port: 3478 }, ports, asking)"],
    ['DNS',           'v4', "all.dnsSource({ name: 'myip.opendns.com', class: 'IN', server: '11.99.0.53' }, ports, asking)"],
    ['DNS',           'v6', "all.dnsSource({ name: 'myip.opendns.com', class: 'IN', server: '2a00:db8:99::53' }, ports, asking)"],
    ['DNS, in text',  'v4', "all.dnsSource({ name: 'whoami.cloudflare', type: 'TXT', class: 'CH', server: '11.99.0.53' }, ports, asking)"],
    ['HTTP',          'v4', "all.webSource({ url: 'http://11.99.0.80/' }, ports, asking)"],
    ['HTTP',          'v6', "all.webSource({ url: 'http://[2a00:db8:99::80]/' }, ports, asking)"],
  ] as const)('the outside sees it by %s over %s', async (_, family, make) =>
    expect(await look(make, family)).toMatchObject(outsideOf(family)))

  describe.skipIf(lacks('turnserver'))('coturn', () => {
    beforeAll(() =>
      serve('turnserver', [
        '-n',
        '--stun-only',
        '--no-cli',
        '--no-tls',
        '--no-dtls',
        '--log-file',
        'stdout',
        '-L',
        '11.99.0.81',
        '-L',
        '2a00:db8:99::81',
        '-p',
        '3479',
        '--pidfile',
        join(folder, 'turn.pid'),
        '--userdb',
        join(folder, 'turn.db'),
      ]),
    )

    // biome-ignore format: a table
    it.each([
      ['v4', '11.99.0.81'],
      ['v6', '2a00:db8:99::81'],
    ] as const)('tells the address over %s', async (family, host) =>
      expect(
        await lookUntilSeen(`all.stunSource({ host: '${host}', port: 3479 }, ports, asking)`, family),
      ).toMatchObject(outsideOf(family)))
  })

  describe.skipIf(lacks('knotd'))('knot with mod-whoami', () => {
    beforeAll(() => {
      writeFileSync(
        join(folder, 'whoami.example.zone'),
        '$TTL 1\n@ SOA ns.whoami.example. root.whoami.example. 1 3600 900 86400 1\n@ NS ns.whoami.example.\nns A 11.99.0.1\n',
      )
      writeFileSync(
        join(folder, 'knot.conf'),
        `server:
  rundir: "${folder}"
  listen: [ "11.99.0.1@53", "2a00:db8:99::1@53" ]
log:
  - target: stderr
    any: info
database:
  storage: "${folder}"
zone:
  - domain: whoami.example
    storage: "${folder}"
    file: whoami.example.zone
    module: mod-whoami
`,
      )
      serve('knotd', ['-c', join(folder, 'knot.conf')])
    })

    // biome-ignore format: a table
    it.each([
      ['v4', '11.99.0.1'],
      ['v6', '2a00:db8:99::1'],
    ] as const)('tells the address over %s', async (family, server) =>
      expect(
        await lookUntilSeen(`all.dnsSource({ name: 'whoami.example', class: 'IN', server: '${server}' }, ports, asking)`, family),
      ).toMatchObject(outsideOf(family)))
  })
})
