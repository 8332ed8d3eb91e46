import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { nameServer } from '../service/publish/name-server.ts'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { KEY } from './dns-secondary.ts'
import { holdfast, LAUNCHER, serveStore, serveWith } from './processes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined)
  console.error(`\n!!! ${lacking}: the tests of the service on PostgreSQL are SKIPPED\n`)

const AGENT = { 'user-agent': 'Test test/1-1 you@example.test' }

describe.skipIf(lacking !== undefined)('the service on PostgreSQL', () => {
  let postgres: Postgres
  let [url, folder, hashKey] = ['', '', '']
  beforeAll(async () => {
    postgres = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'))
    hashKey = join(folder, 'hash.key')
    await postgres.query('CREATE DATABASE service')
    url = `postgres://holdfast@127.0.0.1:${postgres.port}/service`
  })
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const admin = async (words: string, store = url) =>
    holdfast(['admin', ...words.split(' '), '--store', store, '--hash-key-file', hashKey], {
      node: process.execPath,
    })
  const node = async (...more: readonly string[]) =>
    serveStore(url, '--hash-key-file', hashKey, '--store-wait', '1s', ...more)
  const ask = async (base: string, path: string, credentials: string, body?: unknown) => {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...AGENT,
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      text: await response.text(),
      after: response.headers.get('retry-after'),
    }
  }

  it('is not started without a store, a hash key, or a database', async () => {
    const serve = async (...words: readonly string[]) =>
      holdfast(['serve', '--listen', '127.0.0.1:0', ...words], { node: process.execPath })
    expect(await serve('--store', url)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('needs hash_key_file') as string,
    })
    expect(await serve('--store', url, '--hash-key-file', hashKey)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(`there is no store in ${url}`) as string,
    })
    const other = url.replace('holdfast@', 'holdfast:swordfish@').replace('/service', '/missing')
    const missing = await serve('--store', other, '--hash-key-file', hashKey)
    expect(missing).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('"missing" does not exist') as string,
    })
    expect(missing.stderr).not.toContain('swordfish')
    const strange = await serve('--store', other.replace('postgres:', 'postgre:'))
    expect(strange).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('begins with postgres://') as string,
    })
    expect(strange.stderr).not.toContain('swordfish')
    const away = await serve('--store', 'postgres://u@127.0.0.1:1/d', '--hash-key-file', hashKey)
    expect(away).toMatchObject({ code: 75, stderr: expect.stringContaining('cannot be reached') as string })
  })

  it('is made by admin, with a hash key that only its owner reads', async () => {
    expect(await admin('init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`every node needs the file ${hashKey}`) as string,
    })
    expect(statSync(hashKey).mode & 0o777).toBe(0o600)
    expect(await admin('init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('already; it is unchanged'),
    })
    for (const words of ['plan add basic max-names=50', 'account add acme basic', 'zone add acme.test acme'])
      expect(await admin(words)).toMatchObject({ code: 0 })
    expect(await admin('rotate-hash-key')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('for a store in a folder') as string,
    })
  })

  it('two nodes share names, keys and blocks; both answer again when the database is back', async () => {
    const apiKey = (await admin('api-key add acme')).stdout.trim().split(' ').at(-1) ?? ''
    const [one, two] = [await node(), await node()]
    for (const name of ['home', 'office'])
      expect((await ask(one.url, '/v1/dns/records/acme.test', `:${apiKey}`, { name })).status).toBe(201)
    const made = await ask(two.url, '/v1/account/ddns-keys', `:${apiKey}`, {
      hostnames: ['home.acme.test', 'office.acme.test'],
    })
    const { username, password } = (JSON.parse(made.text) as { data: { username: string; password: string } })
      .data
    const update = async (base: string, hostname: string, myip: string) =>
      ask(base, `/nic/update?hostname=${hostname}.acme.test&myip=${myip}`, `${username}:${password}`)

    expect((await update(one.url, 'home', '11.0.0.1')).text).toBe('good 11.0.0.1\n')
    expect((await update(two.url, 'home', '11.0.0.1')).text).toBe('nochg 11.0.0.1\n')
    expect((await update(two.url, 'home', '11.0.0.2')).text).toBe('good 11.0.0.2\n')
    expect((await ask(one.url, '/v1/dns/records/acme.test/home', `:${apiKey}`)).text).toContain('"11.0.0.2"')
    // The node that counts to the limit blocks, and the other one obeys with its next request.
    let blocked = ''
    for (let n = 0; n < 60 && blocked !== 'abuse\n'; n++)
      blocked = (await update(one.url, 'office', `11.0.1.${n}`)).text
    expect(blocked).toBe('abuse\n')
    expect((await update(two.url, 'home', '11.0.0.3')).text).toBe('abuse\n')
    expect((await admin(`unblock ${username}`)).code).toBe(0)
    expect((await update(two.url, 'home', '11.0.0.3')).text).toBe('good 11.0.0.3\n')

    await postgres.kill9()
    expect((await update(one.url, 'home', '11.0.0.4')).text).toBe('911\n')
    expect(await ask(two.url, '/v1/dns/records/acme.test/home', `:${apiKey}`)).toMatchObject({
      status: 503,
      after: '5',
    })
    await postgres.start()
    // Each node finds out by itself, within a few requests.
    for (const { url } of [one, two]) {
      let tries = 0
      await eventually(async () => {
        tries++
        return (await update(url, 'home', '11.0.0.5')).text
      }).toMatch(/^(?:good|nochg) 11\.0\.0\.5\n$/)
      expect(tries).toBeLessThan(10)
    }
    expect((await update(two.url, 'home', '11.0.0.5')).text).toBe('nochg 11.0.0.5\n')
  })

  it('every node answers for the zones, and publishes what a killed one has taken', async () => {
    const dns = ['--dns-listen', '127.0.0.1:0', '--answer-queries', '--nameservers', 'ns1.example.net']
    const [one, two] = [await node(...dns), await node(...dns)]
    const apiKey = (await admin('api-key add acme')).stdout.trim().split(' ').at(-1) ?? ''
    expect((await ask(one.url, '/v1/dns/records/acme.test', `:${apiKey}`, { name: 'cabin' })).status).toBe(
      201,
    )
    const made = await ask(one.url, '/v1/account/ddns-keys', `:${apiKey}`, { hostnames: ['cabin.acme.test'] })
    const { username, password } = (JSON.parse(made.text) as { data: { username: string; password: string } })
      .data
    const update = async (base: string, myip: string) =>
      ask(base, `/nic/update?hostname=cabin.acme.test&myip=${myip}`, `${username}:${password}`)
    const answerOf = ({ dns: server }: { readonly dns: string }) => {
      const resolver = new Resolver()
      resolver.setServers([server])
      return async () => (await resolver.resolve4('cabin.acme.test').catch(() => [])).join()
    }
    const within = { timeout: 10_000, interval: 50 }

    expect((await update(one.url, '11.0.2.1')).text).toBe('good 11.0.2.1\n')
    await eventually(answerOf(one), within.interval).toBe('11.0.2.1')
    await eventually(answerOf(two), within.interval).toBe('11.0.2.1')
    expect((await update(one.url, '11.0.2.2')).text).toBe('good 11.0.2.2\n')
    one.child.kill('SIGKILL')
    await eventually(answerOf(two), within.interval).toBe('11.0.2.2')
    // One step of the journal follows the other, whichever node made them.
    const gaps = await postgres.query(
      `SELECT count(*)::int AS n FROM dns_journal AS step WHERE n > 1 AND serial_from IS DISTINCT FROM
        (SELECT serial_to FROM dns_journal AS other WHERE other.zone_id = step.zone_id AND other.n = step.n - 1)`,
      'service',
    )
    expect(gaps).toEqual([{ n: 0 }])
    const [steps] = await postgres.query('SELECT count(*)::int AS n FROM dns_journal WHERE n > 1', 'service')
    expect(steps?.['n']).toBeGreaterThan(0)
  })

  it('a node tells secondaries what another one has published and told nobody', async () => {
    const secret = Buffer.alloc(32, 7).toString('base64')
    const keys = join(folder, 'tsig.keys')
    writeFileSync(keys, `ns1-key hmac-sha256 ${secret}\n`, { mode: 0o600 })
    const secondary = createSocket('udp4').bind(0, '127.0.0.1')
    onTestFinished(() => void secondary.close())
    const told: string[] = []
    // Opcode 4 is NOTIFY (RFC 1996); the first label of the question follows the header.
    secondary.on('message', (bytes) => {
      if (((bytes[2] ?? 0) >> 3) % 16 === 4) told.push(bytes.toString('latin1', 13, 13 + (bytes[12] ?? 0)))
    })
    await once(secondary, 'listening')
    const names = ['--nameservers', 'ns1.example.net']
    const silent = await node(...names)
    const dns = ['--dns-listen', '127.0.0.1:0', '--tsig-key-file', keys]
    const { port } = secondary.address()
    const teller = await node(...names, ...dns, '--secondaries', `ns1=127.0.0.1:${port} key ns1-key`)
    await sleep(2000)
    teller.child.kill('SIGSTOP')
    expect((await admin('zone add quiet.test acme')).code).toBe(0)
    const steps = async () =>
      postgres.query(
        `SELECT DISTINCT apex FROM dns_journal JOIN dns_zone ON id = zone_id WHERE apex = 'quiet.test'
          AND NOT EXISTS (SELECT 1 FROM dns_dirty)`,
        'service',
      )
    await eventually(steps).toEqual([{ apex: 'quiet.test' }])
    silent.child.kill('SIGKILL')
    told.length = 0
    teller.child.kill('SIGCONT')

    await eventually(() => told).toContain('quiet')
  })

  it('every node says whether secondaries have what one of them has published', async () => {
    const secondary = await nameServer(KEY)
    const keys = join(folder, 'secondary.keys')
    writeFileSync(keys, `${KEY.name} ${KEY.algorithm} ${KEY.secret.reveal()}\n`, { mode: 0o600 })
    expect((await admin('zone add words.test acme')).code).toBe(0)
    const apiKey = (await admin('api-key add acme')).stdout.trim().split(' ').at(-1) ?? ''
    const zone = async ({ url: base }: { readonly url: string }) =>
      (
        JSON.parse((await ask(base, '/v1/dns/zones/words.test', `:${apiKey}`)).text) as {
          data: { publication: string; serial: number }
        }
      ).data
    const dns = ['--nameservers', 'ns1.example.net', '--dns-listen', '127.0.0.1:0', '--tsig-key-file', keys]
    const secondaries = ['--secondaries', `ns1=127.0.0.1:${secondary.port} key ${KEY.name}`]
    const nodes = [await node(...dns, ...secondaries), await node(...dns, ...secondaries)] as const
    const words = async () => Promise.all(nodes.map(async (at) => (await zone(at)).publication))
    const fetchZones = async (): Promise<void> => {
      const steps = await postgres.query('SELECT apex, serial::int FROM dns_zone', 'service')
      for (const step of steps) secondary.serves.set(String(step['apex']), Number(step['serial']))
    }
    await eventually(async () => fetchZones().then(words)).toEqual(['published', 'published'])
    const made = await ask(nodes[0].url, '/v1/dns/records/words.test', `:${apiKey}`, {
      name: 'new',
      rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }],
    })
    expect(made.status).toBe(201)
    secondary.told.length = 0
    await eventually(words).toEqual(['behind', 'behind'])
    // The other node has noticed it, and has had no reason yet to tell the secondary.
    expect(secondary.told.filter(([apex]) => apex === 'words.test').length).toBeLessThanOrEqual(1)
    await eventually(async () => fetchZones().then(words)).toEqual(['published', 'published'])
  })

  it('nodes count the requests of an account together', async () => {
    const [one, two] = [await node('--key-request-limit', '3'), await node('--key-request-limit', '3')]
    expect((await admin('account add beta basic')).code).toBe(0)
    const apiKey = (await admin('api-key add beta')).stdout.trim().split(' ').at(-1) ?? ''
    const asked: number[] = []
    for (const at of [one, two, one, two, one])
      asked.push((await ask(at.url, '/v1/account/ddns-keys', `:${apiKey}`)).status)
    expect(asked).toEqual([200, 200, 200, 429, 429])
  })

  it('goes on beside a newer version that added to the schema, and not once that removed something', async () => {
    await postgres.query('CREATE DATABASE upgraded')
    const store = url.replace('/service', '/upgraded')
    for (const words of ['init', 'plan add basic', 'account add acme basic', 'zone add acme.test acme'])
      expect(await admin(words, store)).toMatchObject({ code: 0 })
    const apiKey = (await admin('api-key add acme', store)).stdout.trim().split(' ').at(-1) ?? ''
    const older = async () => serveStore(store, '--hash-key-file', hashKey)
    const create = async (base: string, name: string) =>
      (await ask(base, '/v1/dns/records/acme.test', `:${apiKey}`, { name })).status
    const running = await older()
    expect(await create(running.url, 'before')).toBe(201)

    // As the first new node does it, while the older ones run.
    await postgres.query(
      `ALTER TABLE name ADD COLUMN newer text; CREATE TABLE newer (id bigint);
       INSERT INTO schema_version (version, oldest_reader) VALUES (99, 1)`,
      'upgraded',
    )
    expect(await create(running.url, 'during')).toBe(201)
    expect(await create((await older()).url, 'after')).toBe(201)
    expect(await admin('check', store)).toMatchObject({ code: 0 })

    await postgres.query('INSERT INTO schema_version (version, oldest_reader) VALUES (100, 99)', 'upgraded')
    const refused = await holdfast(
      ['serve', '--listen', '127.0.0.1:0', '--store', store, '--hash-key-file', hashKey],
      { node: process.execPath },
    )
    expect(refused).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('was changed by a newer Holdfast') as string,
    })
  })

  // Debian's libfaketime, by the folder of the architecture.
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  it.skipIf(library === undefined).each(['+2m', '-2m'])(
    'is refused to a host whose clock is wrong: %s',
    async (skew) => {
      const args = ['serve', '--listen', '127.0.0.1:0', '--store', url, '--hash-key-file', hashKey]
      const env = { LD_PRELOAD: library, FAKETIME: skew, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
      expect(await holdfast(args, { node: process.execPath, env })).toMatchObject({
        code: 75,
        stderr: expect.stringMatching(
          /the clock of this host differs from that of the database by 1(?:1[5-9]|2[0-5]) seconds/,
        ) as string,
      })
    },
  )

  it.skipIf(library === undefined)('starts where the clock is some seconds off, and warns', async () => {
    const env = { LD_PRELOAD: library ?? '', FAKETIME: '+9s', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    const at = await serveWith(LAUNCHER, ['--store', url, '--hash-key-file', hashKey], env)
    expect(at.log()).toMatch(/differs from that of the database by (?:8|9|10) seconds; at 30 no node starts/)
  })

  it('has one console: what a person does at one node is known at the other', async () => {
    const [one, other] = [
      await node('--console', 'http://localhost'),
      await node('--console', 'http://localhost'),
    ]
    const env = { HOLDFAST_CONSOLE: 'http://localhost' }
    const words = ['admin', 'invitation', 'add', 'basic', '--store', url, '--hash-key-file', hashKey]
    const { stdout } = await holdfast(words, { node: process.execPath, env })
    expect(stdout).toMatch(/^http:\/\/localhost\/console\/invitation#[\w-]{43}\n$/)
    const form = {
      code: stdout.trim(),
      account: 'newcomer',
      password: 'a long password',
      again: 'a long password',
    }
    const send = async (base: string, path: string, body?: URLSearchParams, cookie = '') =>
      fetch(`${base}/console/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'sec-fetch-site': 'same-origin', cookie },
        redirect: 'manual',
        ...(body !== undefined && { body }),
      })
    const made = await send(one.url, 'invitation', new URLSearchParams(form))
    const [cookie = ''] = (made.headers.get('set-cookie') ?? '').split(';')
    expect([made.status, cookie]).toEqual([303, expect.stringMatching(/^holdfast=[\w-]{43}$/)])
    const account = await send(other.url, 'account', undefined, cookie)
    const html = await account.text()
    expect([account.status, html]).toEqual([200, expect.stringContaining('newcomer')])
    const [, token = ''] = /name="token" value="([\w-]{54})"/.exec(html) ?? []
    expect(
      (await send(one.url, 'invitation', new URLSearchParams({ ...form, account: 'again' }))).status,
    ).toBe(422)
    expect((await send(other.url, 'sign-out', new URLSearchParams({ token }), cookie)).status).toBe(303)
    expect((await send(one.url, 'account', undefined, cookie)).headers.get('location')).toBe(
      '/console/sign-in?back=%2Fconsole%2Faccount',
    )
  })

  it('is refused with another hash key', async () => {
    const other = join(folder, 'other.key')
    copyFileSync(hashKey, other)
    chmodSync(other, 0o600)
    writeFileSync(
      other,
      readFileSync(other, 'utf8').replace(/^./, (first) => (first === '0' ? '1' : '0')),
    )
    const refused = await holdfast(
      ['serve', '--listen', '127.0.0.1:0', '--store', url, '--hash-key-file', other],
      { node: process.execPath },
    )
    expect(refused).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('is not the hash key of the store') as string,
    })
  })
})
