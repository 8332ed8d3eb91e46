import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { holdfast, type Service, scratch, service } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-proxy-'))
const [cert, key] = [join(folder, 'crt'), join(folder, 'key')]
beforeAll(() => {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const name = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...name], {
    stdio: 'pipe',
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Forwarder {
  readonly port: number
  /** The first line of each request that it received, with the credentials. */
  readonly heard: readonly string[]
}

/** A forward proxy (RFC 9110 §3.7): CONNECT, and requests in absolute form. `refuses` is the status of every response. */
async function forwarder(refuses?: number): Promise<Forwarder> {
  const heard: string[] = []
  const server = createServer((asked, answer) => {
    heard.push(`${asked.method} ${asked.url} ${asked.headers['proxy-authorization'] ?? '-'}`)
    if (refuses !== undefined) {
      answer.writeHead(refuses).end()
      return
    }
    const { 'proxy-authorization': _, ...headers } = asked.headers
    asked.pipe(
      request(asked.url ?? '', { method: asked.method, headers }, (found) => {
        answer.writeHead(found.statusCode ?? 502, found.headers)
        found.pipe(answer)
      }),
    )
  })
  server.on('connect', (asked, socket) => {
    heard.push(`CONNECT ${asked.url} ${asked.headers['proxy-authorization'] ?? '-'}`)
    socket.on('error', () => undefined)
    if (refuses !== undefined) {
      socket.end(`HTTP/1.1 ${refuses} No\r\n\r\n`)
      return
    }
    const { hostname, port } = new URL(`http://${asked.url}`)
    const outside = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(outside).pipe(socket)
    })
    outside.on('error', () => socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return { port: (server.address() as AddressInfo).port, heard }
}

const update = async (at: Service, url: string, env: Record<string, string>, ...more: readonly string[]) =>
  holdfast(
    [
      'update',
      '--server',
      url,
      '--username',
      at.username,
      '--hostname',
      'home.example.test',
      '--state-dir',
      scratch(),
      '--ca-file',
      cert,
      ...more,
    ],
    { env: { HOLDFAST_PASSWORD: at.password, ...env } },
  )
const GIVEN = ['--myip', '192.0.2.1'] as const
const overBoth = async () =>
  service('--listen', '127.0.0.1:0/tls', '--listen', '127.0.0.1:0', '--tls-cert', cert, '--tls-key', key)
const hostOf = (url = ''): string => new URL(url).host

describe('an update uses the proxy of the environment', () => {
  it('with CONNECT and the proxy credentials for https, and the proxy sees nothing else', async () => {
    const [at, proxy] = await Promise.all([overBoth(), forwarder()])
    const https = at.urls[0] ?? ''

    const ended = await update(
      at,
      https,
      { HTTPS_PROXY: `http://me:swordfish@127.0.0.1:${proxy.port}` },
      ...GIVEN,
      '--log-level',
      'trace',
    )

    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('good 192.0.2.1')
    expect(proxy.heard).toEqual([
      `CONNECT ${hostOf(https)} Basic ${Buffer.from('me:swordfish').toString('base64')}`,
    ])
    expect(ended.stdout + ended.stderr).not.toContain('swordfish')
  })

  it('in absolute form for http', async () => {
    const [at, proxy] = await Promise.all([overBoth(), forwarder()])
    const http = at.urls[1] ?? ''

    const ended = await update(at, http, { http_proxy: `127.0.0.1:${proxy.port}` }, ...GIVEN)

    expect(ended.stdout).toContain('good 192.0.2.1')
    expect(proxy.heard).toEqual([`GET ${http}/nic/update?hostname=home.example.test&myip=192.0.2.1 -`])
  })

  it.each([0, 1])('but not for hosts in NO_PROXY: listener %i', async (which) => {
    const [at, proxy] = await Promise.all([overBoth(), forwarder()])
    const url = `http://127.0.0.1:${proxy.port}`

    const ended = await update(
      at,
      at.urls[which] ?? '',
      { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.0/8' },
      ...GIVEN,
    )

    expect(ended.code).toBe(0)
    expect(proxy.heard).toEqual([])
  })

  it('and still verifies the certificate of the service', async () => {
    const [at, proxy] = await Promise.all([overBoth(), forwarder()])
    const args = [
      'update',
      '--server',
      at.urls[0] ?? '',
      '--username',
      'a',
      '--hostname',
      'a.test',
      '--state-dir',
      scratch(),
      ...GIVEN,
    ]

    const ended = await holdfast(args, {
      env: {
        HOLDFAST_PASSWORD: 'x',
        HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
      },
    })

    expect(ended.stderr).toContain(
      'TLS: the certificate of 127.0.0.1 is self-signed; name its authority with ca_file (through the proxy ',
    )
    expect(at.stderr()).not.toContain('/nic/update')
  })

  // biome-ignore format: a table
  it.each([
    [403, 0, /connect: the proxy refuses the connection to 127\.0\.0\.1:\d+: 403 \(through the proxy http:\/\/127\.0\.0\.1:\d+\)/],
    [407, 0, /connect: the proxy requires credentials, or rejects these: 407 \(through the proxy /],
    [407, 1, /connect: the proxy requires credentials, or rejects these: 407 \(through the proxy /],
  ])('and reports the status of the proxy: %i to listener %i', async (status, which, message) => {
    const [at, proxy] = await Promise.all([overBoth(), forwarder(status)])
    const url = `http://me:swordfish@127.0.0.1:${proxy.port}`

    const ended = await update(at, at.urls[which] ?? '', { HTTP_PROXY: url, HTTPS_PROXY: url }, ...GIVEN)

    expect(ended.code).toBe(69)
    expect(ended.stderr).toMatch(message)
    expect(ended.stdout + ended.stderr).not.toContain('swordfish')
  })

  it('and reports an unreachable proxy', async () => {
    const at = await overBoth()

    const ended = await update(at, at.urls[0] ?? '', { HTTPS_PROXY: 'http://127.0.0.1:1' }, ...GIVEN)

    expect(ended.stderr).toContain('connect: refused by 127.0.0.1:1 (through the proxy http://127.0.0.1:1)')
  })

  it('and prints no warning for an https proxy with an IP address', async () => {
    const proxy = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) })
    proxy.on('tlsClientError', () => undefined)
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    onTestFinished(() => void proxy.close())
    const url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const at = await overBoth()

    const ended = await update(at, at.urls[0] ?? '', { HTTPS_PROXY: url }, ...GIVEN)

    expect(ended.stderr).toContain(`the certificate of 127.0.0.1 is self-signed (through the proxy ${url})`)
    expect(ended.stderr).not.toContain('Warning')
  })

  it.each(['update', 'run'])('and %s rejects an unusable proxy', async (command) =>
    expect(
      await holdfast(
        [command, '--server', 'https://dyn.test', '--username', 'a', '--hostname', 'a.test', ...GIVEN],
        {
          env: { HOLDFAST_PASSWORD: 'x', HTTPS_PROXY: 'socks5://me:swordfish@127.0.0.1:1080' },
        },
      ),
    ).toEqual({
      code: 78,
      stdout: '',
      stderr: 'holdfast: HTTPS_PROXY names a socks5 proxy; only http and https proxies are supported\n',
    }),
  )
})

it.each([{}, { NODE_USE_ENV_PROXY: '1' }])('no address source uses a proxy: %j', async (more) => {
  const [at, proxy] = await Promise.all([overBoth(), forwarder()])
  const echo = createServer((_, answer) => void answer.end('192.0.2.9\n'))
  await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done))
  onTestFinished(() => void echo.close())
  const source = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`
  const url = `http://127.0.0.1:${proxy.port}`
  const looking = ['--source', source, '--agreement', 'one', '--allow', 'documentation', '--no-ipv6']

  const ended = await update(at, at.urls[1] ?? '', { HTTP_PROXY: url, HTTPS_PROXY: url, ...more }, ...looking)

  expect(ended.stdout).toContain('good 192.0.2.9')
  expect(proxy.heard).toEqual([expect.stringContaining('/nic/update?')])
})
