import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'
import { bind, type NameServer, nsd, short } from './name-server-programs.ts'
import { type Primary, primary } from './secondaries.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/publishing.md'), 'utf8')
const [HOST, R] = ['dns.example.net', '/dns/records/example.test']
const isLacking = ['openssl', 'kdig', 'named', 'nsd'].filter(lacks).length > 0

/** The common name of the certificate that a new connection gets. */
const servedName = async (port: number): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['dot'] },
      () => {
        resolve(`${String(socket.getPeerCertificate().subject.CN)} ${String(socket.alpnProtocol)}`)
        socket.destroy()
      },
    )
    socket.on('error', reject)
  })

describe.skipIf(isLacking)('DNS over TLS', () => {
  let folder: string
  let at: Primary
  let tls: number
  let servers: readonly NameServer[]
  const certify = (name: string): void => {
    const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')]
    const about = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${HOST}`]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', ['req', '-x509', ...key, ...files, ...about], { stdio: 'pipe' })
  }
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-dns-tls-'))
    certify('first')
    const ports = [await freePort(), await freePort()] as const
    const plain = await freePort()
    tls = await freePort()
    at = await primary(
      folder,
      [
        { name: 'bind', port: ports[0] },
        { name: 'nsd', port: ports[1] },
      ],
      [
        `dns_listen = ["127.0.0.1:${plain}", "127.0.0.1:${tls}/tls"]`,
        `tls_cert = "${join(folder, 'tls.crt')}"`,
        `tls_key = "${join(folder, 'tls.key')}"`,
      ],
    )
    const ca = join(folder, 'tls.crt')
    const place = (port: number) => ({ folder, port, dns: plain })
    const overTls = (text: string): string =>
      `tls holdfast { remote-hostname "${HOST}"; ca-file "${ca}"; };\n${text.replaceAll(
        `127.0.0.1 port ${plain} key bind-key;`,
        `127.0.0.1 port ${tls} key bind-key tls holdfast;`,
      )}`
    const nsdOverTls = (text: string): string =>
      `${text
        .replace('server:\n', `server:\n    tls-cert-bundle: "${ca}"\n`)
        .replace(`127.0.0.1@${plain} nsd-key`, `AXFR 127.0.0.1@${tls} nsd-key holdfast`)}
tls-auth:
    name: "holdfast"
    auth-domain-name: "${HOST}"
`
    servers = [bind(place(ports[0]), overTls), nsd(place(ports[1]), nsdOverTls)]
    expect(await at.api('POST', '/dns/zones', { zone_name: 'example.test' })).toBe(201)
    expect(await at.api('POST', `${R}/home/rrsets/A/rdata`, [{ value: '192.0.2.1' }])).toBe(201)
    for (const server of servers) await server.start()
  })
  afterAll(async () => {
    await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
    await at.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers questions', async () => {
    const options = ['+tls', `+tls-hostname=${HOST}`, `+tls-ca=${join(folder, 'tls.crt')}`, '+short']
    const answer = (): string =>
      spawnSync('kdig', ['@127.0.0.1', '-p', String(tls), ...options, 'home.example.test', 'A'], {
        encoding: 'utf8',
      }).stdout
    // What is stored is published a moment later.
    await eventually(answer).toBe('192.0.2.1\n')
  })

  it('has the zones that BIND and NSD fetch, and their changes', async () => {
    servers[1]?.addZone('example.test')
    const everywhere = async (address: string): Promise<void> => {
      for (const { name, port } of servers)
        await eventually(() => `${name} ${short(port, 'home.example.test', 'A')}`).toBe(`${name} ${address}`)
    }
    await everywhere('192.0.2.1')
    expect(await at.api('PUT', `${R}/home/rrsets/A`, { rdata: [{ value: '192.0.2.2' }] })).toBe(202)
    await everywhere('192.0.2.2')
    // The page has the same words as these configurations.
    for (const words of [
      'key ns1-key tls holdfast;',
      'AXFR 192.0.2.53@853 ns1-key holdfast',
      'auth-domain-name:',
    ])
      expect(PAGE).toContain(words)
  })

  it('uses another certificate after a reload', async () => {
    expect(await servedName(tls)).toBe('first dot')
    certify('second')
    at.reload()
    await eventually(async () => servedName(tls)).toBe('second dot')
  })
})
