import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { givenSource } from '../../../src/client/sources/given.ts'
import { webSource } from '../../../src/client/sources/http.ts'
import { localSource } from '../../../src/client/sources/local.ts'
import { parseAddress } from '../../../src/net/address.ts'
import type { Sighting } from '../../../src/net/sighting.ts'
import { undiciHttp } from '../../../src/platform/http.ts'
import { parseIfInet6, systemInterfaces } from '../../../src/platform/interfaces.ts'
import { systemOutboundRoute } from '../../../src/platform/outbound-route.ts'
import type { InterfaceAddress } from '../../../src/ports/interfaces.ts'
import { sourceContract } from '../../contract/source.ts'

const never = new AbortController().signal
const address = (text: string) => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}
const asking = { userAgent: 'Holdfast test/1-1', allowed: [] }

const serve = async (
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
  host = '127.0.0.1',
): Promise<string> => {
  const server = createServer((_, response) => void response.writeHead(status, headers).end(body))
  await new Promise<void>((done) => server.listen(0, host, done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
}

describe('an echo service', () => {
  // biome-ignore format: a table
  it.each<[string, number, string, Record<string, string>, string | undefined, Partial<Sighting>]>([
    ['the bare address',         200, '8.8.8.8',                          {}, undefined, { kind: 'seen', address: address('8.8.8.8') }],
    ['with a newline',           200, ' 8.8.8.8\r\n',                     {}, undefined, { kind: 'seen', address: address('8.8.8.8') }],
    ['a JSON member',            200, '{"ip":"8.8.8.8","x":1}',           {}, 'ip',      { kind: 'seen', address: address('8.8.8.8') }],
    ['another JSON member',      200, '{"address":"8.8.8.8"}',            {}, 'ip',      { kind: 'unknown', because: 'did not answer with an address' }],
    ['an inherited member',      200, '{}',                               {}, 'toString', { kind: 'unknown' }],
    ['broken JSON',              200, '{"ip":"8.8.8.8"',                  {}, 'ip',      { kind: 'unknown' }],
    ['a number in JSON',         200, '{"ip":8}',                         {}, 'ip',      { kind: 'unknown' }],
    ['HTML around it',           200, '<html>Current IP: 8.8.8.8</html>', {}, undefined, { kind: 'unknown', because: 'did not answer with an address' }],
    ['two addresses',            200, '8.8.8.8, 8.8.4.4',                 {}, undefined, { kind: 'unknown' }],
    ['nothing',                  200, '',                                 {}, undefined, { kind: 'unknown' }],
    ['the other family',         200, '2606:4700::1',                     {}, undefined, { kind: 'unknown', because: 'answered in the other family' }],
    ['a private address',        200, '192.168.1.5',                      {}, undefined, { kind: 'unknown', because: 'answered with 192.168.1.5, which is not a public address (private: an address inside a private network; another router is between this one and the internet)' }],
    ['CGNAT',                    200, '100.64.1.1',                       {}, undefined, { kind: 'unknown', because: 'answered with 100.64.1.1, which is not a public address (cgnat: an address that your provider shares between customers (carrier-grade NAT); it cannot be reached from the internet)' }],
    ['documentation',            200, '192.0.2.1',                        {}, undefined, { kind: 'unknown' }],
    ['more than 4 KiB',          200, `8.8.8.8${' '.repeat(4096)}`,       {}, undefined, { kind: 'unknown', because: 'answered with more than 4 KiB' }],
    ['an error with an address', 500, '8.8.8.8',                          {}, undefined, { kind: 'unknown', because: 'answered HTTP 500' }],
    ['a redirect',               302, '8.8.8.8',                          { location: '/' }, undefined, { kind: 'unknown', because: 'answered HTTP 302' }],
    ['201',                      201, '8.8.8.8',                          {}, undefined, { kind: 'unknown', because: 'answered HTTP 201' }],
  ])('that answers with %s', async (_, status, body, headers, field, sighting) => {
    const url = await serve(status, body, headers)

    expect(await webSource({ url, ...(field !== undefined && { field }) }, { http: undiciHttp }, asking).look('v4', never)).toMatchObject(sighting)
  })

  it('is asked over the family in question, and over no other', async () => {
    const url = await serve(200, '2606:4700::1', {}, '::1')
    const source = webSource({ url }, { http: undiciHttp }, asking)

    expect(await source.look('v6', never)).toMatchObject({ kind: 'seen', address: '2606:4700::1' })
    expect(await source.look('v4', never)).toMatchObject({ kind: 'unknown', because: 'is an IPv6 address' })
  })

  it('may answer with what the user allows', async () => {
    const url = await serve(200, '192.0.2.1')

    expect(
      await webSource({ url }, { http: undiciHttp }, { ...asking, allowed: ['documentation'] }).look(
        'v4',
        never,
      ),
    ).toMatchObject({ kind: 'seen' })
  })

  it('that is not there is unknown', async () =>
    expect(
      await webSource({ url: 'http://127.0.0.1:1/' }, { http: undiciHttp }, asking).look('v4', never),
    ).toMatchObject({ kind: 'unknown', because: expect.stringMatching(/^not reached \(connect/) as string }))
})

describe('own interfaces', () => {
  const one = (text: string, over: Partial<InterfaceAddress> = {}): InterfaceAddress => ({
    interface: 'eth0',
    address: address(text),
    isTemporary: false,
    isUnusable: false,
    isPermanent: false,
    prefixLength: 64,
    isTunnel: false,
    ...over,
  })
  const look = async (all: readonly InterfaceAddress[], family: 'v4' | 'v6', only?: string) =>
    localSource({ interfaces: async () => all, outboundRoute: async () => undefined }, only, {
      allowed: [],
    }).look(family, never)

  it('show a public address', async () =>
    expect(await look([one('10.0.0.1'), one('8.8.8.8')], 'v4')).toMatchObject({
      kind: 'seen',
      address: '8.8.8.8',
    }))
  it('show none behind a NAT', async () =>
    expect(await look([one('192.168.1.5'), one('fe80::1')], 'v4')).toEqual({ kind: 'none' }))

  it('leave temporary, deprecated and tentative ones out', async () =>
    expect(
      await look(
        [one('2606:4700::1', { isTemporary: true }), one('2606:4700::2', { isUnusable: true })],
        'v6',
      ),
    ).toEqual({ kind: 'none' }))

  it('give the same answer in whatever order they come', async () => {
    const all = [one('2606:4700::2'), one('2606:4700::1')]

    expect(await look(all, 'v6')).toEqual(await look(all.toReversed(), 'v6'))
  })

  it('are ranked by meaning: set by hand, then by DHCPv6, then the same as before, then the lowest', async () => {
    const slaac = one('2a0d:3341::34a6:1')
    const byHand = one('2a0d:3341::f100', { isPermanent: true })
    const leased = one('2a0d:3341::ff21', { prefixLength: 128 })
    const tunnel = one('2600:9::1', { interface: 'tun0', isTunnel: true, isPermanent: true })

    expect(await look([slaac, tunnel, leased, byHand], 'v6')).toMatchObject({
      address: '2a0d:3341::f100',
      others: ['2a0d:3341::ff21', '2a0d:3341::34a6:1', '2600:9::1'],
      tunnels: ['2600:9::1'],
    })
  })

  it('are ranked by number and not by text where nothing else tells them apart', async () =>
    expect(await look([one('2600:0:0:1:2:34a6:1:1'), one('2600:0:0:1:2::9')], 'v6')).toMatchObject({
      address: '2600::1:2:0:0:9',
    }))

  it('put the network first that the kernel sends from', async () => {
    const all = [one('2001:470::1', { isPermanent: true }), one('2a0d:3341::5')]
    const source = localSource(
      {
        interfaces: async () => all,
        outboundRoute: async () => ({ address: address('2a0d:3341::dead'), interface: 'eth0' }),
      },
      undefined,
      { allowed: [] },
    )

    expect(await source.look('v6', never)).toMatchObject({ address: '2a0d:3341::5', others: ['2001:470::1'] })
  })

  it('say that an interface only stands in for the one that lost its address', async () => {
    const bridge = one('2001:470::1', { interface: 'docker0' })
    let all = [one('2a0d:3341::5'), bridge]
    let through: string | undefined = 'eth0'
    const source = localSource(
      {
        interfaces: async () => all,
        outboundRoute: async (_, from) =>
          through === undefined
            ? undefined
            : { interface: through, ...(from === undefined && { address: address('2a0d:3341::5') }) },
      },
      undefined,
      { allowed: [] },
    )
    const isSubstitute = async () => {
      const seen = await source.look('v6', never)
      return seen.kind === 'seen' && seen.isSubstitute === true
    }

    expect(await isSubstitute()).toBe(false)
    all = [bridge]
    expect(await isSubstitute()).toBe(true)
    through = undefined
    expect(await isSubstitute()).toBe(true)
    through = 'docker0'
    expect(await isSubstitute()).toBe(false)
  })

  it('can be narrowed to one, which must be there', async () => {
    const all = [one('8.8.8.8'), one('8.8.4.4', { interface: 'eth1' })]

    expect(await look(all, 'v4', 'eth1')).toMatchObject({
      kind: 'seen',
      address: '8.8.4.4',
      by: 'interface:eth1',
    })
    expect(await look(all, 'v4', 'eth2')).toMatchObject({
      kind: 'unknown',
      because: 'there is no interface eth2',
    })
  })

  it('are unknown when the system does not tell', async () =>
    expect(
      await localSource(
        { interfaces: async () => Promise.reject(new Error('EPERM')), outboundRoute: async () => undefined },
        undefined,
        { allowed: [] },
      ).look('v4', never),
    ).toMatchObject({ kind: 'unknown' }))

  it('are read with their flags from the table of Linux', () => {
    const table =
      '20010db8000000000000000000000001 02 40 00 80     eth0\n20010db8000000000000000000000002 02 40 00 01     eth0\n'

    expect([...parseIfInet6(table)]).toEqual([
      ['eth0 2001:db8::1', 0x80],
      ['eth0 2001:db8::2', 0x01],
    ])
  })
})

sourceContract('given', () => givenSource({ v4: address('192.0.2.1') }))
sourceContract('own interfaces', () =>
  localSource({ interfaces: systemInterfaces, outboundRoute: systemOutboundRoute }, undefined, {
    allowed: [],
  }),
)
sourceContract('an echo service', async () =>
  webSource({ url: await serve(200, '8.8.8.8') }, { http: undiciHttp }, asking),
)
