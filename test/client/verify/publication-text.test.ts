import { expect, it } from 'vitest'
import type { Publication, ServerFinding } from '../../../src/client/verify/publication.ts'
import { formatPublication } from '../../../src/client/verify/publication-text.ts'
import { address } from '../../fakes/address.ts'

type Row = readonly [server: string, finding: ServerFinding, given?: string, took?: number]
const publication = (
  state: Publication['state'],
  rows: readonly Row[],
  more: Partial<Publication> = {},
): Publication => ({
  state,
  servers: rows.map(([server, finding, given = '', took = null]) => ({
    server,
    finding,
    family: 'v4',
    addresses: given === '' ? [] : given.split(' ').map(address),
    unanswered: [],
    took,
  })),
  because: null,
  ...more,
})

const [A, B, C] = ['192.0.2.1', '192.0.2.1', '203.0.113.9']
// biome-ignore format: a table
it.each([
  [publication('published', [['ns1', 'seen'], ['ns2', 'seen']]),                      'published: seen at ns1, ns2'],
  [publication('published', [['ns1', 'seen', '', 640], ['ns2', 'seen', '', 120], ['ns3', 'seen', '', 80]]),                        'published: seen at ns1, ns2, ns3 (0.6 s after good)'],
  [publication('published', [['ns1', 'seen'], ['ns2', 'silent'], ['ns3', 'lame']]),   'published: seen at ns1; ns2 does not answer; ns3 does not answer for the zone'],
  [publication('pending', [['ns1', 'seen', '', 640], ['ns2', 'old', A]]),       'published: seen at ns1, not yet at ns2'],
  [publication('pending', [['ns1', 'missing'], ['ns2', 'other', C], ['ns3', 'silent']]), 'accepted, not yet at ns1, ns2; ns3 does not answer'],
  [publication('stale', [['ns1', 'old', A], ['ns2', 'old', B]]),                      'accepted, but ns1, ns2 still give 192.0.2.1'],
  [publication('stale', [['ns1', 'seen'], ['ns2', 'old', A]]),                        'published: seen at ns1, but ns2 still gives 192.0.2.1'],
  [publication('stale', [['ns1', 'missing'], ['ns2', 'old', A]]),                     'accepted, but ns1 has no IPv4 address for it; ns2 still gives 192.0.2.1'],
  [publication('stale', [['ns1', 'missing'], ['ns2', 'missing']]),                    'accepted, but ns1, ns2 have no IPv4 address for it'],
  [publication('different', [['ns1', 'other', C]]),                                   'accepted, but ns1 gives 203.0.113.9'],
  [publication('different', [['ns1', 'alias'], ['ns2', 'alias']]),                    'accepted, but ns1, ns2 say that it is an alias (CNAME)'],
  [publication('different', [['ns1', 'other', '192.0.2.1 192.0.2.2']]),                'accepted, but ns1 gives 192.0.2.1 and 192.0.2.2'],
  [publication('different', [['ns1', 'other', '192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.6']]), 'accepted, but ns1 gives 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4 and 2 more'],
  [publication('unverified', [['ns1', 'silent'], ['ns2', 'silent']]),                 'not verified: ns1, ns2 do not answer'],
  [publication('unverified', [], { because: 'no zone' }),                             'not verified: no zone'],
])('%#: %s', (given, text) => {
  expect(formatPublication(given)).toBe(text)
})

it('a family without an answer is named', () => {
  const server = (name: string, finding: ServerFinding, unanswered: readonly ('v4' | 'v6')[]) => ({
    server: name,
    finding,
    family: null,
    addresses: [],
    unanswered,
    took: null,
  })
  const servers = [server('ns1', 'seen', ['v6']), server('ns2', 'seen', ['v6']), server('ns3', 'seen', [])]
  expect(formatPublication({ state: 'published', servers, because: null })).toBe(
    'published: seen at ns1, ns2, ns3; ns1, ns2 do not answer for IPv6',
  )
})
