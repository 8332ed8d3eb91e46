import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'
import { holdfast, ROOT, scratch } from './processes.ts'
import { certificate } from './servers.ts'

interface Serving {
  readonly url: string
  readonly log: () => string
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<number | null>
  readonly folder: string
  readonly pid: number | undefined
}

/** A service with a configuration file of its own. */
async function serving(config: string, folder = scratch(), node = process.execPath): Promise<Serving> {
  const store = join(folder, 'store')
  await holdfast(['admin', 'init', '--store', store], { node: process.execPath })
  writeFileSync(join(folder, 'service.toml'), config)
  const args = ['serve', '--store', store, '--config', join(folder, 'service.toml'), '--json']
  const child = spawn(node, [join(ROOT, 'bin/holdfast.js'), ...args], {
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = new Promise<number | null>((done) => child.on('close', done))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = await new Promise<string>((found) =>
    child.stdout.once('data', (line: Buffer) => found((JSON.parse(line.toString()) as { url: string }).url)),
  )
  return { url, pid: child.pid, log: () => log, kill: (signal) => void child.kill(signal), ended, folder }
}

const portOf = (url: string): number => Number(new URL(url).port)
const statusOf = async (url: string): Promise<number> => (await fetch(`${url}/v1/dns/about`)).status

const serialOf = async (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.on('error', reject)
  })

const timesIn = (text: string, part: string): number => text.split(part).length - 1

describe('a running service', () => {
  it.each(['SIGUSR1', 'SIGUSR2'] as const)('is not changed by %s', async (signal) => {
    const { url, kill, log } = await serving('listen = ["127.0.0.1:0"]\n')
    kill(signal)

    await eventually(log).toContain(`${signal} has no effect`)
    expect(log()).not.toContain('Debugger listening')
    expect(await statusOf(url)).toBe(200)
  })

  it('is not ended by SIGHUP right after its start', async () => {
    const { url, kill, log } = await serving('listen = ["127.0.0.1:0"]\n')
    kill('SIGHUP')
    await eventually(log).toMatch(/reloaded the settings|has no effect while the service starts/)
    expect(await statusOf(url)).toBe(200)
  })

  it('reads its settings again at SIGHUP, and keeps the old ones after a mistake', async () => {
    const { url, kill, log, folder } = await serving('listen = ["127.0.0.1:0"]\n')
    const update = async () =>
      (await fetch(`${url}/nic/update`, { headers: { 'user-agent': 'curl' } })).text()
    expect(await update()).toBe('badauth\n')

    writeFileSync(
      join(folder, 'service.toml'),
      'listen = ["127.0.0.1:1"]\nstrict_agents = true\nlog_level = "debug"\n',
    )
    kill('SIGHUP')
    await eventually(log).toContain('reloaded the settings')
    expect(log()).toContain('listen has changed; it applies after a restart of the service')
    expect(await update()).toBe('badagent\n')
    expect(log()).toContain('"msg":"answered"')

    writeFileSync(join(folder, 'service.toml'), 'listen = ["127.0.0.1:0"]\nstrict_agents = true\n')
    kill('SIGHUP')
    await eventually(() => timesIn(log(), 'reloaded the settings')).toBe(2)
    expect(timesIn(log(), 'listen has changed')).toBe(1)

    writeFileSync(join(folder, 'service.toml'), 'strict_agents = maybe\n')
    kill('SIGHUP')
    await eventually(log).toContain('not reloaded: ')
    expect(await update()).toBe('badagent\n')
  })

  it.skipIf(lacks('openssl'))(
    'uses a renewed certificate after SIGHUP, and keeps the old one if the new pair is broken',
    async () => {
      const folder = scratch()
      const [first, second] = [certificate('DNS:a.test'), certificate('DNS:a.test')]
      const use = (pair: typeof first): void => {
        copyFileSync(pair.cert, join(folder, 'tls.crt'))
        copyFileSync(pair.key, join(folder, 'tls.key'))
      }
      use(first)
      const config = `listen = ["127.0.0.1:0/tls"]\ntls_cert = "${folder}/tls.crt"\ntls_key = "${folder}/tls.key"\n`
      const { url, kill, log } = await serving(config, folder)
      const before = await serialOf(portOf(url))

      use(second)
      kill('SIGHUP')
      await eventually(log).toContain('reloaded')
      const renewed = await serialOf(portOf(url))
      expect(renewed).not.toBe(before)

      copyFileSync(first.key, join(folder, 'tls.key'))
      kill('SIGHUP')
      await eventually(log).toMatch(
        /not reloaded: tls_key \S+tls\.key is not the key of the first certificate in tls_cert \S+tls\.crt/,
      )
      expect(await serialOf(portOf(url))).toBe(renewed)
      writeFileSync(join(folder, 'tls.crt'), '')
      kill('SIGHUP')
      await eventually(log).toMatch(/not reloaded: tls_cert \S+tls\.crt contains no certificate/)
      expect(await serialOf(portOf(url))).toBe(renewed)
    },
  )

  it.each<[what: string, change: (store: string) => void]>([
    ['removed', (store) => rmSync(join(store, 'holdfast.db'))],
    [
      'replaced by another file',
      (store) => {
        copyFileSync(join(store, 'holdfast.db'), join(store, 'copy'))
        renameSync(join(store, 'copy'), join(store, 'holdfast.db'))
      },
    ],
    ['removed', (store) => rmSync(join(store, 'holdfast.db-wal'))],
  ])('ends with 78 when a file of its database is %s', async (what, change) => {
    const { ended, log, folder } = await serving('listen = ["127.0.0.1:0"]\n')
    await eventually(() => existsSync(join(folder, 'store/holdfast.db-wal'))).toBe(true)
    // It has looked at both once.
    await sleep(1500)
    change(join(folder, 'store'))

    expect(await ended).toBe(78)
    expect(log()).toContain(`was ${what} while the service runs`)
  })

  it('ends kept connections with Connection: close, and no request is lost', async () => {
    const { url, kill, ended } = await serving('listen = ["127.0.0.1:0"]\n')
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const seen = { answered: 0, closed: 0, failed: 0 }
    const over = new AbortController()
    const ask = async (): Promise<void> =>
      new Promise((done) => {
        const asked = request(`${url}/v1/dns/about`, { agent }, (response) => {
          seen.answered++
          if (response.headers.connection === 'close') seen.closed++
          response.resume().on('end', done)
        })
        asked.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNREFUSED') seen.failed++
          over.abort()
          done()
        })
        asked.end()
      })
    const clients = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) await ask()
    })
    await eventually(() => seen.answered).toBeGreaterThan(50)
    kill('SIGTERM')
    await Promise.all(clients)

    expect(await ended).toBe(0)
    expect(seen).toMatchObject({ closed: 8, failed: 0 })
  })

  it('gives one network its share of the connections, and others theirs', async () => {
    const { url } = await serving(
      'listen = ["127.0.0.1:0"]\nmax_connections = 200\nmax_connections_per_network = 50\nrequest_timeout = "1h"\n',
    )
    const port = portOf(url)
    const open = (localAddress: string, says = ''): Socket => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined).write(says)
      return socket
    }
    const ended = (sockets: readonly Socket[]): number => sockets.filter(({ destroyed }) => destroyed).length
    // Half a request each: they end no earlier than the time for a request.
    const slow = Array.from({ length: 150 }, () => open('127.9.0.1', 'GET / HTTP/1.1\r\n'))
    const silent = Array.from({ length: 5 }, () => open('127.9.1.1'))
    await eventually(() => ended(slow)).toBe(100)

    expect(await statusOf(url)).toBe(200)
    await eventually(() => ended(silent)).toBe(5)
    expect(ended(slow)).toBe(100)
  })

  it('shows its metrics on a listener of their own, and its health on both', async () => {
    const port = await freePort()
    const { url } = await serving(`listen = ["127.0.0.1:0"]\nmetrics = "127.0.0.1:${port}"\n`)
    await fetch(`${url}/nic/update`, { headers: { 'user-agent': 'A b/1-1 c@d.test' } })
    const get = async (at: string): Promise<readonly [number, string]> => {
      const response = await fetch(at)
      return [response.status, await response.text()]
    }
    const own = `http://127.0.0.1:${port}`

    const [status, text] = await get(`${own}/metrics`)
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('holdfast_requests_total{part="update",answer="badauth"} 1'),
    ])
    for (const path of ['/healthz', '/readyz'])
      for (const at of [url, own]) expect(await get(at + path)).toEqual([200, 'ok\n'])
    expect((await get(`${url}/metrics`))[0]).toBe(404)
    expect((await get(`${own}/v1/dns/about`))[0]).toBe(404)
  })

  it('is not ready while its disk is full, and is again afterwards', async () => {
    const folder = scratch()
    const limited = join(folder, 'node')
    // A file size limit of some blocks that is lifted later (prlimit(1)) simulates a disk that fills up.
    writeFileSync(limited, `#!/bin/sh\ntrap '' XFSZ\nexec ${process.execPath} "$@"\n`, { mode: 0o755 })
    const { url, pid } = await serving('listen = ["127.0.0.1:0"]\n', folder, limited)
    const readiness = async (kind = ''): Promise<number> => (await fetch(`${url}/readyz${kind}`)).status
    expect(await readiness()).toBe(200)

    execFileSync('prlimit', ['--pid', String(pid), '--fsize=0:unlimited'])
    await eventually(async () => readiness()).toBe(503)
    expect(await readiness('?reads')).toBe(200)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited'])
    await eventually(async () => readiness()).toBe(200)
  })

  it('listens on a socket that its supervisor passes', async () => {
    const folder = scratch()
    const store = join(folder, 'store')
    await holdfast(['admin', 'init', '--store', store], { node: process.execPath })
    const pass = async (listen: string) => {
      const { port, handle, close } = await listeningSocket()
      const args = ['serve', '--store', store, '--listen', listen.replace('PORT', String(port)), '--json']
      const child = spawn(
        '/bin/sh',
        [
          '-c',
          'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"',
          'sh',
          process.execPath,
          join(ROOT, 'bin/holdfast.js'),
          ...args,
        ],
        { env: { PATH: process.env['PATH'], HOME: folder }, stdio: ['ignore', 'pipe', 'pipe', handle] },
      )
      // The child has the socket too; this process must not accept connections on it.
      close()
      let [out, log] = ['', '']
      child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
      const ended = new Promise<number | null>((done) => child.on('close', done))
      onTestFinished(async () => {
        child.kill('SIGKILL')
        await ended
      })
      return { port, out: () => out, log: () => log, ended }
    }
    const right = await pass('127.0.0.1:PORT')
    await eventually(right.out).toContain(`"url":"http://127.0.0.1:${right.port}"`)
    expect(await statusOf(`http://127.0.0.1:${right.port}`)).toBe(200)

    const wrongPort = await pass('127.0.0.1:1')
    expect(await wrongPort.ended).toBe(78)
    expect(wrongPort.log()).toMatch(
      /systemd passes the socket of port \d+ where listen has 127\.0\.0\.1:1; they must be in the same order/,
    )
    const wrongCount = await pass('127.0.0.1:PORT,127.0.0.1:2')
    expect(await wrongCount.ended).toBe(78)
    expect(wrongCount.log()).toMatch(/systemd passes 1 sockets, and listen has 2 entries/)
  })
})

async function freePort(): Promise<number> {
  const { port, close } = await listeningSocket()
  close()
  return port
}

/** A listening socket that a child process can take over. */
async function listeningSocket() {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const { _handle: handle } = server as unknown as { _handle: { fd: number } }
  return { port, handle: handle.fd, close: () => void server.close() }
}
