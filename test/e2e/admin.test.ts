import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { holdfast, ROOT, storeWith } from './processes.ts'

/** A service on a persistent store that `holdfast admin` has filled. */
async function operated() {
  const { folder: store, printed } = await storeWith(
    'plan add basic max-names=3',
    'account add acme basic --json',
    'zone add acme.test acme',
    'api-key add acme --json',
  )
  const admin = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await holdfast(['admin', ...words, '--store', store, '--json'], {
      node: process.execPath,
    })
    const result = JSON.parse(stdout === '' ? '{}' : stdout) as {
      readonly password?: string
      readonly key?: string
    }
    return { code, stderr, ...result }
  }
  const { password } = JSON.parse(printed[2] ?? '') as { readonly password: string }
  const { key } = JSON.parse(printed[4] ?? '') as { readonly key: string }
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'bin/holdfast.js'),
      'serve',
      '--store',
      store,
      '--listen',
      '127.0.0.1:0',
      '--json',
      '--nameservers',
      'ns1.acme.test',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: '/nonexistent' } },
  )
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
  onTestFinished(async () => {
    const closed = new Promise((done) => child.on('close', done))
    child.kill('SIGTERM')
    await closed
  })
  const { url } = JSON.parse(
    await new Promise<string>((done) => createInterface({ input: child.stdout }).once('line', done)),
  ) as { readonly url: string }
  const ask = async (method: string, path: string, body?: unknown, authorization = `Bearer ${key}`) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      body: (await response.json()) as { data?: never; errors?: { code: string }[] },
    }
  }
  const update = async (username: string, secret: string, query: string): Promise<string> => {
    const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`
    const response = await fetch(`${url}/nic/update?${query}`, {
      headers: { authorization, 'user-agent': 'Test test/1-1 t@example.test' },
    })
    return (await response.text()).trim()
  }
  return { admin, ask, update, password, log, store }
}

const NAMES = '/v1/dns/records/acme.test'

describe('operator, account and device share one store', () => {
  it('a key updates a name that the API created, and the API shows the update', async () => {
    const { ask, update } = await operated()
    expect(
      (
        await ask('POST', NAMES, {
          name: 'home',
          rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1', label: 'wan' }] }],
        })
      ).status,
    ).toBe(201)
    const made = await ask('POST', '/v1/account/ddns-keys', {
      description: 'router',
      hostnames: ['home.acme.test'],
    })
    const key = made.body.data as unknown as { readonly username: string; readonly password: string }
    expect(made.status).toBe(201)

    expect(await update(key.username, key.password, 'hostname=home.acme.test&myip=192.0.2.1')).toBe(
      'nochg 192.0.2.1',
    )
    expect(await update(key.username, key.password, 'hostname=home.acme.test&myip=192.0.2.2')).toBe(
      'good 192.0.2.2',
    )

    expect((await ask('GET', `${NAMES}/home`)).body.data).toMatchObject({
      update_group: key.username,
      rrsets: [{ dns_type: 'A', rdata: [{ label: 'wan', value: '192.0.2.2' }] }],
    })
    expect((await ask('GET', '/v1/dns/clients')).body.data).toMatchObject([
      { ddns_key_username: key.username, last_reply: 'good 192.0.2.2', last_address: '127.0.0.1' },
    ])
    expect((await ask('GET', `/v1/account/ddns-keys/${key.username}`)).body.data).toMatchObject({
      last_used_at: expect.stringMatching(/^\d{4}-/) as string,
      targets: [{ zone_name: 'acme.test', name: 'home' }],
    })
    expect(await update(key.username, key.password, 'hostname=home.acme.test&offline=YES')).toMatch(/^good/)
    expect((await ask('GET', `${NAMES}/home`)).body.data).toMatchObject({ offline: true })
    const renewed = await ask('PUT', `/v1/account/ddns-keys/${key.username}`, { regenerate_password: true })
    const { password } = renewed.body.data as unknown as { readonly password: string }
    expect(await update(key.username, key.password, 'hostname=home.acme.test')).toBe('badauth')
    expect(await update(key.username, password, 'hostname=home.acme.test&myip=192.0.2.3')).toBe(
      'good 192.0.2.3',
    )
  })

  it('a key that is attached to one record changes only that record', async () => {
    const { ask, update } = await operated()
    const made = await ask('POST', '/v1/account/ddns-keys', { description: 'one' })
    const key = made.body.data as unknown as { readonly username: string; readonly password: string }
    const rdata = [
      { value: '192.0.2.1', label: 'left', update_group: key.username },
      { value: '192.0.2.2', label: 'right' },
    ]
    expect((await ask('POST', NAMES, { name: 'both', rrsets: [{ dns_type: 'A', rdata }] })).status).toBe(201)

    expect(await update(key.username, key.password, 'hostname=both.acme.test&myip=192.0.2.9')).toBe(
      'good 192.0.2.9',
    )
    expect((await ask('GET', `${NAMES}/both/rrsets/A`)).body.data).toMatchObject({
      rdata: [
        { label: 'left', value: '192.0.2.9' },
        { label: 'right', value: '192.0.2.2' },
      ],
    })
  })

  it('a change by the operator applies from the next request on', async () => {
    const { admin, ask } = await operated()
    const code = async (method: string, path: string, body?: unknown) =>
      (await ask(method, path, body)).body.errors?.[0]?.code
    expect(await code('POST', NAMES, { name: 'a' })).toBeUndefined()
    await admin('zone', 'set', 'acme.test', 'prohibited=yes')
    expect(await code('DELETE', `${NAMES}/a`)).toBe('3903')
    await admin('zone', 'set', 'acme.test', 'prohibited=no', 'website-only=yes')
    expect(await code('GET', `${NAMES}/a`)).toBe('4786')
    await admin('zone', 'set', 'acme.test', 'website-only=no')
    await admin('name', 'lock', 'a.acme.test')
    expect(await code('DELETE', `${NAMES}/a`)).toBe('4821')
    await admin('name', 'unlock', 'a.acme.test')
    for (const name of ['b', 'c']) expect(await code('POST', NAMES, { name })).toBeUndefined()
    expect(await code('POST', NAMES, { name: 'd' })).toBe('3354') // the apex does not count
    await admin('plan', 'set', 'basic', 'max-names=9')
    expect(await code('POST', NAMES, { name: 'd' })).toBeUndefined()
  })

  it('the log has each change by the operator, those before the start too, and no secret', async () => {
    const { admin, log, store, password } = await operated()
    const file = join(store, 'acme.json')
    await admin('account', 'list')
    await admin('account', 'suspend', 'nobody')
    await admin('account', 'suspend', 'acme')
    const { password: next = '' } = await admin('account', 'password', 'acme')
    await admin('account', 'remove', 'acme', `export=${file}`)
    const lines = () => log.map((line) => JSON.parse(line) as Record<string, string>)
    const done = () =>
      lines().flatMap(({ msg, operation, subject }) =>
        msg === 'operated' ? [`${operation} ${subject}`] : [],
      )
    await eventually(done).toEqual([
      'plan add basic max-names=3',
      'account add acme basic',
      'zone add acme.test acme',
      'api-key add acme',
      'account suspend acme',
      'account password acme',
      'zone remove acme.test',
      `account remove acme export=${file}`,
    ])
    expect(lines().find(({ msg }) => msg === 'operated')?.['operator']).toBe(userInfo().username)
    for (const secret of [password, next]) expect(log.join('\n')).not.toContain(secret)
  })

  it('the API accepts the password of the account', async () => {
    const { ask, password } = await operated()
    const basic = (secret: string): string => `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`

    expect((await ask('GET', '/v1/dns/zones', undefined, basic(password))).status).toBe(200)
    expect((await ask('GET', '/v1/dns/zones', undefined, basic('wrong'))).status).toBe(401)
  })

  it('admin unblock ends a block after abuse', async () => {
    const { admin, ask, update } = await operated()
    await ask('POST', NAMES, { name: 'home' })
    const made = await ask('POST', '/v1/account/ddns-keys', { hostnames: ['home.acme.test'] })
    const key = made.body.data as unknown as { readonly username: string; readonly password: string }
    let last = ''
    for (let n = 0; n < 40 && last !== 'abuse'; n++)
      last = await update(key.username, key.password, `hostname=home.acme.test&myip=192.0.2.${n % 2}`)
    expect(last).toBe('abuse')

    expect((await admin('unblock', key.username)).code).toBe(0)
    expect(await update(key.username, key.password, 'hostname=home.acme.test&myip=192.0.2.77')).toBe(
      'good 192.0.2.77',
    )
  })
})

describe('admin reports a wrong operation and changes nothing', () => {
  let store = ''
  beforeAll(async () => {
    store = mkdtempSync(join(tmpdir(), 'holdfast-admin-'))
    await holdfast(['admin', 'init', '--store', store], { node: process.execPath })
  })
  afterAll(() => rmSync(store, { recursive: true, force: true }))

  // biome-ignore format: a table
  it.each<[readonly string[], number, RegExp]>([
    [[],                                              64, /name an operation, one of these:[^]*plan add NAME/],
    [['plan', 'set', 'nothing', 'max-names=1'],      64, /there is no plan nothing/],
    [['plan', 'add', 'x', 'max-names=many'],         64, /max-names=many is not a whole number/],
    [['plan', 'add', 'x', 'max-names=none'],         64, /max-names=none is not a whole number/],
    [['plan', 'add', 'x', 'types=A,B'],               64, /types=A,B is not a list of record types/],
    [['account', 'add', 'a b', 'basic'],              64, /there is no plan basic/],
    [['zone', 'add', 'x', 'unknown'],                  64, /there is no account unknown/],
    [['member', 'add', 'x.test', 'unknown'],           64, /there is no zone x\.test/],
    [['name', 'lock', 'x.test'],                      64, /there is no name x\.test/],
    [['key', 'lock', 'abc'],                          64, /there is no DDNS key abc/],
    [['unblock', 'abc'],                              64, /there is no DDNS key, no account and no name abc/],
  ])('%j', async (words, code, message) => {
    const ended = await holdfast(['admin', ...words, '--store', store], { node: process.execPath })

    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)])
  })
})
