import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { answering, echo } from './servers.ts'
import { clientOf, holdfast, type Service, scratch, service } from './processes.ts'
import { type Daemon, env, running } from './daemon.ts'
import { ACTION_PATHS, PAGES } from '../../src/client/page/handler.ts'

interface Paged {
  readonly at: Service
  readonly folder: string
  readonly one: Daemon
  readonly url: string
}

async function paged(...more: readonly string[]): Promise<Paged> {
  const at = await service()
  const folder = scratch()
  const one = running(
    [
      ...clientOf(at, folder),
      '--runtime-dir',
      folder,
      '--no-ipv6',
      '--interval',
      '1h',
      '--myip',
      '203.0.113.5',
      '--page',
      '127.0.0.1:0',
      ...more,
    ],
    env(at),
  )
  await one.line('the page is open')
  await one.line('nothing to do until then')
  return { at, folder, one, url: /"url":"([^"]+)"/.exec(one.lines.join('\n'))?.[1] ?? '' }
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** fetch() does not send another Host. */
const ask = async (
  url: string,
  { method = 'GET', path = '/', headers = {}, body = '' } = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const OWN = { 'sec-fetch-site': 'same-origin' }

describe('the page', () => {
  it('answers with what it documents, and every answer forbids what it does not need', async () => {
    const { url } = await paged()
    // biome-ignore format: a table
    const rows: readonly (readonly [status: number, type: string, options: Parameters<typeof ask>[1]])[] = [
      [200, 'text/html; charset=utf-8',       {}],
      [200, 'text/html; charset=utf-8',       { method: 'HEAD' }],
      [200, 'text/css; charset=utf-8',        { path: '/page.css' }],
      [200, 'text/javascript; charset=utf-8', { path: '/page.js' }],
      [200, 'application/json',               { path: '/status.json' }],
      [200, 'application/json',               { path: '/view.json' }],
      [200, 'text/plain; version=0.0.4; charset=utf-8', { path: '/metrics' }],
      [404, 'text/plain; charset=utf-8',      { path: '/../etc/passwd' }],
      [405, 'text/plain; charset=utf-8',      { path: '/look' }],
      [405, 'text/plain; charset=utf-8',      { method: 'POST', headers: OWN }],
      [405, 'text/plain; charset=utf-8',      { method: 'DELETE' }],
      [421, 'text/plain; charset=utf-8',      { headers: { host: 'evil.example' } }],
      [403, 'text/plain; charset=utf-8',      { method: 'POST', path: '/look' }],
      [403, 'text/plain; charset=utf-8',      { method: 'POST', path: '/look', headers: { origin: 'http://evil.example' } }],
      [303, 'text/plain; charset=utf-8',      { method: 'POST', path: '/look', headers: OWN }],
      [303, 'text/plain; charset=utf-8',      { method: 'POST', path: '/resume', headers: OWN, body: 'account=nobody' }],
      [413, '',                               { method: 'POST', path: '/look', headers: OWN, body: 'x'.repeat(5000) }],
    ]
    const asked = rows.map(([, , { path = '/' } = {}]) => path)
    // The stream of events has tests of its own.
    expect(Object.keys(PAGES).filter((path) => !asked.includes(path))).toEqual(['/events'])
    const pressed = rows.flatMap(([status, , { path = '/' } = {}]) => (status === 303 ? [path] : []))
    expect(pressed).toEqual(ACTION_PATHS)
    for (const [status, type, options] of rows) {
      const reply = await ask(url, options)
      expect([JSON.stringify(options).slice(0, 100), reply.status]).toEqual([
        JSON.stringify(options).slice(0, 100),
        status,
      ])
      expect(reply.headers['content-type'] ?? '').toBe(type)
      if (status === 413) continue
      expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['cache-control']).toBe('no-store')
    }
    const status = JSON.parse((await ask(url, { path: '/status.json' })).body) as unknown
    expect(status).toMatchObject({ isRunning: true, accounts: [{ outcome: 'settled' }] })
  })

  it('says of a source that was not waited for that it was not needed', async () => {
    const [quick, slow] = [await echo(() => '8.8.8.8'), await answering(() => 'never')]
    const at = await service()
    const folder = scratch()
    const sources = ['--source', quick, '--source', slow, '--agreement', 'one']
    const one = running(
      [...clientOf(at, folder), '--no-ipv6', '--interval', '1h', '--page', '127.0.0.1:0', ...sources],
      env(at),
    )
    await one.line('nothing to do until then')
    const url = /"url":"([^"]+)"/.exec(one.lines.join('\n'))?.[1] ?? ''
    await eventually(async () => (await ask(url)).body).toMatch(/agrees[^]*not needed this time/)
    expect((await ask(url)).body).not.toMatch(/no answer|abort/)
  })

  it('survives what is no HTTP, slow senders and many connections, and updates continue', async () => {
    const { url, one } = await paged()
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: 60 }, (_, number) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      socket.write(
        number % 2 === 0 ? 'GET / HTTP/1.1\r\nHost: localhost\r\n' : '\u0016\u0003\u0001 no http\r\n\r\n',
      )
      return socket
    })
    await new Promise((done) => setTimeout(done, 300))
    expect((await one.ask('status')).stdout).toContain('the daemon is running')
    for (const socket of sockets) socket.destroy()
    await eventually(async () => (await ask(url).catch(() => ({ status: 0 }))).status).toBe(200)
  })

  it('sends no more than eight streams, and ends them with the daemon', async () => {
    const { url, one } = await paged()
    const streams: { status: number; text: string; isOver: boolean }[] = []
    for (let number = 0; number < 10; number += 1) {
      const stream = { status: 0, text: '', isOver: false }
      streams.push(stream)
      await new Promise<void>((done) => {
        const sent = request(new URL('/events', url), (response) => {
          stream.status = response.statusCode ?? 0
          response.on('data', (chunk: Buffer) => (stream.text += chunk.toString()))
          response.on('close', () => (stream.isOver = true))
          done()
        })
        sent.on('error', () => undefined)
        sent.end()
      })
    }
    expect(streams.map(({ status }) => status)).toEqual([...Array<number>(8).fill(200), 503, 503])
    expect(streams[0]?.text).toMatch(/^retry: 5000\nevent: view\ndata: \{/)
    one.child.kill('SIGTERM')
    expect(await one.ended).toBe(0)
    await eventually(() => streams.every(({ isOver }) => isOver)).toBe(true)
  })

  it('on an address for others needs a password', async () => {
    const { folder, at } = await paged()
    const open = await holdfast(['config', 'check', ...clientOf(at, folder), '--page', '0.0.0.0:8246'], {
      env: env(at),
    })
    expect(open.code).toBe(64)
    expect(open.stderr).toContain('page 0.0.0.0:8246 can be reached from other hosts, and needs a password')
  })

  it('with a password shows nothing without it, and stays closed if its file cannot be read', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'password'), 'secret-of-the-page\n')
    const { url, one } = await paged('--page-password-file', join(folder, 'password'))
    const before = performance.now()
    const wrong = await ask(url, { headers: { authorization: `Basic ${btoa('a:wrong')}` } })
    expect(performance.now() - before).toBeGreaterThan(900)
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
      401,
      'Basic realm="Holdfast", charset="UTF-8"',
    ])
    expect((await ask(url, { path: '/metrics' })).status).toBe(401)
    expect(
      (await ask(url, { headers: { authorization: `Basic ${btoa('a:secret-of-the-page')}` } })).status,
    ).toBe(200)
    expect(one.lines.join('\n')).not.toContain('secret-of-the-page')
  })

  it('refuses more than a few wrong passwords at once, and lets the right one in soon', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'password'), 'secret-of-the-page\n')
    const { url } = await paged('--page-password-file', join(folder, 'password'))
    const { port } = new URL(url)
    const wrong = `GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${btoa('a:guess')}\r\n\r\n`
    const attacker = connect(Number(port), '127.0.0.1')
    attacker.on('error', () => undefined)
    attacker.write(wrong.repeat(2000))
    const right = { headers: { authorization: `Basic ${btoa('a:secret-of-the-page')}` } }
    await eventually(async () => (await ask(url, right)).status, 500).toBe(200)
    attacker.destroy()
    const guesses = await Promise.all(
      Array.from({ length: 8 }, async () =>
        ask(url, { headers: { authorization: `Basic ${btoa('a:guess')}` } }),
      ),
    )
    expect(guesses.map(({ status }) => status).toSorted()).toEqual([401, 401, 401, 401, 429, 429, 429, 429])
  })

  it('that cannot be opened is logged, and updates continue', async () => {
    const first = await paged()
    const folder = scratch()
    const second = running(
      [
        ...clientOf(first.at, folder),
        '--runtime-dir',
        folder,
        '--no-ipv6',
        '--myip',
        '203.0.113.6',
        '--page',
        new URL(first.url).port,
      ],
      env(first.at),
    )
    await second.line('the page cannot be opened')
    await second.line('the service confirmed the address')
    second.child.kill('SIGTERM')
    expect(await second.ended).toBe(0)
  })

  it('keeps the daemon alive when every account is stopped', async () => {
    const { one, at, url } = await paged()
    one.child.kill('SIGTERM')
    await one.ended
    const folder = scratch()
    const stopped = running(
      [
        ...clientOf(at, folder),
        '--runtime-dir',
        folder,
        '--no-ipv6',
        '--myip',
        '203.0.113.7',
        '--page',
        new URL(url).port,
      ],
      { HOLDFAST_PASSWORD: 'wrong' },
    )
    await stopped.line('"badauth"')
    // The log has the answer a moment before the state.
    await eventually(async () => (await ask(url)).body).toContain('Stopped until you act')
    stopped.child.kill('SIGTERM')
    await stopped.ended
  })
})

const PARSER = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
text = sys.stdin.read()
families = list((openmetrics if sys.argv[1] == 'openmetrics' else prometheus)(text))
print('\\n'.join(sorted(s.name for f in families for s in f.samples)))
`
const NAMES = [
  'holdfast_build_info',
  'holdfast_hostname_confirmed',
  'holdfast_account_state',
  'holdfast_account_standing',
  'holdfast_updates_total',
  'holdfast_update_duration_seconds_bucket',
  'holdfast_last_look_timestamp_seconds',
  'process_resident_memory_bytes',
]
const hasParser = (() => {
  try {
    execFileSync('python3', ['-c', 'import prometheus_client'], { stdio: 'pipe' })
    return true
  } catch {
    process.stderr.write(
      '\n!!! python3-prometheus-client is not installed: the tests that need it are SKIPPED\n',
    )
    return false
  }
})()

describe.skipIf(!hasParser)('metrics', () => {
  const read = (format: string, text: string): readonly string[] =>
    execFileSync('python3', ['-c', PARSER, format], { input: text, encoding: 'utf8' }).split('\n')

  it.each([
    ['openmetrics', { accept: 'application/openmetrics-text; version=1.0.0' }],
    ['prometheus', {}],
  ])('are valid %s', async (format, headers) => {
    const { url } = await paged()
    const { body } = await ask(url, { path: '/metrics', headers })
    expect(read(format, body)).toEqual(expect.arrayContaining(NAMES))
    expect(body).not.toContain('203.0.113.5')
  })

  it('are in a file for node_exporter, which others can read', async () => {
    const folder = scratch()
    const path = join(folder, 'holdfast.prom')
    await paged('--metrics-file', path)
    await eventually(() => existsSync(path)).toBe(true)
    expect((statSync(path).mode & 0o777).toString(8)).toBe('644')
    expect(read('prometheus', readFileSync(path, 'utf8'))).toEqual(
      expect.arrayContaining(['holdfast_build_info', 'holdfast_account_state']),
    )
  })
})
