import { describe, expect, it } from 'vitest'
import { igdSource } from '../../../../src/client/detect/sources/upnp.ts'
import { sourceContract } from '../../../contract/source.ts'
import { never, asking, unknown, seen, PUBLIC, ports, type Router, upnpRouter } from './responders.ts'

const ADDRESS = { ...asking, asksAge: false }

describe('the UPnP source', () => {
  // biome-ignore format: a table
  it.each<[string, string, Router, object]>([
    ['reports a public address',    '127.0.0.91', {},                                          seen(PUBLIC, 'upnp')],
    ['reports a private address',   '127.0.0.92', { address: '10.0.0.5' },                     { kind: 'none', instead: '10.0.0.5' }],
    ['has no address',            '127.0.0.93', { address: '0.0.0.0' },                      { kind: 'none' }],
    ['fails',                     '127.0.0.94', { status: 500 },                             unknown('answered HTTP 500')],
    ['points to another host',    '127.0.0.95', { location: 'http://127.0.0.1:1/desc.xml' }, unknown('its description is on another host (http://127.0.0.1:1/desc.xml)')],
    ['points to a file',          '127.0.0.96', { location: 'file:///etc/passwd' },          unknown('its description is on another host (file:///etc/passwd)')],
    ['points to a name',          '127.0.0.97', { location: 'http://127.0.0.97.example/' },  unknown('its description is on another host (http://127.0.0.97.example/)')],
    ['points behind a user name', '127.0.0.98', { location: 'http://127.0.0.98@127.0.0.1/' }, unknown('its description is on another host (http://127.0.0.98@127.0.0.1/)')],
    ['has its service elsewhere', '127.0.0.99', { control: 'http://127.0.0.1:1/ctl' },       unknown('its services are on another host')],
  ])('handles a router that %s', async (_, host, router, expected) => {
    await upnpRouter(host, router)

    expect(await igdSource(ports(host), ADDRESS).look('v4', never)).toEqual(expected)
  })
  it('searches once, and sends one request for each later look', async () => {
    const { asked, search } = await upnpRouter('127.0.0.77')
    const source = igdSource(ports('127.0.0.77'), ADDRESS)

    await source.look('v4', never)
    await source.look('v4', never)

    expect(asked).toEqual(['GET /desc.xml', 'POST /ctl', 'POST /ctl'])
    expect(search.received).toHaveLength(1)
  })

  // biome-ignore format: a table
  it.each<[string, string, Router, boolean]>([
    ['a connection of this minute',     '127.0.0.78', { uptime: '59' },   true],
    ['an older connection',             '127.0.0.79', { uptime: '60' },   false],
    ['a connection of an unknown age',  '127.0.0.80', { uptime: 'soon' }, false],
    ['no answer to that',               '127.0.0.81', {},                 false],
  ])('asks for the age of the connection: %s', async (_, host, router, isEarly) => {
    const { asked } = await upnpRouter(host, router)
    const sighting = await igdSource(ports(host), { ...asking, asksAge: true }).look('v4', never)

    expect(sighting).toEqual({ ...seen(PUBLIC, 'upnp'), ...(isEarly && { isEarly }) })
    expect(asked).toEqual(['GET /desc.xml', 'POST /ctl', 'POST /ctl'])
  })

  sourceContract('UPnP', async () => {
    await upnpRouter('127.0.0.100')
    return igdSource(ports('127.0.0.100'), ADDRESS)
  })
})
