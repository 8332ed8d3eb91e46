import { describe, expect, it } from 'vitest'
import { minutes, seconds } from '../../../src/shared/base/time.ts'
import {
  checkOf,
  type ServerAnswer,
  type ServerFinding,
  stateOf,
} from '../../../src/client/verify/publication.ts'
import { address } from '../../fakes/address.ts'

const [NEW, OLD, OTHER] = ['192.0.2.2', '192.0.2.1', '203.0.113.9'].map(address)
const [NEW6, OLD6] = ['2001:db8::2', '2001:db8::1'].map(address)
const given = (...addresses: readonly (string | undefined)[]): ServerAnswer => ({
  kind: 'addresses',
  addresses: addresses.map((text) => address(text ?? '')),
})
const MISSING = { kind: 'missing' } as const
const ALIAS = { kind: 'alias' } as const
const LAME = { kind: 'lame' } as const
const SILENT = { kind: 'silent' } as const

describe('what one server gives, compared with a new IPv4 address', () => {
  const confirmed = { addresses: { v4: address(NEW ?? '') }, previous: { v4: address(OLD ?? '') } }
  // biome-ignore format: a table
  it.each<[ServerAnswer, ServerFinding, readonly (string | undefined)[]]>([
    [given(NEW),          'seen',    []],
    [given(NEW, NEW),     'seen',    []],
    [given(OLD),          'old',     [OLD]],
    [given(OTHER),        'other',   [OTHER]],
    [given(NEW, OLD),     'other',   [NEW, OLD]],
    [MISSING,             'missing', []],
    [ALIAS,               'alias',   []],
    [LAME,                'lame',    []],
    [SILENT,              'silent',  []],
  ])('%j is %s', (answer, finding, addresses) => {
    expect(checkOf('ns1', { v4: answer }, confirmed)).toMatchObject({ server: 'ns1', finding, addresses })
  })

  it('an address of a name that had none before is not old', () => {
    expect(checkOf('ns1', { v4: given(OLD) }, { ...confirmed, previous: {} }).finding).toBe('other')
  })
})

describe('what one server gives for both families', () => {
  const confirmed = {
    addresses: { v4: address(NEW ?? ''), v6: address(NEW6 ?? '') },
    previous: { v4: address(OLD ?? ''), v6: address(OLD6 ?? '') },
  }
  it.each<[ServerAnswer, ServerAnswer, ServerFinding]>([
    [given(NEW), given(NEW6), 'seen'],
    [given(NEW), given(OLD6), 'old'],
    [given(OLD), MISSING, 'missing'],
    [given(OTHER), MISSING, 'other'],
    [given(NEW), LAME, 'seen'],
    [given(OTHER), LAME, 'other'],
    [SILENT, given(OLD6), 'old'],
    [SILENT, LAME, 'silent'],
  ])('%j and %j together are %s', (v4, v6, finding) => {
    expect(checkOf('ns1', { v4, v6 }, confirmed).finding).toBe(finding)
  })

  it('names the family of an address that is wrong or missing', () => {
    expect(checkOf('ns1', { v4: given(NEW), v6: MISSING }, confirmed).family).toBe('v6')
    expect(checkOf('ns1', { v4: given(OLD), v6: given(NEW6) }, confirmed).family).toBe('v4')
    expect(checkOf('ns1', { v4: given(NEW), v6: LAME }, confirmed).family).toBeNull()
  })

  it('names a family without an answer beside one with an answer', () => {
    expect(checkOf('ns1', { v4: given(NEW), v6: SILENT }, confirmed).unanswered).toEqual(['v6'])
    expect(checkOf('ns1', { v4: LAME, v6: given(OLD6) }, confirmed).unanswered).toEqual(['v4'])
    expect(checkOf('ns1', { v4: LAME, v6: SILENT }, confirmed).unanswered).toEqual([])
  })

  it('a family that was not confirmed does not count', () => {
    const only = { addresses: { v4: address(NEW ?? '') }, previous: {} }
    expect(checkOf('ns1', { v4: given(NEW), v6: MISSING }, only).finding).toBe('seen')
  })
})

describe('what all servers give', () => {
  const checks = (...findings: readonly ServerFinding[]) =>
    findings.map((finding, at) => ({
      server: `ns${at + 1}`,
      finding,
      family: null,
      addresses: [],
      unanswered: [],
      took: null,
    }))
  const [early, late] = [seconds(299), minutes(5)]
  // biome-ignore format: a table
  it.each([
    [checks('seen', 'seen'),            early, 'published'],
    [checks('seen', 'seen'),            late,  'published'],
    [checks('seen', 'silent'),          late,  'published'],
    [checks('seen', 'lame'),            late,  'published'],
    [checks('seen', 'old'),             early, 'pending'],
    [checks('old', 'old'),              early, 'pending'],
    [checks('missing'),                 early, 'pending'],
    [checks('other'),                   early, 'pending'],
    [checks('seen', 'old'),             late,  'stale'],
    [checks('missing', 'silent'),       late,  'stale'],
    [checks('seen', 'other'),           late,  'different'],
    [checks('old', 'alias'),            late,  'different'],
    [checks('silent', 'lame'),          early, 'unverified'],
    [checks('silent'),                  late,  'unverified'],
    [checks(),                          early, 'unverified'],
  ] as const)('%j after %d ms: %s', (servers, age, state) => {
    expect(stateOf(servers, age)).toBe(state)
  })
})
