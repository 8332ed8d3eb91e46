import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { holdfast, serveStore } from './processes.ts'
import { certificateIn } from './servers.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of TLS to the database are SKIPPED\n`)

const PASSWORD = 'sword fish@:/?#'

describe.skipIf(lacking !== undefined)('a database that asks for TLS and a password', () => {
  let postgres: Postgres
  let folder = ''
  const at = (name: string): string => join(folder, name)
  beforeAll(async () => {
    postgres = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'))
    await postgres.query(`CREATE ROLE node LOGIN PASSWORD '${PASSWORD}'; CREATE ROLE other LOGIN`)
    await postgres.query('CREATE DATABASE service OWNER node')
    for (const name of ['own', 'other']) {
      mkdirSync(at(name))
      certificateIn(at(name), 'DNS:localhost')
    }
    for (const [name, text] of Object.entries({ password: `${PASSWORD}\n`, wrong: 'tuna\n', empty: '\n' }))
      writeFileSync(at(name), text, { mode: 0o600 })
    const data = join(postgres.folder, 'data')
    const { uid, gid } = statSync(data)
    for (const [from, to] of Object.entries({ 'cert.pem': 'server.crt', 'key.pem': 'server.key' })) {
      copyFileSync(join(at('own'), from), join(data, to))
      chmodSync(join(data, to), 0o600)
      chownSync(join(data, to), uid, gid)
    }
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl service node 127.0.0.1/32 scram-sha-256\n')
    appendFileSync(join(data, 'pg_hba.conf'), 'host all holdfast 127.0.0.1/32 trust\n')
    await postgres.query('ALTER SYSTEM SET ssl = on')
    await postgres.query('SELECT pg_reload_conf()')
  })
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const urlOf = (query: string, host = 'localhost'): string =>
    `postgres://node@${host}:${postgres.port}/service?${query}`
  const verified = (authorities: string): string => `sslmode=verify-full&sslrootcert=${at(authorities)}`
  const more = (password: string): readonly string[] => [
    '--store-password-file',
    at(password),
    '--hash-key-file',
    at('hash.key'),
  ]
  const admin = async (words: string, url: string, password = 'password') =>
    holdfast(['admin', ...words.split(' '), '--store', url, ...more(password)], { node: process.execPath })

  it('is used with a verified certificate, and with the password of the file', async () => {
    const url = urlOf(verified('own/cert.pem'))
    await eventually(async () => postgres.query('SHOW ssl')).toEqual([{ ssl: 'on' }])
    expect(await admin('init', url)).toMatchObject({ code: 0, stderr: '' })
    const node = await serveStore(url, ...more('password'))
    expect((await fetch(`${node.url}/readyz`)).status).toBe(200)
    const sessions = await postgres.query(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'node'`,
    )
    expect(sessions).toEqual([{ ssl: true }])
    expect(node.log()).not.toContain('readable by other users')
    for (const name of ['password', 'hash.key']) chmodSync(at(name), 0o644)
    const open = await serveStore(url, ...more('password'))
    for (const name of ['password', 'hash.key'])
      expect(open.log()).toContain(`${at(name)} contains a secret and is readable by other users`)
    for (const name of ['password', 'hash.key']) chmodSync(at(name), 0o600)
  })

  it('gets its new password and authority by a reload', async () => {
    const data = join(postgres.folder, 'data')
    const serveCertificate = async (of: string): Promise<void> => {
      for (const [from, to] of Object.entries({ 'cert.pem': 'server.crt', 'key.pem': 'server.key' }))
        writeFileSync(join(data, to), readFileSync(join(at(of), from)))
      await postgres.query('SELECT pg_reload_conf()')
    }
    const endSessions = async (): Promise<unknown> =>
      postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'node'`)
    copyFileSync(at('own/cert.pem'), at('ca.pem'))
    writeFileSync(at('changing'), `${PASSWORD}\n`, { mode: 0o600 })
    const node = await serveStore(urlOf(verified('ca.pem')), ...more('changing'), '--store-wait', '1s')
    const ready = async (): Promise<number> => (await fetch(`${node.url}/readyz`)).status
    expect(await ready()).toBe(200)
    try {
      await postgres.query(`ALTER ROLE node PASSWORD 'new'`)
      await serveCertificate('other')
      await endSessions()
      await eventually(ready).toBe(503)

      writeFileSync(at('changing'), '\n')
      node.child.kill('SIGHUP')
      await eventually(node.log).toContain(`not reloaded: store_password_file ${at('changing')}: it is empty`)
      writeFileSync(at('changing'), 'new\n')
      copyFileSync(at('other/cert.pem'), at('ca.pem'))
      node.child.kill('SIGHUP')
      await eventually(ready).toBe(200)
      expect(node.log()).not.toMatch(/sword fish/)
    } finally {
      await postgres.query(`ALTER ROLE node PASSWORD '${PASSWORD}'`)
      await serveCertificate('own')
    }
  })

  // biome-ignore format: a table
  it.each<[string, () => string, string, RegExp, number?]>([
    ['of an unknown authority',      () => urlOf('sslmode=verify-full'),             'password', /certificate/],
    ['of another authority',         () => urlOf(verified('other/cert.pem')),             'password', /certificate/],
    ['of another host',              () => urlOf(verified('own/cert.pem'), '127.0.0.1'),  'password', /127\.0\.0\.1 is not in the cert|does not match|altnames/],
    ['without TLS',                  () => urlOf('sslmode=disable'),                 'password', /no encryption/, 75],
    ['with a wrong password',        () => urlOf(verified('own/cert.pem')),               'wrong',    /password authentication failed/, 75],
    ['with an empty password file',  () => urlOf(verified('own/cert.pem')),               'empty',    /store_password_file .*empty: it is empty/],
    ['without the password file',    () => urlOf(verified('own/cert.pem')),               'missing',  /store_password_file .*missing/],
    ['without the authorities file', () => urlOf(verified('missing.crt')),           'password', /sslrootcert .*missing\.crt/],
  ])('is refused, and says why: %s', async (_, url, password, reason, expected = 78) => {
    const { code, stdout, stderr } = await admin('check', url(), password)
    expect({ code, stdout, stderr }).toMatchObject({ code: expected, stdout: '', stderr: expect.stringMatching(reason) as string })
    expect(stderr).not.toMatch(/sword fish|tuna/)
  })
})
