import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { certifyExpired } from '../fakes/expired.ts'
import { lacks } from '../lacks.ts'
import { holdfast, scratch, service } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'))
const files = (name: string) => ({ cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) })

function certify(name: string, subject: string, ...more: readonly string[]): void {
  const { cert, key } = files(name)
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-subj',
      '/CN=test',
      '-addext',
      `subjectAltName=${subject}`,
      ...more,
    ],
    { stdio: 'pipe' },
  )
}

const overTls = async (name: string) =>
  service(
    '--listen',
    '127.0.0.1:0/tls',
    '--listen',
    '127.0.0.1:0',
    '--tls-cert',
    files(name).cert,
    '--tls-key',
    files(name).key,
  )
const update = async (at: Awaited<ReturnType<typeof service>>, ...more: readonly string[]) =>
  holdfast(
    [
      'update',
      '--server',
      at.url,
      '--username',
      at.username,
      '--hostname',
      'home.example.test',
      '--myip',
      '192.0.2.1',
      '--state-dir',
      scratch(),
      ...more,
    ],
    { env: { HOLDFAST_PASSWORD: at.password } },
  )

describe.skipIf(lacks('openssl'))('over TLS', () => {
  beforeAll(() => {
    certify('right', 'IP:127.0.0.1', '-days', '2')
    certify('other', 'DNS:other.test', '-days', '2')
    certifyExpired(folder, 'expired', 'IP:127.0.0.1')
  })

  it('an update with a trusted authority succeeds, and the plain-http listener receives nothing', async () => {
    const ended = await update(await overTls('right'), '--ca-file', files('right').cert)

    expect(ended).toEqual({
      code: 0,
      stdout: 'home.example.test: good 192.0.2.1 (update succeeded)\n',
      stderr: '',
    })
  })

  it('NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect and causes no warning', async () => {
    const at = await overTls('right')
    const account = ['--server', at.url, '--username', at.username, '--hostname', 'home.example.test']
    const rest = ['--myip', '192.0.2.1', '--state-dir', scratch(), '--ca-file', files('right').cert]
    const env = { HOLDFAST_PASSWORD: at.password, NODE_TLS_REJECT_UNAUTHORIZED: '0' }

    const ended = await holdfast(['update', ...account, ...rest], { env })

    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    [
      'its authority is not trusted',
      'right',
      [],
      /TLS: the certificate of 127\.0\.0\.1 is self-signed; name its authority with ca_file/,
    ],
    [
      'it is for another name',
      'other',
      ['--ca-file', files('other').cert],
      /TLS: the certificate is for other\.test, not for 127\.0\.0\.1/,
    ],
    [
      'it has expired',
      'expired',
      ['--ca-file', files('expired').cert],
      /TLS: the certificate of 127\.0\.0\.1 has expired/,
    ],
    [
      'another authority is trusted',
      'right',
      ['--ca-file', files('other').cert],
      /TLS: the certificate of 127\.0\.0\.1 is self-signed/,
    ],
  ])('a certificate is rejected when %s, and the password is not sent', async (_, name, more, why) => {
    const at = await overTls(name)

    const ended = await update(at, ...more)

    expect(ended.code).toBe(69)
    expect(ended.stderr).toMatch(why)
    expect(at.stderr()).not.toContain('/nic/update')
  })

  // biome-ignore format: a table
  it.each<[what: string, cert: string, key: string, message: RegExp]>([
    ['an empty certificate',        '/dev/null',           files('right').key,  /^holdfast: tls_cert \/dev\/null contains no certificate/],
    ['a certificate as its key',    files('right').cert,   files('right').cert, /^holdfast: tls_key \S+right\.crt contains no private key/],
    ['the key of another',          files('right').cert,   files('other').key,  /^holdfast: tls_key \S+other\.key is not the key of the first certificate in tls_cert \S+right\.crt/],
    ['a certificate that is absent', '/nonexistent',       files('right').key,  /^holdfast: tls_cert \/nonexistent cannot be read/],
  ])('a service with %s does not start', async (_, cert, key, message) => {
    const { code, stderr } = await holdfast(
      ['serve', '--dev', '--listen', '127.0.0.1:0/tls', '--tls-cert', cert, '--tls-key', key],
    )
    expect([code, stderr]).toEqual([78, expect.stringMatching(message)])
  })

  it('all listeners respond', async () => {
    const at = await overTls('right')

    expect(at.urls.map((url) => new URL(url).protocol)).toEqual(['https:', 'http:'])
    expect((await fetch(`${at.urls[1]}/nic/update`, { headers: { 'user-agent': 'A b/1-1' } })).status).toBe(
      401,
    )
  })
})

it('http_fallback uses plain http, and only if the user allows it', async () => {
  const at = await service()
  const args = [
    '--server',
    'https://127.0.0.1:1',
    '--username',
    at.username,
    '--hostname',
    'home.example.test',
    '--myip',
    '192.0.2.1',
  ]
  const env = { HOLDFAST_PASSWORD: at.password }

  const without = await holdfast(['update', ...args, '--state-dir', scratch()], { env })
  const withIt = await holdfast(
    ['update', ...args, '--state-dir', scratch(), '--http-fallback', '--log-level', 'debug'],
    { env },
  )

  expect(withIt.stderr).toContain('http://127.0.0.1/nic/update')
  expect(withIt.stderr).toContain('http://127.0.0.1:8245/nic/update')
  // To this host itself nobody else can read it.
  expect(`${without.stderr}${withIt.stderr}`).not.toContain('clear text')
})
