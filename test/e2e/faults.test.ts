import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { shortTimers } from '../lab/short-timers.ts'
import { holdfast, scratch } from './processes.ts'

/** A raw TCP or TLS service, which can fail at any stage. */
async function rawService(
  answer: (socket: Socket) => void,
  make: (listener: (socket: Socket) => void) => Server = createServer,
): Promise<{ readonly url: string; readonly connections: () => number }> {
  let count = 0
  const sockets = new Set<Socket>()
  const server = make((socket) => {
    count++
    sockets.add(socket)
    socket.on('error', () => undefined)
    answer(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => count }
}

const head = (status: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 ' + status, ...headers, '', ''].join('\r\n')
const onRequest =
  (answer: (socket: Socket) => void) =>
  (socket: Socket): void =>
    void socket.once('data', () => answer(socket))

const trickle = (socket: Socket): void => {
  socket.write(head('200 OK', 'Content-Length: 1000000'))
  const timer = setInterval(() => socket.write('g'), 100)
  socket.on('close', () => clearInterval(timer))
}

// biome-ignore format: a table
it.each<[string, string, (socket: Socket) => void, number, RegExp]>([
  ['accepts and sends nothing',            'http',  () => undefined,                                                               69, /time-out/],
  ['hangs in the TLS handshake',            'https', () => undefined,                                                               69, /nothing sent[^]*TLS: no answer in time/],
  ['stops within the headers',              'http',  onRequest((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-')),       69, /time-out/],
  ['stops after the headers',               'http',  onRequest((socket) => void socket.write(head('200 OK', 'Content-Length: 5'))), 69, /time-out/],
  ['trickles its body',                     'http',  onRequest(trickle),                                                            69, /time-out/],
  ['resets',                                'http',  onRequest((socket) => void socket.resetAndDestroy()),                          69, /not reached/],
  ['closes before it answers',              'http',  onRequest((socket) => void socket.end()),                                      69, /not reached/],
  ['closes in the middle of good',          'http',  onRequest((socket) => void socket.end(`${head('200 OK', 'Content-Length: 50')}good 192.0.2.1`)), 69, /broke off/],
  ['closes in the middle of 911',           'http',  onRequest((socket) => void socket.end(`${head('500 X', 'Content-Length: 50')}911`)), 75, /911/],
  ['sends 10 MB',                           'http',  onRequest((socket) => void socket.end(`${head('200 OK', 'Content-Length: 10000000')}${'good 192.0.2.1\n'.repeat(666_667)}`.slice(0, 10_000_100))), 75, /more than 64 KiB/],
  ['sends chunks',                          'http',  onRequest((socket) => void socket.end(`${head('200 OK', 'Transfer-Encoding: chunked')}5\r\ngood \r\n9\r\n192.0.2.1\r\n0\r\n\r\n`)), 0, /good 192\.0\.2\.1/],
  ['redirects',                             'http',  onRequest((socket) => void socket.end(head('302 Found', 'Location: http://127.0.0.1:1/', 'Content-Length: 0'))), 75, /a redirect, which is not followed \(HTTP 302\)/],
  ['is a captive portal',                   'http',  onRequest((socket) => void socket.end(`${head('200 OK', 'Content-Length: 26')}<!DOCTYPE html><h1>Hi</h1>`)), 75, /a web page/],
  ['does not speak HTTP',                   'http',  (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),                        75, /invalid reply: the answer is not HTTP/],
  ['sends abuse and stays connected',       'http',  onRequest((socket) => void socket.write(`${head('200 OK')}abuse\n`)),           77, /service answered abuse/],
  ['trickles a 503',                        'http',  onRequest((socket) => void socket.write(`${head('503 X', 'Content-Length: 50')}.`)), 75, /waiting \(HTTP 503: /],
  ['sends good and stays connected',        'http',  onRequest((socket) => void socket.write(`${head('200 OK')}good 192.0.2.1`)),      69, /time-out/],
])('a service that %s is reported as such, after one request and in time', async (_, scheme, answer, code, message) => {
  const { url, connections } = await rawService(answer)

  const ended = await holdfast(
    ['update', '--server', url.replace('http', scheme), '--username', 'a', '--hostname', 'home.test', '--myip', '192.0.2.1', '--state-dir', scratch(), '--connect-timeout', '1s', '--response-timeout', '1s'],
    { env: { HOLDFAST_PASSWORD: 'swordfish', ...shortTimers(1000) } },
  )

  expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringMatching(message)])
  expect(connections()).toBe(1)
})

it('the password is not sent before the certificate is verified', async () => {
  let heard = ''
  const tls = (listener: (socket: Socket) => void): Server => createTlsServer({}, listener)
  const { url } = await rawService(
    (socket) => void socket.on('data', (bytes) => (heard += bytes.toString())),
    tls,
  )

  await holdfast(
    [
      'update',
      '--server',
      url.replace('http', 'https'),
      '--username',
      'a',
      '--hostname',
      'home.test',
      '--myip',
      '192.0.2.1',
      '--state-dir',
      scratch(),
    ],
    { env: { HOLDFAST_PASSWORD: 'swordfish' } },
  )

  expect(heard).toBe('')
})
