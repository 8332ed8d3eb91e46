import { describe, expect, it } from 'vitest'
import type { OfflineSettings } from '../../../src/server/model/tree.ts'
import { type Site, siteOf } from '../../../src/server/publish/site.ts'
import { storeWith } from './zones.ts'

const URL = ['300 _URL https://away.test/x?y']
const A = ['300 A 192.0.2.1']
const PAGE: OfflineSettings = { action: 'page', title: 'Away', message: 'Back soon', email: 'a@b.test' }
const REDIRECT = { kind: 'redirect', url: 'https://away.test/x?y' } as const
const page: Site = { kind: 'page', title: 'Away', message: 'Back soon', email: 'a@b.test' }

describe('what the service answers by http', () => {
  const world = storeWith({
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
    'wild.test': { '*': { records: A, offline: PAGE }, here: A },
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
    ['other.test',               undefined],
    ['test',                     undefined],
    ['',                         undefined],
  ])('at %s', async (host, is) => {
    const { store } = await world
    expect(await store.read(async (r) => siteOf(host, r))).toEqual(is)
  })
})
