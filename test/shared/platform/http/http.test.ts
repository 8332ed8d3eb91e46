import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Duration, minutes, seconds } from '../../../../src/shared/base/time.ts'
import { undiciHttp } from '../../../../src/shared/platform/http/http.ts'
import { unreached } from '../../../../src/shared/platform/http/outcome.ts'
import { plainHttp } from '../../../../src/shared/platform/http/plain.ts'
import { never, request } from '../../../fakes/request.ts'

const CLIENTS = [
  ['undici', undiciHttp],
  ['plain', plainHttp],
] as const

describe.each(CLIENTS)('%s, over a real wire', (_, ask) => {
  const serve = async (answer: Parameters<typeof createServer>[1]): Promise<string> => {
    const server: Server = createServer(answer)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void (server.close(), server.closeAllConnections()))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  /** A server that says these bytes, whatever it is asked. */
  const answering = async (bytes: string): Promise<string> => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.end(bytes)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  it('sends Host as the first field', async () => {
    const url = await serve((asked, response) => void response.end(asked.rawHeaders.slice(0, 2).join(' ')))

    expect(await ask(request(url), never)).toMatchObject({ body: `host ${new URL(url).host}` })
  })

  it('reads at most one byte more than maxBodyBytes', async () => {
    const url = await serve((_, response) => void response.end('x'.repeat(10_000_000)))

    const outcome = await ask(request(url), never)

    expect(outcome.kind === 'answered' && outcome.body.length).toBe(1001)
  })

  it('connects over the given family only', async () => {
    const url = (await serve((_, response) => void response.end('ok'))).replace('127.0.0.1', 'localhost')

    expect(await ask(request(url, { family: 'v4' }), never)).toMatchObject({ kind: 'answered' })
    expect(await ask(request(url, { family: 'v6' }), never)).toMatchObject({ kind: 'unreached' })
  })

  it('tells the packet of its request, where it knows it', async () => {
    const url = await serve((_, response) => void response.end('ok'))
    const outcome = await ask(request(url), never)

    expect(outcome).toMatchObject(
      ask === undiciHttp
        ? {
            sent: {
              local: '127.0.0.1',
              remote: '127.0.0.1',
              protocol: 'tcp',
              port: Number(new URL(url).port),
            },
          }
        : { kind: 'answered' },
    )
  })

  it('opens a new connection for each request', async () => {
    const ports = new Set<number | undefined>()
    const url = await serve(
      (asked, response) => void (ports.add(asked.socket.remotePort), response.end('ok')),
    )

    await ask(request(url), never)
    await ask(request(url), never)

    expect(ports.size).toBe(2)
  })

  it('follows no redirect', async () => {
    let requests = 0
    const url = await serve(
      (_, response) => void (requests++, response.writeHead(302, { location: '/' }).end()),
    )

    expect(await ask(request(url), never)).toMatchObject({ status: 302 })
    expect(requests).toBe(1)
  })

  it.each<[string, Parameters<typeof createServer>[1]]>([
    ['does not answer', () => undefined],
    [
      'stops after the headers',
      (_, response) => void response.writeHead(200, { 'content-length': '10' }).flushHeaders(),
    ],
    [
      'sends a body without length or end',
      (asked) => void asked.socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ngood'),
    ],
    [
      'sends its body slowly',
      (_, response) => {
        const timer = setInterval(() => response.write('.'), 50)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('times out with a server that %s', async (_, answer) => {
    const url = await serve(answer)
    const within = async (responseTimeout: Duration, signal = never) =>
      ask(request(url, { responseTimeout, maxBodyBytes: 1e6 }), signal)
    const [stop, patient] = [new AbortController(), { isOver: false }]
    const other = within(minutes(10), stop.signal).finally(() => (patient.isOver = true))

    expect(await within(seconds(0.4))).toMatchObject({ kind: 'unreached', stage: 'time-out' })
    expect(patient.isOver).toBe(false)
    stop.abort()
    await other
  })

  it.each<[string, Parameters<typeof createServer>[1]]>([
    ['resets the connection', (asked) => void asked.socket.resetAndDestroy()],
    ['closes the connection early', (asked) => void asked.socket.destroy()],
  ])('reports the stage exchange for a server that %s', async (_, answer) =>
    expect(await ask(request(await serve(answer)), never)).toMatchObject({
      kind: 'unreached',
      stage: 'exchange',
    }),
  )

  it('returns a body that was cut off, marked as such', async () => {
    const url = await serve((_, response) => {
      response.writeHead(500, { 'content-length': '10' }).write('911')
      setTimeout(() => response.destroy(), 20)
    })

    expect(await ask(request(url), never)).toMatchObject({
      kind: 'answered',
      status: 500,
      body: '911',
      isCut: true,
    })
  })

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['another version', 'HTTP/9.9 hello\r\n\r\n'],
    ['a page without headers', '<html><body>welcome</body></html>\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(30_000)}\r\n\r\n`],
  ])('reports the stage malformed for an answer that is not HTTP: %s', async (_, answer) => {
    const url = await answering(answer)

    expect(await ask(request(url), never)).toMatchObject({
      kind: 'unreached',
      stage: 'malformed',
      because: expect.stringMatching(/^the answer is not HTTP/) as string,
    })
  })

  it.each([
    ['nothing', ''],
    ['half a status line', 'HTTP/1.1 200'],
  ])('reports the stage exchange for a connection that ends after %s', async (_, answer) =>
    expect(await ask(request(await answering(answer)), never)).toEqual({
      kind: 'unreached',
      stage: 'exchange',
      because: 'the connection was closed without a whole answer',
    }),
  )

  it('reports the address that refused the connection', async () =>
    expect(await ask(request('http://127.0.0.1:1/'), never)).toEqual({
      kind: 'unreached',
      stage: 'connect',
      because: 'refused by 127.0.0.1:1',
    }))

  it('ends when the signal aborts', async () => {
    const url = await serve(() => undefined)
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)

    expect(await ask(request(url), stop.signal)).toMatchObject({ kind: 'unreached' })
  })
})

it('keeps the beginning of an answer that is not HTTP', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).end(`good 198.51.100.7 ${'x'.repeat(10_000)}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())

  const outcome = await plainHttp(
    request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    never,
  )

  expect(outcome).toMatchObject({
    kind: 'unreached',
    stage: 'malformed',
    said: expect.stringMatching(/^good 198\.51\.100\.7 x{1,4096}$/) as string,
  })
})

it.each([
  [true, 'connect', 'no connection to dyn.test in time'],
  [false, 'time-out', 'no answer in time'],
])('a timeout while connecting (%s) is at the stage %s', (isConnecting, stage, because) => {
  const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError')

  expect(unreached(error, { url: 'https://dyn.test/', isConnecting })).toEqual({
    kind: 'unreached',
    stage,
    because,
  })
})
