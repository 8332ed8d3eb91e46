import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { undiciHttp } from '../../../../src/shared/platform/http/http.ts'
import { plainHttp } from '../../../../src/shared/platform/http/plain.ts'
import { certifyExpired } from '../../../fakes/expired.ts'
import { never, request } from '../../../fakes/request.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-http-tls-'))
const file = (name: string): string => join(folder, name)
const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { stdio: 'pipe', cwd: folder })
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'] as const

beforeAll(() => {
  const sign = (name: string, ...more: readonly string[]): void =>
    openssl(
      'req',
      '-x509',
      ...EC,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-subj',
      `/CN=${name}`,
      ...more,
    )
  sign('self', '-addext', 'subjectAltName=IP:127.0.0.1')
  sign('other', '-addext', 'subjectAltName=DNS:other.test')
  sign('localhost')
  sign('authority')
  openssl('req', '-new', ...EC, '-keyout', 'issued.key', '-out', 'issued.csr', '-subj', '/CN=issued')
  openssl(
    'x509',
    '-req',
    '-in',
    'issued.csr',
    '-CA',
    'authority.crt',
    '-CAkey',
    'authority.key',
    '-out',
    'issued.crt',
  )
  certifyExpired(folder, 'expired', 'IP:127.0.0.1')
})
afterAll(() => rmSync(folder, { recursive: true }))

const tls = (name: string, more: TlsOptions = {}): Server =>
  createTlsServer(
    { key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.crt`)), ...more },
    (socket) => {
      socket.on('error', () => undefined)
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood')
    },
  ).on('tlsClientError', () => undefined)

async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
const trusted = (name: string) => ({ authorities: readFileSync(file(`${name}.crt`), 'utf8') })

const CLIENTS = [
  ['undici', undiciHttp, ''],
  ['plain', plainHttp, '; name its authority with ca_file'],
] as const

describe.each(CLIENTS)('%s, over TLS', (_, ask, advice) => {
  it('accepts a server with a trusted authority', async () => {
    const url = await listening(tls('self'))

    expect(await ask(request(url, trusted('self')), never)).toMatchObject({ kind: 'answered', body: 'good' })
  })

  // biome-ignore format: a table
  it.each<[string, () => Server, string | undefined, string]>([
    ['self-signed',       () => tls('self'),                         undefined, `the certificate of 127.0.0.1 is self-signed${advice}`],
    ['unknown authority', () => tls('issued'),                       undefined, `the certificate of 127.0.0.1 is from an authority that is not trusted here${advice}`],
    ['expired',           () => tls('expired'),                      'expired', "the certificate of 127.0.0.1 has expired, or this host's clock is wrong"],
    ['another name',      () => tls('other'),                        'other',   'the certificate is for other.test, not for 127.0.0.1'],
    ['TLS 1.1',           () => tls('self', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }), 'self', '127.0.0.1 supports no version of TLS that this program accepts; the oldest is 1.2'],
    ['HTTP without TLS',  () => createHttpServer((_, answer) => void answer.end()), undefined, '127.0.0.1 answers without TLS; is the port right?'],
    ['SSH without TLS',   () => createServer((socket) => void socket.on('error', () => undefined).end('SSH-2.0-x\r\n')), undefined, '127.0.0.1 answers without TLS; is the port right?'],
  ])('explains the failure in one sentence: %s', async (_, server, authority, because) => {
    const url = await listening(server())

    expect(await ask(request(url, authority === undefined ? {} : trusted(authority)), never)).toEqual({ kind: 'unreached', stage: 'TLS', because })
  })

  it('refuses a certificate whose common name alone is that of the server', async () => {
    const url = (await listening(tls('localhost'))).replace('127.0.0.1', 'localhost')

    expect(await ask(request(url, { family: 'v4', ...trusted('localhost') }), never)).toEqual({
      kind: 'unreached',
      stage: 'TLS',
      because: 'the certificate of localhost has no subjectAltName; make one that names the host there',
    })
  })

  describe('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
    afterEach(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])

    it('checks certificates', async () => {
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'

      expect(await ask(request(await listening(tls('self'))), never)).toMatchObject({
        kind: 'unreached',
        stage: 'TLS',
      })
    })
  })
})
