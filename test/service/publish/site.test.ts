import { describe, expect, it } from 'vitest'
import type { OfflineSettings } from '../../../src/service/model/tree.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { type Site, siteOf } from '../../../src/service/publish/site.ts'
import { flushed, SETTINGS } from './flushed.ts'
import { storeWith } from './zones.ts'

const URL = ['300 _URL https://away.test/x?y']
const A = ['300 A 192.0.2.1']
const PAGE: OfflineSettings = { action: 'page', title: 'Away', message: 'Back soon', email: 'a@b.test' }
const REDIRECT = { kind: 'redirect', url: 'https://away.test/x?y' } as const
const page: Site = { kind: 'page', title: 'Away', message: 'Back soon', email: 'a@b.test' }

const OWN = parseAddress('192.0.2.80')
const PUBLISHING = { ...SETTINGS, redirectAddresses: OWN === undefined ? [] : [OWN] }

async function published(zones: Parameters<typeof storeWith>[0]) {
  const world = await storeWith(zones)
  await flushed(world.store, PUBLISHING)
  return world
}

describe('what the service answers by http', () => {
  const world = published({
    'example.test': {
      '@': URL,
      www: URL,
      home: A,
      away: { records: A, offline: PAGE },
      moved: { records: A, offline: { action: 'redirect', url: 'https://other.test/' } },
      none: { records: URL, offline: { action: 'none' } },
      record: { records: URL, offline: { action: 'record', dns_type: 'A', rdata: '192.0.2.9' } },
      blocked: { records: URL, isBlocked: true },
      blockedpage: { records: A, offline: PAGE, isBlocked: true },
      '*.wild': URL,
      'own.wild': A,
      'blocked.wild': { records: URL, isBlocked: true },
      'x.sub': URL,
    },
    'sub.example.test': { '@': URL },
    'wild.test': {
      '*': { records: A, offline: PAGE },
      here: A,
      'host.under': A,
      text: ['300 TXT "x"'],
      nothing: [],
      gone: { records: A, offline: { action: 'none' } },
      delegated: ['300 NS ns.other.test.'],
    },
    'alias.test': {
      url: URL,
      cname: ['300 CNAME url.alias.test.'],
      'cname.far': ['300 CNAME www.example.test.'],
      'cname.wild': ['300 CNAME any.wild.test.'],
      'cname.host': ['300 CNAME home.example.test.'],
      'cname.outside': ['300 CNAME www.other.test.'],
      'cname.page': ['300 CNAME away.example.test.'],
      'cname.blocked': { records: ['300 CNAME url.alias.test.'], isBlocked: true },
      'cname.offline': { records: ['300 CNAME url.alias.test.'], offline: { action: 'none' } },
      'cname.tail': ['300 CNAME alias.alias.test.'],
      '*.cname': ['300 CNAME url.alias.test.'],
      alias: ['300 ALIAS URL.alias.test.'],
      'alias.tail': ['300 ALIAS cname.alias.test.'],
      'alias.page': ['300 ALIAS off.alias.test.'],
      'alias.far': ['300 ALIAS www.example.test.'],
      'alias.leaves': ['300 ALIAS cname.far.alias.test.'],
      'alias.wild': ['300 ALIAS x.star.alias.test.'],
      'alias.blocked': ['300 ALIAS blocked.alias.test.'],
      '*.star': URL,
      off: { records: A, offline: PAGE },
      blocked: { records: URL, isBlocked: true },
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, n) => [
          `c${n + 1}`,
          [`300 CNAME ${n === 0 ? 'url' : `c${n}`}.alias.test.`],
        ]),
      ),
      one: ['300 CNAME other.alias.test.'],
      other: ['300 CNAME one.alias.test.'],
    },
  })

  // biome-ignore format: a table
  it.each<[string, Site | undefined]>([
    ['example.test',             REDIRECT],
    ['www.example.test',         REDIRECT],
    ['home.example.test',        undefined],
    ['missing.example.test',     undefined],
    ['away.example.test',        page],
    ['moved.example.test',       { kind: 'redirect', url: 'https://other.test/' }],
    ['none.example.test',        undefined],
    ['record.example.test',      undefined],
    ['blocked.example.test',     undefined],
    ['blockedpage.example.test', undefined],
    ['a.wild.example.test',      REDIRECT],
    ['a.b.wild.example.test',    REDIRECT],
    ['wild.example.test',        undefined],
    ['own.wild.example.test',    undefined],
    ['x.own.wild.example.test',  undefined],
    ['blocked.wild.example.test', undefined],
    ['sub.example.test',         REDIRECT],
    ['x.sub.example.test',       undefined],
    ['any.wild.test',            page],
    ['here.wild.test',           undefined],
    ['wild.test',                undefined],
    ['a.b.wild.test',            page],
    // RFC 4592 §2.2.2: an empty non-terminal exists, so that no wildcard makes it.
    ['under.wild.test',          undefined],
    ['other.under.wild.test',    undefined],
    ['host.under.wild.test',     undefined],
    // RFC 4592 §3.3.1: the wildcard is that of the closest encloser.
    ['x.here.wild.test',         undefined],
    ['text.wild.test',           undefined],
    ['x.text.wild.test',         undefined],
    // Names without published records do not exist in DNS.
    ['nothing.wild.test',        page],
    // One that is offline does: no wildcard answers for it.
    ['gone.wild.test',           undefined],
    ['x.nothing.wild.test',      page],
    ['delegated.wild.test',      undefined],
    ['x.delegated.wild.test',    undefined],
    ['cname.alias.test',         REDIRECT],
    ['cname.far.alias.test',     REDIRECT],
    ['cname.wild.alias.test',    page],
    ['cname.page.alias.test',    page],
    ['cname.tail.alias.test',    REDIRECT],
    ['any.cname.alias.test',     REDIRECT],
    ['cname.host.alias.test',    undefined],
    ['cname.outside.alias.test', undefined],
    ['cname.blocked.alias.test', undefined],
    ['cname.offline.alias.test', undefined],
    ['alias.alias.test',         REDIRECT],
    ['alias.tail.alias.test',    REDIRECT],
    ['alias.page.alias.test',    page],
    ['alias.far.alias.test',     undefined],
    ['alias.leaves.alias.test',  undefined],
    ['alias.wild.alias.test',    undefined],
    ['alias.blocked.alias.test', undefined],
    ['c7.alias.test',            REDIRECT],
    ['c9.alias.test',            undefined],
    ['one.alias.test',           undefined],
    ['other.test',               undefined],
    ['test',                     undefined],
    ['',                         undefined],
  ])('at %s', async (host, is) => {
    const { store } = await world
    expect(await store.read(async (r) => siteOf(host, r))).toEqual(is)
  })
})
