import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic } from '../doors/requests.ts'
import { DDNS_KEY, type DoorsWorld, doorsWorld, ZONE } from '../doors/world.ts'

let world: DoorsWorld
beforeAll(async () => void (world = await doorsWorld()))
afterAll(async () => world.close())

/** Sends these octets; the status line and the body of the answer. */
async function answerTo(lines: readonly string[]) {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), body }
}

const HOST = 'Host: localhost'
const AGENT = 'User-Agent: Acme test/1-1 me@example.test'
const LOGIN = `Authorization: ${basic(DDNS_KEY.username, DDNS_KEY.password)}`
const UPDATE = `/nic/update?hostname=home.${ZONE}&myip=192.0.2.1`

/** One path of every door, with the status of a request that has each header once. */
const DOORS = [
  ['updates', UPDATE, 200],
  ['the open operation', '/v1/dns/about', 200],
  // A DDNS key is no login at the API.
  ['an operation of an account', '/v1/dns/zones', 401],
  ['the console', '/console/sign-in', 200],
  ['no door', '/nothing', 404],
] as const

describe.each(DOORS)('at the door of %s', (_, path, usual) => {
  const once = [`GET ${path} HTTP/1.1`, HOST, AGENT, LOGIN]

  it('a request with each header once is answered as usual', async () =>
    expect((await answerTo(once)).status).toBe(usual))

  // Two programs on the way could each go by another one (RFC 9110 §5.3: such a header is no list).
  it.each([
    ['Authorization', LOGIN],
    ['Authorization, the second in small letters', `authorization: ${basic('nobody', 'x')}`],
    ['User-Agent', AGENT],
    ['User-Agent, the second in small letters', 'user-agent: other'],
  ])('two headers are refused: %s', async (_what, second) => {
    const before = await world.stored()
    expect((await answerTo([...once, second])).status).toBe(400)
    expect((await answerTo([...once.slice(0, 2), second, ...once.slice(2)])).status).toBe(400)
    expect(await world.stored()).toBe(before)
  })

  // The console is for the host of its setting alone.
  it('HTTP/1.0 has no Host', async () =>
    expect((await answerTo([`GET ${path} HTTP/1.0`, AGENT, LOGIN])).status).toBe(
      path.startsWith('/console') ? 421 : usual,
    ))

  it.each(['HTTP/2.0', 'HTTP/3.0', 'HTTP/9.9'])('no request is of %s by this line', async (version) => {
    const { status } = await answerTo([`GET ${path} ${version}`, HOST, AGENT, LOGIN])
    expect([400, 505]).toContain(status)
  })
})

describe('HTTP/1.1 without Host', () => {
  // RFC 9112 §3.2.
  it.each([
    '/v1/dns/about',
    '/v1/dns/zones',
    '/console/sign-in',
    '/console/names',
    '/nothing',
    '/nic',
    '/nic/update/x',
    'http://localhost/v1/dns/about',
  ])('is refused at %s', async (path) =>
    expect((await answerTo([`GET ${path} HTTP/1.1`, AGENT, LOGIN])).status).toBe(400),
  )

  // All paths of updates in the rules of the update protocol: devices cannot be corrected.
  it.each([
    '/nic/update',
    '/nic/update/',
    '//nic//update',
    '/v2/update',
    '/v3/update',
    '/update',
    '/nic/dyndns',
  ])('is an update at %s', async (path) => {
    const target = UPDATE.replace('/nic/update', path)
    const { status, body } = await answerTo([`GET ${target} HTTP/1.1`, AGENT, LOGIN])
    // How often the address was the same does not matter here: the fourth request of the key may be over its limit.
    expect([status, /^(good|nochg|abuse)/.test(body)]).toEqual([200, true])
  })
})
