import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { minutes, seconds } from '../../../../src/shared/base/time.ts'
import { proxiedHttp } from '../../../../src/shared/platform/http/proxied.ts'
import { never, request } from '../../../fakes/request.ts'

/** A proxy that handles every connection the same way, and its connections. */
async function proxy(handle: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    handle(socket.on('error', () => undefined))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

describe('a proxy that closes the connection', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['with a reset', (socket) => socket.on('data', () => socket.resetAndDestroy())],
    ['without an end', (socket) => socket.on('data', () => socket.destroy())],
    ['with an end', (socket) => socket.on('data', () => socket.end())],
    ['before the request', (socket) => socket.end()],
  ])('%s gets one CONNECT request', async (_, handle) => {
    const { url, sockets } = await proxy(handle)

    const outcome = await proxiedHttp({ url })(request('https://dyn.test/'), never)

    expect(outcome).toEqual({
      kind: 'unreached',
      stage: 'connect',
      because: `the proxy closed the connection (through the proxy ${url})`,
    })
    expect(sockets.length).toBe(1)
  })

  it('gets one http request', async () => {
    const { url, sockets } = await proxy((socket) => socket.on('data', () => socket.destroy()))

    const outcome = await proxiedHttp({ url })(request('http://dyn.test/'), never)

    expect(outcome).toMatchObject({ kind: 'unreached', stage: 'exchange' })
    expect(sockets.length).toBe(1)
  })
})

it.each([
  ['no connection', { connectTimeout: seconds(0.3), responseTimeout: minutes(10) }],
  ['no answer', { connectTimeout: minutes(10), responseTimeout: seconds(0.3) }],
])('a proxy that does not answer: %s in time', async (problem, timeouts) => {
  const { url, sockets } = await proxy(() => undefined)

  const outcome = await proxiedHttp({ url })(request('https://dyn.test/', timeouts), never)

  const because = expect.stringContaining(problem) as string
  expect(outcome).toMatchObject({ kind: 'unreached', stage: 'connect', because })
  expect(sockets.length).toBe(1)
})

it('a CONNECT request names the service with its port, and contains no credentials or query', async () => {
  const received: string[] = []
  const { url } = await proxy((socket) =>
    socket.on('data', (data) => (received.push(String(data)), socket.end())),
  )

  await proxiedHttp({ url })(
    request('https://dyn.test/nic/update?key=x', { headers: { authorization: 'y' } }),
    never,
  )

  expect(received.join('')).toMatch(/^CONNECT dyn\.test:443 HTTP\/1\.1\r\nhost: dyn\.test:443\r\n/i)
  expect(received.join('')).not.toMatch(/authorization|key=x/)
})
