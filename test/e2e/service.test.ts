import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../src/service/admin/store/open-store.ts'
import { instant } from '../../src/shared/base/time.ts'
import { keyedHash } from '../../src/service/auth/hashes.ts'
import { sized } from '../large.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { lacks } from '../lacks.ts'
import { holdfast, scratch, service, serviceIn, start } from './processes.ts'
import { certificate } from './servers.ts'
import { SMALL_PLAN } from '../small-plan.ts'

const AGENT = { 'user-agent': 'Acme t/1-1 me@example.test' }
const basic = (username: string, password: string) => ({
  ...AGENT,
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

/** A store with one account, one name and one key. */
async function filled(): Promise<string> {
  const folder = scratch()
  const opened = await openStore(folder, { mayMake: true })
  if (!opened.ok) throw new Error(opened.error.messages.join())
  const { store, pepper } = opened.value
  await store.write(async (w) => {
    const plan = await w.addPlan(SMALL_PLAN)
    const accountId = await w.addAccount({ name: 'acme', hash: new Uint8Array(48), planId: plan }, instant(0))
    const zoneId = await w.addZone({ accountId, name: 'example.test', isShared: false }, instant(0))
    const key = await w.addKey(
      { accountId, username: 'abc1234', hash: keyedHash(pepper, 'swordfish'), description: '' },
      instant(0),
    )
    await w.attach(key, await w.addName({ zoneId, accountId, name: 'home' }, instant(0)))
  })
  await store.close()
  return folder
}

async function serving(folder: string) {
  const child = start(['serve', '--store', folder, '--listen', '127.0.0.1:0', '--json'], {
    node: process.execPath,
  })
  const ended = new Promise<number | null>((done) => child.on('close', done))
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  const url = await new Promise<string>((found) =>
    child.stdout?.once('data', (line: Buffer) => found((JSON.parse(line.toString()) as { url: string }).url)),
  )
  const update = async (address: string): Promise<string> =>
    (
      await fetch(`${url}/nic/update?hostname=home.example.test&myip=${address}`, {
        headers: basic('abc1234', 'swordfish'),
      })
    ).text()
  return { child, ended, update }
}

it('has every answered update on disk when it is killed', async () => {
  const folder = await filled()
  for (let n = 1; n <= sized(2, 5); n++) {
    const { child, ended, update } = await serving(folder)
    expect(await update(`192.0.2.${n}`)).toBe(`good 192.0.2.${n}\n`)
    child.kill('SIGKILL')
    await ended
    const again = await serving(folder)
    expect(await again.update(`192.0.2.${n}`)).toBe(`nochg 192.0.2.${n}\n`)
    again.child.kill('SIGTERM')
    expect(await again.ended).toBe(0)
  }
})

describe('the key of the password hashes', () => {
  it.each<[string, (path: string) => void, RegExp]>([
    ['lost', (path) => rmSync(path), /hash\.key is missing; without it no key/],
    ['broken', (path) => writeFileSync(path, 'hello'), /hash\.key does not hold 32 bytes in hex/],
  ])(
    'is refused at the start when it is %s, so that right passwords stay right',
    async (_, harm, message) => {
      const folder = await filled()
      harm(join(folder, 'hash.key'))

      const ended = await holdfast(['serve', '--store', folder, '--listen', '127.0.0.1:0'], {
        node: process.execPath,
      })

      expect([ended.code, ended.stderr]).toEqual([78, expect.stringMatching(message)])
    },
  )
})

it('a store of a newer version and a file that is no database are rejected with a message', async () => {
  const folder = await filled()
  writeFileSync(
    join(folder, 'holdfast.db'),
    'this text is no database, and it is longer than the header of one',
  )
  rmSync(join(folder, 'holdfast.db-wal'), { force: true })

  const ended = await holdfast(['serve', '--store', folder, '--listen', '127.0.0.1:0'], {
    node: process.execPath,
  })

  expect([ended.code, ended.stderr]).toEqual([
    78,
    expect.stringMatching(
      /^holdfast: the store in .* cannot be opened: file is not a database; restore it from your backup with: holdfast admin restore\n$/,
    ),
  ])
})

describe('after SIGTERM it', () => {
  it('finishes accepted requests', async () => {
    const at = await service('--fault', 'slow:3s')
    const update = request(`${at.url}/nic/update?hostname=home.example.test&myip=192.0.2.1`, {
      headers: basic(at.username, at.password),
    })
    const answer = once(update, 'response') as Promise<[IncomingMessage]>
    update.end()
    await once(update, 'finish')
    // Accepted after the update, and answered before it.
    expect((await fetch(`${at.url}/healthz`)).status).toBe(200)

    expect(await at.stop()).toBe(0)
    const [response] = await answer
    expect(await response.setEncoding('utf8').toArray()).toEqual(['good 192.0.2.1\n'])
  })

  it('deletes the temporary store', async () => {
    const folder = scratch()
    const child = start(['serve', '--dev', '--json'], { env: { TMPDIR: folder } })
    const ended = new Promise<number | null>((done) => child.on('close', done))
    await new Promise((said) => child.stdout?.once('data', said))
    expect(readdirSync(folder)).toHaveLength(1)
    child.kill('SIGTERM')

    expect(await ended).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('does not wait for silent clients', async () => {
    const at = await serviceIn(shortTimers(4000), '--request-timeout', '1h')
    const { hostname, port } = new URL(at.url)
    const sockets = await Promise.all(
      Array.from(
        { length: 5 },
        async () =>
          new Promise<Socket>((done) => {
            const socket = connect(Number(port), hostname, () => done(socket))
          }),
      ),
    )
    for (const socket of sockets) socket.on('error', () => undefined)

    expect(await at.stop()).toBe(0)
    for (const socket of sockets) socket.destroy()
  })

  it('ends an injected delay early', async () => {
    const at = await serviceIn(shortTimers(4000), '--fault', 'slow:60s')
    void fetch(`${at.url}/nic/update`, { headers: AGENT }).catch(() => undefined)
    await new Promise((done) => setTimeout(done, 200))

    expect(await at.stop()).toBe(0)
  })
})

describe.skipIf(lacks('openssl'))('over TLS', () => {
  const certified = async (...args: readonly string[]) => {
    const { cert, key } = certificate('IP:127.0.0.1')
    // The timer for a connection that sends nothing at all is not the one of the handshake.
    return serviceIn(
      shortTimers(4000),
      '--listen',
      '127.0.0.1:0/tls',
      '--tls-cert',
      cert,
      '--tls-key',
      key,
      '--request-timeout',
      '1s',
      ...args,
    )
  }
  const port = (url: string): number => Number(new URL(url).port)

  it('a reset ends the connection, not the service', async () => {
    const at = await certified('--fault', 'reset')
    for (let n = 0; n < 3; n++)
      await new Promise<void>((done) => {
        const socket = connectTls({ port: port(at.url), rejectUnauthorized: false }, () =>
          socket.write('GET /nic/update HTTP/1.1\r\nHost: x\r\nUser-Agent: A b/1-1\r\n\r\n'),
        )
        socket.on('error', () => undefined)
        socket.on('close', () => done())
      })

    expect(at.child.exitCode).toBeNull()
  })

  it.each([
    [[], '192.0.2.1'],
    [['--client-header', 'forwarded'], '192.0.2.2'],
  ])('believes a trusted proxy in one header only: %j', async (more, address) => {
    const at = await service('--trusted-proxies', '127.0.0.1', ...more)
    const headers = {
      ...basic(at.username, at.password),
      'user-agent': 'Tester/Test/1.0 a@example.test',
      'x-forwarded-for': '192.0.2.1',
      forwarded: 'for=192.0.2.2',
    }
    const response = await fetch(`${at.url}/nic/update?hostname=${at.hostnames[0]}`, { headers })
    expect(await response.text()).toBe(`good ${address}\n`)
  })

  it('a client that sends no handshake is disconnected', async () => {
    const at = await certified()
    const socket = connect(port(at.url), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume()

    await new Promise((done) => socket.on('close', done))
  })
})

it('responds with the headers of the protocol', async () => {
  const at = await service('--realm', 'My zone')
  const refused = await fetch(`${at.url}/nic/update?hostname=home.example.test`, { headers: AGENT })
  const good = await fetch(`${at.url}/nic/update?hostname=home.example.test&myip=192.0.2.1`, {
    headers: basic(at.username, at.password),
  })

  expect([refused.status, refused.headers.get('www-authenticate'), await refused.text()]).toEqual([
    401,
    'Basic realm="My zone", charset="UTF-8"',
    'badauth\n',
  ])
  expect([
    good.status,
    good.headers.get('content-type'),
    good.headers.get('content-length'),
    good.headers.get('transfer-encoding'),
    await good.text(),
  ]).toEqual([200, 'text/plain; charset=utf-8', '15', null, 'good 192.0.2.1\n'])
})

it.each(['日本', 'a"b', 'a\\b'])(
  'a realm that no header can hold is rejected at the start: %s',
  async (realm) => {
    expect((await holdfast(['serve', '--dev', '--realm', realm], { node: process.execPath })).code).toBe(64)
  },
)

it('uses X-Forwarded-For only from a trusted proxy', async () => {
  const ask = async (at: Awaited<ReturnType<typeof service>>): Promise<string> =>
    (
      await fetch(`${at.url}/nic/update?hostname=home.example.test`, {
        headers: { ...basic(at.username, at.password), 'x-forwarded-for': '192.0.2.99' },
      })
    ).text()

  expect(await ask(await service('--trusted-proxies', '127.0.0.1'))).toBe('good 192.0.2.99\n')
  expect(await ask(await service())).toBe('good 127.0.0.1\n')
})

it('gives a hundred concurrent clients each its own reply', async () => {
  const at = await service('--request-limit', '1000')
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, n) =>
      (
        await fetch(`${at.url}/nic/update?hostname=home.example.test&myip=192.0.2.${n}`, {
          headers: basic(at.username, at.password),
        })
      ).text(),
    ),
  )

  expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => `good 192.0.2.${n}\n`))
})
