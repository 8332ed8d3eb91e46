import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { seconds } from '../../../../src/shared/base/time.ts'
import { plainHttp } from '../../../../src/shared/platform/http/plain.ts'
import { proxiedHttp } from '../../../../src/shared/platform/http/proxied.ts'
import type { Http } from '../../../../src/shared/ports/http.ts'
import { never, request } from '../../../fakes/request.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-certificates-'))
const file = (name: string): string => join(folder, name)
const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { stdio: 'pipe', cwd: folder })
const EC = 'ec -pkeyopt ec_paramgen_curve:prime256v1'
const NAMED = 'subjectAltName=IP:127.0.0.1'
const AUTHORITY = 'basicConstraints=critical,CA:TRUE'

/** A certificate that `by` signs; by itself where there is no `by`. */
function issue(name: string, by: string | undefined, extensions: string, key = EC): void {
  writeFileSync(file(`${name}.ext`), extensions)
  openssl(
    ...`req -new -nodes -newkey ${key} -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`.split(' '),
  )
  const signer = by === undefined ? `-signkey ${name}.key` : `-CA ${by}.crt -CAkey ${by}.key -CAcreateserial`
  openssl(...`x509 -req -in ${name}.csr ${signer} -extfile ${name}.ext -days 2 -out ${name}.crt`.split(' '))
}

beforeAll(() => {
  issue('root', undefined, AUTHORITY)
  issue('good', 'root', NAMED)
  issue('named', 'root', 'subjectAltName=DNS:dyn.example.test')
  issue('client', 'root', `${NAMED}\nextendedKeyUsage=clientAuth`)
  issue('critical', 'root', `${NAMED}\n1.2.3.4.5=critical,ASN1:NULL`)
  issue('weak', 'root', NAMED, 'rsa:1024')
  issue('leaf', 'root', 'basicConstraints=critical,CA:FALSE')
  issue('under-leaf', 'leaf', NAMED)
  issue('short', 'root', `${AUTHORITY},pathlen:0`)
  issue('middle', 'short', AUTHORITY)
  issue('too-long', 'middle', NAMED)
})
afterAll(() => rmSync(folder, { recursive: true }))

const pem = (...names: readonly string[]): string =>
  names.map((name) => readFileSync(file(`${name}.crt`), 'utf8')).join('')

async function listening(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const serving = async (name: string, above: readonly string[], more: TlsOptions = {}): Promise<string> => {
  // OpenSSL refuses a weak key on the serving side too, unless it is told otherwise.
  const own = { key: readFileSync(file(`${name}.key`)), cert: pem(name, ...above) }
  const server = createTlsServer({ ...own, ciphers: 'DEFAULT@SECLEVEL=0', ...more }, (socket) => {
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood')
  })
  return `https://127.0.0.1:${await listening(server.on('tlsClientError', () => undefined))}/`
}

/** A proxy that lets everything through. */
async function forwarder(): Promise<number> {
  const server = createHttpServer().on('connect', (asked, socket) => {
    const outside = connect(Number(new URL(`http://${asked.url}`).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(outside).pipe(socket)
    })
    socket.on('error', () => outside.destroy())
    outside.on('error', () => socket.destroy())
  })
  return listening(server)
}

const CLIENTS: readonly (readonly [string, () => Promise<Http>])[] = [
  ['directly', async () => plainHttp],
  ['through a proxy', async () => proxiedHttp({ url: `http://127.0.0.1:${await forwarder()}` })],
]

describe.each(CLIENTS)('a certificate, %s', (_, client) => {
  it('is accepted where it is valid', async () => {
    const url = await serving('good', [])

    const outcome = await (await client())(request(url, { authorities: pem('root') }), never)

    expect(outcome).toMatchObject({ kind: 'answered', body: 'good' })
  })

  // biome-ignore format: a table
  it.each<[string, readonly string[], RegExp]>([
    ['client',     [],                            /^the certificate of 127\.0\.0\.1 is not acceptable \(INVALID_PURPOSE\)/],
    ['critical',   [],                            /^the certificate of 127\.0\.0\.1 is not acceptable \(\w+\)/],
    ['under-leaf', ['leaf'],                      /^the certificate of 127\.0\.0\.1 is not acceptable \(INVALID_\w+\)/],
    ['too-long',   ['middle', 'short'],           /^the certificate of 127\.0\.0\.1 is not acceptable \(PATH_LENGTH_EXCEEDED\)/],
    // Node 24 and later use security level 2 of OpenSSL; earlier versions accept 1024 bits.
    ...(Number.parseInt(process.versions.node) < 24 ? [] : [['weak', [], /./] as [string, string[], RegExp]]),
  ])('that is refused fails at the stage TLS: %s', async (name, above, because) => {
    const url = await serving(name, above)

    const outcome = await (await client())(request(url, { authorities: pem('root') }), never)

    expect(outcome).toMatchObject({ kind: 'unreached', stage: 'TLS', because: expect.stringMatching(because) as string })
  })

  it.each([
    ['ends the connection', (socket: { end(): unknown }) => socket.end()],
    ['resets the connection', (socket: { destroy(): unknown }) => socket.destroy()],
    ['does not answer', () => undefined],
  ])('is missing, because the server %s: the failure is at the stage TLS', async (__, act) => {
    const port = await listening(
      createServer((socket) => void socket.on('error', () => undefined).once('data', () => void act(socket))),
    )

    const outcome = await (await client())(
      request(`https://127.0.0.1:${port}/`, { connectTimeout: seconds(1) }),
      never,
    )

    expect(outcome).toMatchObject({ kind: 'unreached', stage: 'TLS' })
  })
})

it('the server name in TLS has no final dot', async () => {
  const asked: string[] = []
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
    asked.push(name)
    done(null)
  }
  const url = (await serving('named', [], { SNICallback })).replace('127.0.0.1', 'dyn.example.test.')
  // The proxy looks the name up, so it need not exist.
  const ask = proxiedHttp({ url: `http://127.0.0.1:${await forwarder()}` })

  expect(await ask(request(url, { authorities: pem('root') }), never)).toMatchObject({ body: 'good' })
  expect(asked).toEqual(['dyn.example.test'])
})
