import { chmodSync, writeFileSync } from 'node:fs'
import { Resolver } from 'node:dns/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { questionWire } from '../../src/shared/dns/response.ts'
import { eventually } from '../eventually.ts'
import { cpuTime } from '../lab/cpu.ts'
import { publishingService, transferred } from './dns-secondary.ts'
import { holdfast, scratch, service } from './processes.ts'

/** An answer to a request under another Host than the one it is sent to. */
async function under(
  url: string,
  host: string,
  { path = '/', method = 'GET', headers = {} }: { path?: string; method?: string; headers?: object } = {},
) {
  const { port } = new URL(url)
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const asked = request({ port, path, method, headers: { ...headers, host } }, (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        )
      })
      asked.on('error', reject)
      asked.end()
    },
  )
}

async function published(...more: readonly string[]) {
  const at = await service('--redirect-addresses', '127.0.0.80', ...more)
  const api = async (method: string, path: string, body?: unknown): Promise<number> => {
    const headers = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${at.url}/v1${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return response.status
  }
  const resolver = new Resolver({ timeout: 1000, tries: 1 })
  resolver.setServers([at.dns])
  const address = async (name: string): Promise<string> =>
    resolver.resolve4(name).then(
      (all) => all.join(' '),
      (error: NodeJS.ErrnoException) => error.code ?? '',
    )
  return { ...at, api, address }
}

const R = '/dns/records/example.test'

describe('a service that publishes', () => {
  it('answers with the address of an update, and with nothing before it', async () => {
    const at = await published()
    // A zone is refused until its first flush.
    await eventually(async () => at.address('home.example.test')).toMatch(/ENODATA|ENOTFOUND/)
    const authorization = `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`
    const headers = { authorization, 'user-agent': 'Acme test/1-1 me@example.test' }
    const answer = await fetch(`${at.url}/nic/update?hostname=home.example.test&myip=192.0.2.7`, { headers })
    expect((await answer.text()).trim()).toBe('good 192.0.2.7')
    await eventually(async () => at.address('home.example.test')).toBe('192.0.2.7')
  })

  it('redirects at the names of redirects, under every spelling of the host', async () => {
    const at = await published()
    const rrsets = [{ dns_type: '_URL', rdata: [{ value: 'https://example.net/a?b=c' }] }]
    expect(await at.api('POST', R, { name: 'go', rrsets })).toBe(201)
    await eventually(async () => at.address('go.example.test')).toBe('127.0.0.80')

    for (const host of ['go.example.test', 'GO.Example.Test:8080', 'go.example.test.'])
      expect(await under(at.url, host, { path: '/any' })).toMatchObject({
        status: 302,
        headers: { location: 'https://example.net/a?b=c' },
      })
    expect((await under(at.url, 'go.example.test', { method: 'POST' })).status).toBe(307)
    expect((await under(at.url, 'other.example.test')).status).toBe(404)
    // The console of the service itself.
    expect((await under(at.url, '127.0.0.1')).status).toBe(303)
  })

  it('shows the page of an offline name as text, without a script', async () => {
    const at = await published()
    const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }]
    const page = {
      action: 'page',
      title: '<script>alert(1)</script>',
      message: 'back "soon" & <b>well</b>\nin an hour',
      logo_url: 'https://img.example.net/logo.png?"onerror=x',
      email: "o'hara@example.net",
    }
    expect(await at.api('POST', R, { name: 'off', rrsets, offline: true, offline_settings: page })).toBe(201)
    await eventually(async () => at.address('off.example.test')).toBe('127.0.0.80')

    const { status, headers, body } = await under(at.url, 'off.example.test')
    expect([status, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).toContain('img-src https://img.example.net')
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).toContain('back &quot;soon&quot; &amp; &lt;b&gt;well&lt;/b&gt;\nin an hour')
    expect(body).not.toMatch(/<script|<b>|"onerror/)
  })

  it('keeps its own paths under the host of a redirect', async () => {
    const at = await published()
    const rrsets = [{ dns_type: '_URL', rdata: [{ value: 'https://example.net/' }] }]
    expect(await at.api('POST', R, { name: 'go', rrsets })).toBe(201)
    await eventually(async () => (await under(at.url, 'go.example.test')).status).toBe(302)

    const agent = { 'user-agent': 'Acme test/1-1 me@example.test' }
    const update = await under(at.url, 'go.example.test', { path: '/nic/update', headers: agent })
    expect(update).toMatchObject({ status: 401, body: 'badauth\n' })
    // Also with extra slashes: a redirect must not receive passwords of devices.
    for (const path of ['/nic/update/', '//nic/update'])
      expect((await under(at.url, 'go.example.test', { path, headers: agent })).status).toBe(401)
    expect((await under(at.url, 'go.example.test', { path: '/v1/dns/about' })).status).toBe(200)
    // Every other path is that of the site.
    for (const path of ['/NIC/update', '/nic', '/v1x', '/healthz/'])
      expect([path, (await under(at.url, 'go.example.test', { path })).status]).toEqual([path, 302])
    // Under every other host the service answers, with its own paths.
    for (const host of ['127.0.0.1', '[::1]:80', 'home.example.test', 'service.test']) {
      const own = await under(at.url, host, { path: '/nic/update', headers: agent })
      expect([host, own.status]).toEqual([host, 401])
      for (const path of ['/nic/update/', '//nic/update'])
        expect([host, path, (await under(at.url, host, { path, headers: agent })).status]).toEqual([
          host,
          path,
          401,
        ])
    }
  })

  it('redirects at names that lead to a redirect, and refuses two hosts', async () => {
    const at = await published()
    const rrsets = [{ dns_type: '_URL', rdata: [{ value: 'https://example.net/' }] }]
    const cname = [{ dns_type: 'CNAME', rdata: [{ value: 'go.example.test.' }] }]
    expect(await at.api('POST', R, { name: 'go', rrsets })).toBe(201)
    expect(await at.api('POST', R, { name: 'www', rrsets: cname })).toBe(201)
    await eventually(async () => at.address('www.example.test')).toBe('127.0.0.80')
    expect((await under(at.url, 'www.example.test')).status).toBe(302)

    const { port } = new URL(at.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: home.example.test\r\nHost: go.example.test\r\n\r\n')
    let answer = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString()
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

it('updates keep their pace while one connection asks many questions', async () => {
  const at = await published()
  const [host = '', port = ''] = at.dns.split(':')
  const header = Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  const question = Buffer.concat([header, questionWire('home.example.test', 1)])
  const framed = Buffer.concat([Buffer.from([0, question.length]), question])
  const socket = connect(Number(port), host)
  socket.on('error', () => undefined)
  socket.resume()
  const flood = setInterval(
    () => socket.write(Buffer.concat(Array.from({ length: 2000 }, () => framed))),
    200,
  )
  try {
    // Of CPU time: what the service does for the questions before it answers.
    const slowest = { ms: 0 }
    for (let n = 0; n < 10; n++) {
      const before = cpuTime(at.child.pid ?? 0)
      expect(await at.api('POST', R, { name: `n${n}` })).toBe(201)
      slowest.ms = Math.max(slowest.ms, cpuTime(at.child.pid ?? 0) - before)
    }
    expect(slowest.ms).toBeLessThan(1000)
  } finally {
    clearInterval(flood)
    socket.destroy()
  }
})

describe('the publication of a zone', () => {
  it('shows a name server by its name, which is behind until it has fetched the zone', async () => {
    const at = await publishingService(9)
    const read = async (): Promise<unknown> => {
      const headers = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' }
      const answer = await fetch(`${at.url}/v1/dns/zones/example.test/publication`, { headers })
      return ((await answer.json()) as { data: unknown }).data
    }
    const server = (behind: boolean) => [{ ...SEEN, behind }]
    await eventually(async () => {
      await transferred(at)
      return read()
    }).toMatchObject({ pending: 0, nameservers: server(false) })
    const { serial } = (await read()) as { serial: number }
    expect(await read()).toMatchObject({ nameservers: [{ serial }] })

    const body = JSON.stringify({
      name: 'later',
      rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }],
    })
    const headers = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' }
    await fetch(`${at.url}/v1${R}`, { method: 'POST', headers, body })
    await eventually(read).toMatchObject({ pending: 0, nameservers: server(true) })
    const after = await read()
    expect(after).toMatchObject({ nameservers: [{ serial }] })
    expect((after as { serial: number }).serial).toBeGreaterThan(serial)
  })

  const SEEN = { server: 'a', signs: false, serial: expect.any(Number), checked_at: expect.any(String) }
})

describe('serve refuses to publish, with 78 and words', () => {
  const keyFile = (text: string, mode = 0o600): string => {
    const path = join(scratch(), 'keys')
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const GOOD = `k hmac-sha256 ${Buffer.alloc(32, 1).toString('base64')}\n`
  const NS = ['--nameservers', 'ns1.x.test', '--dns-listen', '127.0.0.1:0']
  const SECONDARY = ['--secondaries', 'a=127.0.0.1:5 key k']

  // biome-ignore format: a table
  it.each<[what: string, args: () => readonly string[], message: RegExp]>([
    ['without nameservers',        () => ['--dns-listen', '127.0.0.1:0', '--nameservers', ''],                      /nameservers/],
    ['without a place to listen',  () => ['--nameservers', 'ns1.x.test', ...SECONDARY, '--tsig-key-file', keyFile(GOOD)], /secondaries needs dns_listen/],
    ['without a key file',         () => [...NS, ...SECONDARY],                                                     /secondaries needs tsig_key_file/],
    ['with a file open to others', () => [...NS, ...SECONDARY, '--tsig-key-file', keyFile(GOOD, 0o644)],            /open to other users .*chmod 600/],
    ['with another key',           () => [...NS, ...SECONDARY, '--tsig-key-file', keyFile(GOOD.replace('k ', 'other '))], /has no key k, which a uses/],
    ['with a short secret',        () => [...NS, ...SECONDARY, '--tsig-key-file', keyFile('k hmac-sha256 c2hvcnQ=\n')], /line 1: the secret is not Base64 of at least 16 octets/],
    ['with an old algorithm',      () => [...NS, ...SECONDARY, '--tsig-key-file', keyFile(GOOD.replace('sha256', 'md5'))], /line 1: the algorithm is not one of/],
    ['at an address of others',    () => ['--nameservers', 'ns1.x.test', '--dns-listen', '192.0.2.1:0'],            /dns_listen: cannot listen on 192\.0\.2\.1:0/],
  ])('%s', async (_, args, message) => {
    const store = join(scratch(), 'store')
    const ended = await holdfast(['serve', '--init', '--store', store, '--listen', '127.0.0.1:0', ...args()], {
      node: process.execPath,
    })
    expect([[64, 78].includes(ended.code ?? 0), ended.stderr]).toEqual([true, expect.stringMatching(message)])
    expect(ended.stderr).not.toContain('AQEB')
  })
})
