import { describe, expect, it } from 'vitest'
import {
  type OwnRequest,
  readOwnRequest,
} from '../../../../src/client/setup/migration/services/own-template.ts'

const shown = (request: OwnRequest) => {
  const read = readOwnRequest(request)
  if (!read.ok) return read.error
  const { service, settings, username, password, apiKey, namesOf } = read.value
  const all = { ...service, ...settings, username, password: password?.reveal(), apiKey: apiKey?.reveal() }
  const names = namesOf(['www'])[0]
  const given = Object.entries({ ...all, ...(names !== 'www' && { names }) })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}
const USER = { username: 'u', password: 'p' }

describe('a request that a user wrote for another client', () => {
  // biome-ignore format: a table
  it.each([
    ['a body that is a form',      { url: 'h.test/x', body: 'a=#{ip}&token=abc' }, { url: 'https://h.test/x', method: 'POST', body: 'a={ip}&token={password}', password: 'abc' }],
    ['two secrets',                { url: 'https://h.test/x?key=one&secret=two&ip=[IP]' }, { url: 'https://h.test/x?key={password}&secret={api_key}&ip={ip}', password: 'one', apiKey: 'two' }],
    ['one secret twice',           { url: 'https://h.test/x?key=one&secret=one' }, { url: 'https://h.test/x?key={password}&secret={password}', password: 'one' }],
    ['a secret that is encoded',   { url: 'https://h.test/x?key=a%20b' }, { url: 'https://h.test/x?key={password}', password: 'a b' }],
    ['three secrets',              { url: 'https://h.test/x?key=1&secret=2&token=3' }, 'has more than two secrets'],
    ['credentials before the host', { url: 'http://me:pw@h.test/x?ip=[IP]' }, { url: 'https://h.test/x?ip={ip}', headers: ['Authorization: Basic {basic}'], username: 'me', password: 'pw' }],
    ['placeholders before the host', { url: 'http://[USERNAME]:[PASSWORD]@h.test/x?a=[IP]', ...USER }, { url: 'https://h.test/x?a={ip}', headers: ['Authorization: Basic {basic}'], username: 'u', password: 'p' }],
    ['braces of its own',          { url: 'https://h.test/x?a={b}&ip=%i' }, { url: 'https://h.test/x?a={{b}}&ip={ip}' }],
    ['an unknown placeholder',     { url: 'https://h.test/x?ip=#{ip}&line=#{line}' }, 'has a placeholder that has no counterpart here'],
    ['a fragment',                 { url: 'https://h.test/x?ip=%i#top' }, { url: 'https://h.test/x?ip={ip}' }],
    ['the URL of DuckDNS',         { url: 'http://www.duckdns.org/update?domains=%h&token=%p&ip=%i', ...USER }, { provider: 'duckdns', password: 'p', names: 'www.duckdns.org' }],
    ['the URL of DuckDNS, with its token', { url: 'https://www.duckdns.org/update?domains=%h&token=abc&ip=' }, { provider: 'duckdns', password: 'abc', names: 'www.duckdns.org' }],
    ['another path of DuckDNS',    { url: 'https://www.duckdns.org/other?d=%h' }, { url: 'https://www.duckdns.org/other?d={hostname}' }],
    ['the URL of a service with a username', { url: 'https://www.goip.de/setip?username=%u&password=%p&subdomain=%h&ip=%i', ...USER }, { provider: 'goip', username: 'u', password: 'p' }],
  ])('%s', (_, request, expected) => expect(shown(request)).toEqual(expected))
})
