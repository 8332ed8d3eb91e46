import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  agree,
  type AgreementQuestion,
  independentOf,
  type SourceVote,
} from '../../../src/client/detect/agree.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { address } from '../../fakes/address.ts'

interface VoteCase {
  readonly id: string
  readonly says: string
  readonly previous?: string
  readonly hint?: AgreementQuestion['hint']
  /** What the router says. */
  readonly near?: string
  readonly votes: readonly { readonly by: string; readonly address: string }[]
  readonly want: string | null
}

const CASES = JSON.parse(
  readFileSync(join(import.meta.dirname, 'vote-cases.json'), 'utf8'),
) as readonly VoteCase[]

const outside = (by: string, text: string, at?: number): SourceVote => {
  const [operator = '', path] = by.split('/')
  return {
    source: {
      name: by,
      operator,
      vantage: 'outside',
      ...(path === 'dns' && { path: 'DNS' }),
      ...(path === 'http' && { path: 'HTTP' }),
    },
    sighting: { kind: 'seen', address: address(text), by },
    ...(at !== undefined && { at: instant(at) }),
  }
}
const router = (text: string): SourceVote => ({
  source: { name: 'router', operator: 'your router', vantage: 'router' },
  sighting: { kind: 'seen', address: address(text), by: 'router' },
})

describe('votes by path', () => {
  it.each(CASES)(
    '$id: $says',
    ({ previous, hint = previous === undefined ? 'doubted' : 'no', near, votes, want }) => {
      const all = [
        ...(near === undefined ? [] : [router(near)]),
        ...votes.map(({ by, address: one }) => outside(by, one)),
      ]
      const agreement = agree(all, {
        family: 'v4',
        quorum: 2,
        hint,
        hasOwn: false,
        ...(previous !== undefined && { previous: address(previous) }),
      })
      expect(agreement.kind === 'agreed' ? agreement.address : null).toBe(want)
    },
  )

  // biome-ignore format: a table
  it.each<[string, readonly string[], number]>([
    ['three name servers',                            ['a/dns', 'b/dns', 'c/dns'],      1],
    ['two sources of one operator',                   ['a/stun', 'a/https'],            1],
    ['a name server and another source of its operator', ['a/dns', 'a/stun'],           1],
    ['a name server and a source of another operator', ['a/dns', 'b/stun'],             2],
    ['a name server and a page without encryption',   ['a/dns', 'b/http'],              2],
    ['two pages without encryption',                  ['a/http', 'b/http'],             1],
    ['nothing',                                       [],                               0],
  ])('%s are %3$i', (_, voters, count) =>
    expect(independentOf(voters.map((by) => outside(by, '9.9.9.9').source))).toBe(count))

  it('an answer that is older by more than a second says nothing against the ones that decide', () => {
    const ask = (age: number) =>
      agree(
        [
          outside('x/dns', '9.9.9.9', 5000 - age),
          outside('a/stun', '8.8.8.8', 5000),
          outside('b/stun', '8.8.8.8', 4000),
        ],
        {
          family: 'v4',
          quorum: 2,
          hint: 'doubted',
          hasOwn: false,
        },
      )
    expect([ask(1000), ask(1001)]).toMatchObject([
      { address: '8.8.8.8', against: [{ source: { name: 'x/dns' } }] },
      { address: '8.8.8.8', against: [] },
    ])
  })
})
