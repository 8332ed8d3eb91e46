import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Ended, type Service, scratch, service } from '../e2e/processes.ts'
import { certificate } from '../e2e/servers.ts'
import { oneIn } from '../large.ts'
import { lacks } from '../lacks.ts'
import { run } from './run.ts'

/** The service that they update has a certificate. */
const hasOpenssl = !lacks('openssl')

let folder: string
let at: Service
let cert: string

beforeEach(async () => {
  folder = scratch()
  const { cert: trusted, key } = certificate('DNS:localhost,IP:127.0.0.1')
  cert = trusted
  at = await service(
    '--log-level',
    'debug',
    '--listen',
    '127.0.0.1:0',
    '--listen',
    '127.0.0.1:0/tls',
    '--tls-cert',
    cert,
    '--tls-key',
    key,
  )
})

type Wire = 'HTTP' | 'TLS'
const WIRES: readonly Wire[] = ['HTTP', 'TLS']
const hostOf = (wire: Wire): string => new URL(at.urls[wire === 'TLS' ? 1 : 0] ?? '').host
const one = (): readonly string[] => at.hostnames.slice(0, 1)

/** What the service answered to each request, in order. */
const replies = (): readonly string[] =>
  at
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"answered"'))
    .map((line) => (JSON.parse(line) as { reply: string }).reply.trim())

/** What the service now holds: asked of it in its own protocol, with the same address. */
async function holds(names: readonly string[], address: string): Promise<boolean> {
  const answer = await fetch(`${at.url}/nic/update?hostname=${names.join(',')}&myip=${address}`, {
    headers: {
      'user-agent': 'Acme check/1-1 me@example.test',
      authorization: `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`,
    },
  })
  const lines = (await answer.text()).trim().split('\n')
  return lines.length === names.length && lines.every((line) => line === `nochg ${address}`)
}

describe.skipIf(!hasOpenssl || lacks('ddclient'))('ddclient', () => {
  const ddclient = async (
    wire: Wire,
    names: readonly string[],
    password = at.password,
    address = '192.0.2.20',
  ): Promise<Ended> => {
    const file = join(folder, 'ddclient.conf')
    const tls = wire === 'TLS' ? `ssl=yes\nssl_ca_file=${cert}` : 'ssl=no'
    writeFileSync(
      file,
      `syslog=no\ncache=${folder}/ddclient.cache\n${tls}\nuse=ip, ip=${address}\nprotocol=dyndns2\nserver=${hostOf(wire)}\nlogin=${at.username}\npassword=${password}\n${names.join(',')}\n`,
      { mode: 0o600 },
    )
    const ended = await run('ddclient', ['-foreground', '-daemon=0', '-timeout=10', '-file', file])
    expect(ended.stderr).not.toContain('Invalid Value') // it would go to a server of its own choice
    return ended
  }

  it.each(WIRES)('updates one host over %s', async (wire) => {
    const ended = await ddclient(wire, one())

    expect([ended.code, ended.stdout], ended.stderr).toEqual([
      0,
      expect.stringContaining('SUCCESS:  updating home.example.test: good: IP address set to 192.0.2.20'),
    ])
    expect(await holds(one(), '192.0.2.20')).toBe(true)
  })

  it.each(oneIn(2, WIRES))('updates three hosts in one request over %s', async (wire) => {
    const ended = await ddclient(wire, at.hostnames)

    expect([ended.code, ended.stdout.match(/SUCCESS/g)?.length], ended.stderr).toEqual([0, 3])
    expect(replies()).toEqual(['good 192.0.2.20\ngood 192.0.2.20\ngood 192.0.2.20'])
    expect(await holds(at.hostnames, '192.0.2.20')).toBe(true)
  })

  it.each(oneIn(2, WIRES))('gets badauth for a wrong password over %s', async (wire) => {
    const ended = await ddclient(wire, one(), 'wrong')

    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/authorization failed \(HTTP\/1\.1 401[^]*badauth/),
    ])
    expect(replies()).toEqual(['badauth'])
  })

  it('understands nochg', async () => {
    await ddclient('HTTP', one())
    execFileSync('rm', ['-f', join(folder, 'ddclient.cache')])

    expect(await ddclient('HTTP', one())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nochg') as string,
    })
  })
})

describe.skipIf(!hasOpenssl || lacks('inadyn'))('inadyn', () => {
  const inadyn = async (
    wire: Wire,
    names: readonly string[],
    password = at.password,
    address = '192.0.2.50',
  ): Promise<Ended> => {
    const cache = join(folder, 'cache')
    mkdirSync(cache)
    for (const name of names) writeFileSync(join(cache, `${name}.cache`), '198.51.100.1\n') // without one it asks the DNS
    const file = join(folder, 'inadyn.conf')
    const hosts = names.map((name) => `"${name}"`).join(', ')
    const trust = wire === 'TLS' ? `ca-trust-file = ${cert}\n` : ''
    writeFileSync(
      file,
      `iterations = 1\nallow-ipv6 = false\nverify-address = false\n${trust}\ncustom holdfast {\n  ssl = ${wire === 'TLS'}\n  ddns-server = "${hostOf(wire)}"\n  ddns-path = "/nic/update?hostname=%h&myip=%i"\n  username = "${at.username}"\n  password = "${password}"\n  hostname = { ${hosts} }\n  checkip-command = "/bin/echo ${address}"\n}\n`,
      { mode: 0o600 },
    )
    return run('inadyn', ['-n', '-1', '--force', '--no-pidfile', `--cache-dir=${cache}`, '-f', file])
  }

  it.each(WIRES)('updates one host over %s', async (wire) => {
    const ended = await inadyn(wire, one())

    expect([ended.code, ended.stderr]).toEqual([
      0,
      expect.stringContaining('Updating cache for home.example.test'),
    ])
    expect(await holds(one(), '192.0.2.50')).toBe(true)
  })

  it.each(oneIn(2, WIRES))('updates three hosts over %s', async (wire) => {
    const ended = await inadyn(wire, at.hostnames)

    expect(ended.code, ended.stderr).toBe(0)
    expect(replies()).toEqual(Array<string>(3).fill('good 192.0.2.50'))
    expect(await holds(at.hostnames, '192.0.2.50')).toBe(true)
  })

  it.each(oneIn(2, WIRES))('gets badauth for a wrong password over %s', async (wire) => {
    const ended = await inadyn(wire, one(), 'wrong')

    expect([ended.code, ended.stderr]).toEqual([50, expect.stringContaining('badauth')])
    expect(replies()).toEqual(['badauth'])
  })
})

describe.skipIf(!hasOpenssl || lacks('curl'))('curl', () => {
  const curl = async (wire: Wire, names: readonly string[], ...more: readonly string[]): Promise<Ended> => {
    const base = at.urls[wire === 'TLS' ? 1 : 0]
    const user = more.includes('--user') ? [] : ['--user', `${at.username}:${at.password}`]
    return run('curl', [
      '-q',
      '-sS',
      '--noproxy',
      '*',
      '-m',
      '10',
      '--fail-with-body',
      '--cacert',
      cert,
      ...user,
      ...more,
      `${base}/nic/update?hostname=${names.join(',')}&myip=192.0.2.70`,
    ])
  }

  it.each(WIRES)('updates one and several hosts over %s', async (wire) => {
    expect(await curl(wire, one())).toEqual({ code: 0, stdout: 'good 192.0.2.70\n', stderr: '' })
    expect(await curl(wire, at.hostnames)).toEqual({
      code: 0,
      stdout: 'nochg 192.0.2.70\ngood 192.0.2.70\ngood 192.0.2.70\n',
      stderr: '',
    })
  })

  it.each(oneIn(2, WIRES))('gets badauth for a wrong password over %s', async (wire) =>
    expect(await curl(wire, one(), '--user', `${at.username}:wrong`)).toMatchObject({
      code: 22,
      stdout: 'badauth\n',
      stderr: expect.stringContaining('401') as string,
    }),
  )

  it.each(['--anyauth', '--http1.0', '--http2', '--compressed'])('is served with %s', async (option) =>
    expect(await curl('TLS', one(), option)).toMatchObject({ code: 0, stdout: 'good 192.0.2.70\n' }),
  )

  it('may carry the credentials in the address', async () => {
    const url = at.url.replace('//', `//${at.username}:${at.password}@`)

    expect(
      await run('curl', [
        '-q',
        '-sS',
        '--noproxy',
        '*',
        '-m',
        '10',
        `${url}/nic/update?hostname=home.example.test&myip=192.0.2.70`,
      ]),
    ).toMatchObject({ code: 0, stdout: 'good 192.0.2.70\n' })
  })
})
