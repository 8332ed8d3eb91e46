import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webSource } from '../../../../src/client/detect/sources/web.ts'
import type { Sighting } from '../../../../src/shared/base/sighting.ts'
import { undiciHttp } from '../../../../src/shared/platform/http/http.ts'
import { sourceContract } from '../../../contract/source.ts'
import { address } from '../../../fakes/address.ts'
import { never, asking, unknown, PUBLIC, overHttp } from './responders.ts'

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

describe('the web source', () => {
  // biome-ignore format: a table
  it.each<[string, number, string, Record<string, string>, string | undefined, Partial<Sighting>]>([
    ['the bare address',         200, '8.8.8.8',                          {}, undefined, { kind: 'seen', address: address('8.8.8.8') }],
    ['with a newline',           200, ' 8.8.8.8\r\n',                     {}, undefined, { kind: 'seen', address: address('8.8.8.8') }],
    ['a JSON member',            200, '{"ip":"8.8.8.8","x":1}',           {}, 'ip',      { kind: 'seen', address: address('8.8.8.8') }],
    ['another JSON member',      200, '{"address":"8.8.8.8"}',            {}, 'ip',      { kind: 'unknown', because: 'did not answer with an address' }],
    ['an inherited member',      200, '{}',                               {}, 'toString', { kind: 'unknown' }],
    ['broken JSON',              200, '{"ip":"8.8.8.8"',                  {}, 'ip',      { kind: 'unknown' }],
    ['a number in JSON',         200, '{"ip":8}',                         {}, 'ip',      { kind: 'unknown' }],
    ['HTML around it',           200, '<html>Current IP: 8.8.8.8</html>', {}, undefined, { kind: 'unknown', because: 'answered with a page', isPage: true }],
    ['two addresses',            200, '8.8.8.8, 8.8.4.4',                 {}, undefined, { kind: 'unknown' }],
    ['nothing',                  200, '',                                 {}, undefined, { kind: 'unknown' }],
    ['the other family',         200, '2606:4700::1',                     {}, undefined, { kind: 'unknown', because: 'answered with an address of the other family' }],
    ['a private address',        200, '192.168.1.5',                      {}, undefined, { kind: 'unknown', because: 'answered with 192.168.1.5, which is not a public address (private: an address inside a private network; another router is between this one and the internet)' }],
    ['CGNAT',                    200, '100.64.1.1',                       {}, undefined, { kind: 'unknown', because: 'answered with 100.64.1.1, which is not a public address (cgnat: an address inside the network of your provider, which shares one public address among customers (carrier-grade NAT))' }],
    ['documentation',            200, '192.0.2.1',                        {}, undefined, { kind: 'unknown' }],
    ['more than 4 KiB',          200, `8.8.8.8${' '.repeat(4096)}`,       {}, undefined, { kind: 'unknown', because: 'answered with more than 4 KiB' }],
    ['an error with an address', 500, '8.8.8.8',                          {}, undefined, { kind: 'unknown', because: 'answered HTTP 500' }],
    ['a redirect',               302, '8.8.8.8',                          { location: '/' }, undefined, { kind: 'unknown', because: 'answered HTTP 302', isPage: true }],
    ['201',                      201, '8.8.8.8',                          {}, undefined, { kind: 'unknown', because: 'answered HTTP 201' }],
  ])('handles an answer with %s', async (_, status, body, headers, field, sighting) => {
    const url = await serve(status, body, headers)

    expect(await webSource({ url, ...(field !== undefined && { field }) }, { http: undiciHttp }, asking).look('v4', never)).toMatchObject(sighting)
  })

  it('uses the requested family, and no other', async () => {
    const url = await serve(200, '2606:4700::1', {}, '::1')
    const source = webSource({ url }, { http: undiciHttp }, asking)

    expect(await source.look('v6', never)).toMatchObject({ kind: 'seen', address: '2606:4700::1' })
    expect(await source.look('v4', never)).toMatchObject({ kind: 'unknown', because: 'is an IPv6 address' })
  })

  it('accepts an address in a range that is allowed', async () => {
    const url = await serve(200, '192.0.2.1')

    expect(
      await webSource({ url }, { http: undiciHttp }, { ...asking, allowed: ['documentation'] }).look(
        'v4',
        never,
      ),
    ).toMatchObject({ kind: 'seen' })
  })

  it('reports a closed port', async () =>
    expect(
      await webSource({ url: 'http://127.0.0.1:1/' }, { http: undiciHttp }, asking).look('v4', never),
    ).toMatchObject({ kind: 'unknown', because: expect.stringMatching(/^not reached \(connect/) as string }))
})

describe('the web source of a faulty service', () => {
  const plain =
    (status: number, body: string, headers: Record<string, string> = {}) =>
    (_: IncomingMessage, response: ServerResponse): void =>
      void response.writeHead(status, headers).end(body)

  // biome-ignore format: a table
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, object]>([
    ['HTML',                 plain(200, '<html><body>8.8.8.8</body></html>'),          { ...unknown('answered with a page'), isPage: true }],
    ['a redirect',           plain(302, '8.8.8.8', { location: 'http://127.0.0.1:1/' }), { ...unknown('answered HTTP 302'), isPage: true }],
    ['the wrong family',     plain(200, '2606:4700::1'),                               unknown('answered with an address of the other family')],
    ['a private address',    plain(200, '192.168.1.5'),                                { kind: 'unknown', because: expect.stringMatching(/not a public address/) as string }],
    ['too many requests',    plain(429, '8.8.8.8'),                                    { ...unknown('answered HTTP 429'), isRefusal: true }],
    ['forbidden',            plain(403, '8.8.8.8'),                                    { ...unknown('answered HTTP 403'), isRefusal: true }],
    ['unavailable',          plain(503, '8.8.8.8'),                                    unknown('answered HTTP 503')],
    ['ten megabytes',        plain(200, '8'.repeat(10_000_000)),                       unknown('answered with more than 4 KiB')],
    ['an address, then ten megabytes', plain(200, `8.8.8.8${' '.repeat(10_000_000)}`), unknown('answered with more than 4 KiB')],
    ['a stall',              () => undefined,                                          { kind: 'unknown', because: expect.stringMatching(/^not reached \(time-out/) as string }],
    ['a stall in the middle', (_, response) => void response.writeHead(200, { 'content-length': 7 }).write('8.8'), { kind: 'unknown', because: expect.stringMatching(/^not reached \(time-out/) as string }],
    ['a cut connection',     (_, response) => void response.socket?.destroy(),         { kind: 'unknown', because: expect.stringMatching(/^not reached \(exchange/) as string }],
  ])('handles %s', async (what, answer, expected) => {
    const url = `${await overHttp(answer)}/`
    const signal = what.startsWith('a stall') ? AbortSignal.timeout(1000) : never

    expect(await webSource({ url }, { http: undiciHttp }, asking).look('v4', signal)).toEqual(expected)
  })

  sourceContract('web', async () =>
    webSource({ url: `${await overHttp(plain(200, PUBLIC))}/` }, { http: undiciHttp }, asking),
  )
})
