import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { canonical } from './records.ts'
import { bytesOf, type DeviceRow, isAnswer, rowsOf } from './rows.ts'
import { type Answer, API_KEY, type DeviceWorld, deviceWorld } from './world.ts'

let world: DeviceWorld
beforeAll(async () => void (world = await deviceWorld()))
afterAll(async () => world.close())
afterEach(() => void vi.restoreAllMocks())

/** The headers of a reply: Basic is asked for with its charset (RFC 7617 §2.1). */
const HEADERS: Readonly<Record<number, readonly (readonly [name: string, value: RegExp])[]>> = {
  200: [['content-type', /^text\/plain; charset=utf-8$/]],
  401: [
    ['content-type', /^text\/plain; charset=utf-8$/],
    ['www-authenticate', /^Basic realm="[^"]+", charset="UTF-8"$/],
  ],
  405: [['allow', /^GET\b/]],
}

const wrongHeaders = ({ status, headers }: Answer): readonly string[] =>
  (HEADERS[status] ?? []).flatMap(([name, value]) => (value.test(headers.get(name) ?? '') ? [] : [name]))

/** Sends the request of a row. Where the body is another than that of the row, the failure shows it. */
async function outcomeOf(row: DeviceRow) {
  await world.reset(row.before)
  const before = await world.records()
  if (before !== canonical(row.before)) throw new Error(`the row cannot begin with ${before}`)
  const answer = await world.send(bytesOf(row, world))
  return {
    status: answer.status,
    answer: isAnswer(row.answer, answer.body) ? row.answer : answer.body.trimEnd(),
    after: await world.records(),
    counted: await world.counted(),
    wrongHeaders: wrongHeaders(answer),
  }
}

describe.each([
  ['requests that were captured', 'captured.tsv'],
  ['paths', 'paths.tsv'],
  ['addresses', 'addresses.tsv'],
  ['prefixes', 'prefixes.tsv'],
  ['hostnames', 'hostnames.tsv'],
  ['offline', 'offline.tsv'],
  ['what the documents leave open', 'open.tsv'],
])('%s', (_, file) => {
  const rows = rowsOf(file).map((row) => [row.device, row.what, row] as const)
  it.each(rows)('%s: %s', async (_device, _what, row) => {
    const { status, answer, after, counted } = row
    expect(await outcomeOf(row)).toEqual({
      status,
      answer,
      after: canonical(after),
      counted,
      wrongHeaders: [],
    })
  })
})

const BOTH = 'home=192.0.2.9,2001:db8:9:1::9'

it('a prefix for two names is one write', async () => {
  await world.reset(`${BOTH} nas=2001:db8:9:1::a`)
  const write = vi.spyOn(world.store, 'write')
  const target = '/nic/update?hostname=home.example.test,nas.example.test&ip6lanprefix=2001:db8:1:2::/64'
  await world.send(bytesOf({ device: 'FRITZ!Box DDNS', target }, world))

  expect(write).toHaveBeenCalledTimes(1)
  expect(await world.records()).toBe(canonical('home=192.0.2.9,2001:db8:1:2::9 nas=2001:db8:1:2::a'))
})

describe('what is unreadable', () => {
  const LOOK = (host: string): string =>
    `GET /v1/dns/clients HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${API_KEY}\r\n` +
    'Connection: close\r\n\r\n'

  it.each([
    ['a placeholder', '<ipaddr>'],
    ['a word', 'auto'],
    ['a fault of a program', '192.0.2.23office.example.test'],
    ['a prefix that is too long', '2001:db8:1:2::/65'],
    ['an address with a port', '192.0.2.30:80'],
  ])('is named in the log and in the list of clients: %s', async (_, myip) => {
    await world.reset(BOTH)
    const target = `/nic/update?hostname=home.example.test&myip=${myip}`
    expect((await world.send(bytesOf({ device: 'router', target }, world))).status).toBe(200)
    const { status, body } = await world.send(LOOK(world.host))

    expect(status).toBe(200)
    expect(world.logged()).toContain(myip)
    expect(body).toContain(myip)
  })
})
