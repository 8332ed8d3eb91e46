import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seconds } from '../../src/base/time.ts'
import { proxiedHttp } from '../../src/platform/proxied-http.ts'
import { never, request } from '../fakes/request.ts'

/** A proxy that treats each connection alike, and how many there were. */
async function proxy(treat: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    treat(socket.on('error', () => undefined))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

describe('a proxy that breaks off', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['resets', (socket) => socket.on('data', () => socket.resetAndDestroy())],
    ['drops', (socket) => socket.on('data', () => socket.destroy())],
    ['ends', (socket) => socket.on('data', () => socket.end())],
    ['ends at once', (socket) => socket.end()],
  ])('is asked for a tunnel once: it %s', async (_, treat) => {
    const { url, sockets } = await proxy(treat)
    const start = performance.now()

    const outcome = await proxiedHttp({ url })(request('https://dyn.test/'), never)

    expect(outcome).toEqual({
      kind: 'unreached',
      stage: 'connect',
      because: `the proxy closed the connection (through the proxy ${url})`,
    })
    expect(sockets.length).toBe(1)
    expect(performance.now() - start).toBeLessThan(1000)
  })

  it('is asked in clear once', async () => {
    const { url, sockets } = await proxy((socket) => socket.on('data', () => socket.destroy()))

    const outcome = await proxiedHttp({ url })(request('http://dyn.test/'), never)

    expect(outcome).toMatchObject({ kind: 'unreached', stage: 'exchange' })
    expect(sockets.length).toBe(1)
  })
})

it.each([
  ['no connection', { connectTimeout: seconds(0.3), responseTimeout: seconds(2) }],
  ['no answer', { connectTimeout: seconds(2), responseTimeout: seconds(0.3) }],
])('a proxy that says nothing is %s in time', async (says, within) => {
  const { url, sockets } = await proxy(() => undefined)
  const start = performance.now()

  const outcome = await proxiedHttp({ url })(request('https://dyn.test/', within), never)

  const because = expect.stringContaining(says) as string
  expect(outcome).toMatchObject({ kind: 'unreached', stage: 'connect', because })
  expect(sockets.length).toBe(1)
  expect(performance.now() - start).toBeLessThan(1500)
})

it('a proxy is asked by its own name, and for the service with its port', async () => {
  const heard: string[] = []
  const { url } = await proxy((socket) =>
    socket.on('data', (data) => (heard.push(String(data)), socket.end())),
  )

  await proxiedHttp({ url })(
    request('https://dyn.test/nic/update?key=x', { headers: { authorization: 'y' } }),
    never,
  )

  expect(heard.join('')).toMatch(/^CONNECT dyn\.test:443 HTTP\/1\.1\r\nhost: dyn\.test:443\r\n/i)
  expect(heard.join('')).not.toMatch(/authorization|key=x/)
})
