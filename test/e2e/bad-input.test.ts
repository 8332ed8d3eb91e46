import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Service, service, startService } from './processes.ts'

let at: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  const soon = ['--request-timeout', '1s', '--idle-timeout', '1s', '--max-connections', '50']
  const limits = ['badauth', 'request', 'refusal', 'nochg'].flatMap((one) => [`--${one}-limit`, '1000'])
  at = await startService({}, ...soon, ...limits)
})
afterAll(async () => at.end())

const open = async ({ url }: Pick<Service, 'url'> = at): Promise<Socket> =>
  new Promise((done, failed) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => done(socket))
    socket.on('error', failed)
  })

/** All bytes of the response until the service closes the connection. */
async function raw(bytes: string | Buffer): Promise<string> {
  const socket = await open()
  const chunks: Buffer[] = []
  return new Promise((done) => {
    const finish = (): void => {
      socket.destroy()
      done(Buffer.concat(chunks).toString('latin1'))
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('close', finish)
    socket.on('error', () => undefined)
    socket.write(bytes, () => undefined)
  })
}

const basic = (text: string | Buffer): string => `Basic ${Buffer.from(text).toString('base64')}`
const good = (): string => basic(`${at.username}:${at.password}`)
const request = (target: string, authorization = good(), more = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nUser-Agent: Acme t/1-1 me@example.test\r\nAuthorization: ${authorization}\r\nConnection: close\r\n${more}\r\n`
const answerOf = (text: string): string =>
  `${text.split(' ')[1] ?? ''} ${text.split('\r\n\r\n').slice(1).join('|').trim()}`.trim()

let served = 0
/** After each case the service runs, serves a valid request and has logged no bug. */
afterEach(async () => {
  const address = `198.51.100.${served++}`
  expect(at.child.exitCode).toBeNull()
  expect(
    answerOf(
      await raw(
        request(
          `/nic/update?hostname=home.example.test,office.example.test,cabin.example.test&myip=${address}`,
        ),
      ),
    ),
  ).toBe(`200 ${Array(3).fill(`good ${address}`).join('\n')}`)
  expect(at.stderr()).not.toContain('internal error')
})

const HOST = 'hostname=home.example.test'

describe('the service answers a bad request with the right status', () => {
  // biome-ignore format: a table
  it.each<[string, () => string | Buffer, RegExp]>([
    ['two Host headers',        () => request(`/nic/update?${HOST}&myip=192.0.2.1`, good(), 'hOST: y\r\n'), /^400 the request has more than one Host header$/],
    ['the same Host twice',     () => request(`/nic/update?${HOST}&myip=192.0.2.1`, good(), 'Host: x\r\n'), /^400 the request has more than one Host header$/],
    ['no credentials',             () => request(`/nic/update?${HOST}`).replace(/Authorization.*\r\n/, ''), /^401 badauth$/],
    ['an empty Authorization',     () => request(`/nic/update?${HOST}`, ''),                           /^401 badauth$/],
    ['Basic without a token',      () => request(`/nic/update?${HOST}`, 'Basic'),                      /^401 badauth$/],
    ['Basic without base64',       () => request(`/nic/update?${HOST}`, 'Basic %%%%'),                 /^401 badauth$/],
    ['Basic without a colon',      () => request(`/nic/update?${HOST}`, basic('nocolon')),             /^401 badauth$/],
    ['Basic of bytes',             () => request(`/nic/update?${HOST}`, basic(Buffer.from([255, 254, 58, 0]))), /^401 badauth$/],
    ['Basic with NUL',             () => request(`/nic/update?${HOST}`, basic('a\0:b')),               /^401 badauth$/],
    ['Basic of 10 KiB',            () => request(`/nic/update?${HOST}`, basic('a'.repeat(10_000))),    /^401 badauth$/],
    ['another scheme',             () => request(`/nic/update?${HOST}`, 'Bearer abc'),                 /^401 badauth$/],
    ['an unknown path',            () => request('/nic/updat'),                                        /^404 /],
    ['the path in capitals',       () => request('/NIC/UPDATE'),                                       /^404 /],
    ['a path with dots',           () => request('/nic/../nic/update?x'),                              /^404 /],
    ['POST',                       () => request(`/nic/update?${HOST}`).replace('GET', 'POST').replace('\r\n\r\n', '\r\nContent-Length: 0\r\n\r\n'), /^405 only GET/],
    ['a header of 100 KiB',        () => request(`/nic/update?${HOST}`, good(), `X-Big: ${'a'.repeat(102_400)}\r\n`), /^431 /],
    ['10,000 hostnames',           () => request(`/nic/update?hostname=${Array.from({ length: 10_000 }, (_, n) => `h${n}.test`).join(',')}`), /^431 /],
    ['an address of 50 KiB',       () => request(`/nic/update?hostname=${'a'.repeat(50_000)}`),        /^414 /],
    ['many hostnames that fit',    () => request(`/nic/update?hostname=${Array.from({ length: 800 }, (_, n) => `h${n}.test`).join(',').slice(0, 7000)}`), /^200 nohost\n/],
    ['a body of 1 MiB',            () => request(`/nic/update?${HOST}`, good(), 'Content-Length: 1048576\r\n'), /^413 /],
    ['no HTTP at all',             () => 'SSH-2.0-OpenSSH\r\n\r\n',                                    /^400 /],
    ['TLS to the plain port',      () => Buffer.from('16030100c8010000c40303', 'hex'),                 /^400 |^$/],
    ['bytes',                      () => Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 37) % 256)), /^400 |^$/],
    ['an unknown version',         () => request(`/nic/update?${HOST}`).replace('HTTP/1.1', 'HTTP/9.9'), /^400 |^505 /],
    ['a control character',        () => request(`/nic/update?${HOST}`, good(), 'X: a\x01b\r\n'),      /^400 /],
    ['NUL in the target',          () => request('/nic/update?hostname=a\0b'),                         /^400 /],
    ['two lengths',                () => request(`/nic/update?${HOST}`, good(), 'Content-Length: 1\r\nContent-Length: 2\r\n'), /^400 /],
    ['length and chunks',          () => request(`/nic/update?${HOST}`, good(), 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), /^400 /],
  ])('%s', async (_, bytes, answer) => expect(answerOf(await raw(bytes()))).toMatch(answer))

  // biome-ignore format: a table
  it.each([
    ['NUL, escaped',          'hostname=home.example.test%00&myip=192.0.2.1'],
    ['a newline, escaped',    'hostname=home.example.test%0Agood&myip=192.0.2.1'],
    ['half an escape',        'hostname=%&myip=192.0.2.1'],
    ['overlong UTF-8',        'hostname=%C0%AEhome.example.test&myip=192.0.2.1'],
    ['a twice-escaped name',  'hostname=home%252Eexample%252Etest&myip=192.0.2.1'],
    ['SQL',                   "hostname=home.example.test'%20OR%201=1--&myip=192.0.2.1"],
    ['a wildcard',            'hostname=*.example.test&myip=192.0.2.1'],
    ['a percent sign',        'hostname=%25.example.test&myip=192.0.2.1'],
    ['__proto__',             'hostname=__proto__&__proto__=1&constructor=2&myip=192.0.2.1'],
  ])('an invalid hostname is nohost: %s', async (_, query) => {
    const reply = answerOf(await raw(request(`/nic/update?${query}`)))

    expect(reply).toMatch(/^200 nohost$/)
  })
})

describe('the service accepts an unusual valid request', () => {
  // biome-ignore format: a table
  it.each<[string, () => string]>([
    ['an escaped name',         () => request('/nic/update?hostname=home%2Eexample%2Etest&myip=192%2E0%2E2%2E1')],
    ['no Host header',          () => request(`/nic/update?${HOST}&myip=192.0.2.1`).replace('Host: x\r\n', '')],
    ['the absolute form',       () => request(`http://elsewhere.test/nic/update?${HOST}&myip=192.0.2.1`)],
    ['an unknown parameter',    () => request(`/nic/update?system=dyndns&${HOST}&wildcard=OFF&myip=192.0.2.1&mx=&backmx=NO`)],
    ['a small body',            () => request(`/nic/update?${HOST}&myip=192.0.2.1`, good(), 'Content-Length: 5\r\n') + 'hello'],
    ['blank addresses',         () => request(`/nic/update?${HOST}&myip=,192.0.2.1,`)],
  ])('%s', async (_, bytes) => expect(answerOf(await raw(bytes()))).toBe('200 good 192.0.2.1'))

  it('HTTP/1.0: the response has a length and no chunks', async () => {
    const text = await raw(
      `GET /nic/update?${HOST}&myip=192.0.2.1 HTTP/1.0\r\nUser-Agent: Acme t/1-1\r\nAuthorization: ${good()}\r\n\r\n`,
    )

    expect(answerOf(text)).toBe('200 good 192.0.2.1')
    expect(text).toMatch(/content-length: 15\r\n/i)
    expect(text).not.toMatch(/transfer-encoding/i)
    expect(text).toMatch(/connection: close/i)
  })

  it('several requests in one packet: the responses have their order', async () => {
    const one = (ip: string): string =>
      request(`/nic/update?${HOST}&myip=${ip}`).replace('Connection: close\r\n', '')
    const text = await raw(
      `${one('192.0.2.1')}${one('192.0.2.2')}${one('192.0.2.2')}${request(`/nic/update?${HOST}&myip=192.0.2.3`)}`,
    )

    expect(text.match(/^(good|nochg) .*$/gm)).toEqual([
      'good 192.0.2.1',
      'good 192.0.2.2',
      'nochg 192.0.2.2',
      'good 192.0.2.3',
    ])
    expect(text.match(/content-length: /gi)).toHaveLength(4)
  })
})

describe('a client', () => {
  it('that sends half a request gets 408 or is disconnected', async () =>
    expect(answerOf(await raw(`GET /nic/update?${HOST} HTTP/1.1\r\nHost:`))).toMatch(/^408 |^$/))

  it('that trickles its header is disconnected when the time for a request is over', async () => {
    const patient = await service('--request-timeout', '1h')
    const [socket, other] = [await open(), await open(patient)]
    const timer = setInterval(() => [socket, other].forEach((one) => one.write('X')), 100)
    for (const one of [socket, other]) {
      one.on('error', () => undefined).resume()
      one.write('GET / HTTP/1.1\r\n')
    }
    await new Promise((done) => socket.on('close', done))
    clearInterval(timer)

    expect(other.closed).toBe(false)
    other.destroy()
  })

  it('that resets connections in the middle does not stop the service', async () => {
    for (let n = 0; n < 30; n++) {
      const socket = await open()
      socket.on('error', () => undefined)
      socket.write(request(`/nic/update?${HOST}`).slice(0, 20 + n * 5))
      socket.resetAndDestroy()
    }
  })

  it('beyond the connection limit is refused until other connections close', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, async () => open()))
    for (const socket of sockets) socket.on('error', () => undefined)

    expect(await raw(request(`/nic/update?${HOST}`))).toBe('')
    for (const socket of sockets) socket.destroy()
    await eventually(async () => answerOf(await raw(request('/nic/update')))).toBe('200 nohost')
  })
})
