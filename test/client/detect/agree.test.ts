import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AgreementQuestion, agree, quorumOf, type SourceVote } from '../../../src/client/detect/agree.ts'
import type { Vantage } from '../../../src/client/sources/source.ts'
import { type Address, parseAddress } from '../../../src/net/address.ts'
import type { Sighting } from '../../../src/net/sighting.ts'

const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}
const [A, B, C] = ['8.8.8.8', '9.9.9.9', '1.1.1.1'].map(address) as [Address, Address, Address]

/** "router A", "x B": who says what; x, y and z are outside operators, x2 is another voice of x. */
function votesOf(text: string): readonly SourceVote[] {
  return text
    .split(', ')
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', said = ''] = one.split(' ')
      const near: Record<string, Vantage> = { router: 'router', own: 'own', you: 'chosen' }
      const vantage = near[name] ?? 'outside'
      const named: Record<string, Address> = { A, B, C }
      const sighting: Sighting =
        said === 'none'
          ? { kind: 'none' }
          : said === '?'
            ? { kind: 'unknown', because: 'rain' }
            : { kind: 'seen', address: named[said] ?? address(said), by: name }
      return { source: { name, operator: name.replace(/\d$/, ''), vantage }, sighting }
    })
}

const ask = (votes: string, over: Partial<AgreementQuestion> = {}): string => {
  const verdict = agree(votesOf(votes), {
    family: 'v4',
    quorum: 2,
    hint: 'no',
    hasOwn: votes.includes('own'),
    ...over,
  })
  if (verdict.kind !== 'agreed') return verdict.kind
  const against = verdict.against.map(({ source }) => source.name)
  const name = { [A]: 'A', [B]: 'B', [C]: 'C' }[verdict.address] ?? verdict.address
  return [name, ...against.map((one) => `not ${one}`)].join(' ')
}

describe('a new address', () => {
  // biome-ignore format: a table
  it.each([
    ['router A',                        'open'],
    ['router A, x A',                   'A'],
    ['own A, x A',                      'A'],
    ['router A, own A',                 'open'],       // both are near: neither sees what the world sees
    ['x A',                             'open'],
    ['x A, y A',                        'A'],
    ['x A, x2 A',                       'open'],       // one operator, one voice
    ['x A, y B',                        'open'],
    ['x A, y B, z A',                   'A not y'],
    ['x A, y B, z C',                   'open'],
    ['x A, y A, z B, w B',              'open'],
    ['router A, x B',                   'open'],
    ['router A, x B, y B',              'B'],          // the router is behind another one
    ['router A, x B, y A',              'A not x'],
    ['router none, x A, y A',           'A'],
    ['router none, x A',                'open'],
    ['you A',                           'A'],
    ['you A, x B, y B',                 'A'],          // the user's own word
    ['x ?, y A, z ?',                   'open'],
    ['own none',                        'none'],
    ['own none, x none',                'none'],
    ['own none, x ?',                   'open'],       // somebody could not tell
    ['',                                'open'],
  ])('%s: %s', (votes, says) => expect(ask(votes)).toBe(says))
})

describe('the address that is published', () => {
  // biome-ignore format: a table
  it.each<[AgreementQuestion['hint'], string, string]>([
    ['no',      'x A',                 'A'],
    ['no',      'router A',            'A'],
    ['hinted',  'router A',            'A'],
    ['hinted',  'x A',                 'open'],
    ['hinted',  'x A, y A',            'A'],
    ['doubted', 'router A',            'open'],
    ['doubted', 'router A, x A',       'A'],
    ['doubted', 'router A, x B',       'open'],
    ['doubted', 'router A, x B, y B',  'B'],
    ['no',      'x B',                 'open'],
    ['no',      'router B, x B',       'B'],
  ])('%s: %s gives %s', (hint, votes, says) => expect(ask(votes, { previous: A, hint })).toBe(says))
})

describe('over IPv6', () => {
  const v6 = (votes: string): string => ask(votes, { family: 'v6' })

  it('the outside sees a temporary address of the same network, and the stable one is published', () =>
    expect(v6('own 2600:0:0:1::1, x 2600::1:dead:beef:0:2')).toBe('2600:0:0:1::1'))

  it('a temporary address that is usable before the stable one is not published', () => {
    expect(v6('own none, x 2600::1, y 2600::1')).toBe('open')
    expect(ask('x 2600::1, y 2600::1', { family: 'v6', hasOwn: true })).toBe('open')
    expect(v6('x 2600::1, y 2600::1')).toBe('2600::1')
  })

  const several = (
    others: readonly string[],
    outside: string,
    over: Partial<AgreementQuestion> = {},
  ): string => {
    const [first = A, ...rest] = others.map(address)
    const own: SourceVote = {
      source: { name: 'own', operator: 'this host', vantage: 'own' },
      sighting: { kind: 'seen', address: first, by: 'own', others: rest },
    }
    const verdict = agree([own, ...votesOf(outside)], {
      family: 'v6',
      quorum: 2,
      hint: 'no',
      hasOwn: true,
      ...over,
    })
    return verdict.kind === 'agreed' ? verdict.address : verdict.kind
  }

  it('of several addresses the one is published whose network the outside sees, however they are ranked', () => {
    expect(several(['2001:470::1', '2a0d::1'], 'x 2a0d::abcd')).toBe('2a0d::1')
    expect(several(['2a0d::1', '2001:470::1'], 'x 2a0d::abcd')).toBe('2a0d::1')
    expect(several(['2001:470::1', '2a0d::1'], '')).toBe('open')
  })

  it('the old one of several is not kept by this host alone once the kernel sends from another network', () => {
    const [old, kernels] = ['2001:470::1', '2a0d::1']
    for (const hint of ['no', 'hinted'] as const) {
      expect(several([kernels, old], '', { previous: address(old), hint })).toBe('open')
      expect(several([kernels, old], 'x 2a0d::abcd', { previous: address(old), hint })).toBe(kernels)
      expect(several([kernels, old], 'x 2001:470::abcd', { previous: address(old), hint })).toBe(old)
    }
  })

  it('of several addresses that nothing outside tells apart the best ranked is taken, and in its network the one before', () => {
    expect(several(['2001:470::1', '2a0d::1'], '', { quorum: 1 })).toBe('2001:470::1')
    expect(several(['2001:470::1', '2001:470::2'], '', { quorum: 1, previous: address('2001:470::2') })).toBe(
      '2001:470::2',
    )
  })

  it('an address that came in while the network of the kernel was away is left when that is back', () => {
    const previous = address('2001:470::1')
    expect(several(['2a0d::1', '2001:470::1'], '', { quorum: 1, previous })).toBe('2a0d::1')
  })

  it('an interface that only stands in for another needs a voice from outside', () => {
    const own = (isSubstitute: boolean): SourceVote => ({
      source: { name: 'own', operator: 'own', vantage: 'own' },
      sighting: {
        kind: 'seen',
        address: address('2600::1'),
        by: 'own',
        ...(isSubstitute && { isSubstitute }),
      },
    })
    const question: AgreementQuestion = { family: 'v6', quorum: 1, hint: 'doubted', hasOwn: true }

    expect(agree([own(false)], question).kind).toBe('agreed')
    expect(agree([own(true)], question).kind).toBe('open')
    expect(agree([own(true), ...votesOf('x 2600::9')], question).kind).toBe('agreed')
  })

  it('what the outside sees in another network is no address of this host', () =>
    expect(v6('own 2600::1, x 2a00::1, y 2a00::1')).toBe('open'))
})

describe('a VPN', () => {
  const line = { published: [A], isElsewhere: false, isProven: true }
  const verdictOn = (votes: string, over: Partial<AgreementQuestion>): string => {
    const verdict = agree(votesOf(votes), {
      family: 'v4',
      quorum: 2,
      hint: 'doubted',
      hasOwn: false,
      ...over,
    })
    const name =
      verdict.kind === 'agreed' ? ({ [A]: 'A', [B]: 'B', [C]: 'C' }[verdict.address] ?? '') : verdict.kind
    return `${name}${verdict.kind !== 'none' && verdict.isElsewhere ? ' elsewhere' : ''}`
  }
  const through = { ...line, isElsewhere: true }

  // biome-ignore format: a table
  it.each<[string, Partial<AgreementQuestion>, string, string]>([
    ['the exit is not published while the router states what is published',     { uplink: line, previous: A },  'router A, x B, y B',   'A elsewhere'],
    ['nor while an interface does',                                             { uplink: line, previous: A },  'own A, x B, y B',      'A elsewhere'],
    ['nor after a restart, when only the state file knows what is published',   { uplink: line },               'router A, x B, y B',   'A elsewhere'],
    ['the exit is published where the router states nothing',                   { uplink: line, previous: A },  'router ?, x B, y B',   'B'],
    ['the exit is published where the user wants it',                           { previous: A },        'router A, x B, y B',   'B'],
    ['a router behind another one is not taken for one',                        { uplink: { ...line, published: [] } }, 'router C, x B, y B', 'B'],
    ['a new address of a proven router is published without the outside',       { uplink: through, previous: A }, 'router C, x B, y B', 'C elsewhere'],
    ['even before the outside has answered',                                    { uplink: through, previous: A }, 'router C',  'C elsewhere'],
    ['but not one of a router that was never right',                            { uplink: { ...through, published: [], isProven: false } }, 'router C, x B, y B', 'open elsewhere'],
    ['a new address of the router is published while the outside sees the line that it saw before', { uplink: { ...line, foreign: B }, previous: A }, 'router C, x B, y B', 'C elsewhere'],
    ['with the line away, the tunnel is not put in its place',                  { uplink: through, previous: A },  'router ?, x B, y B', 'open elsewhere'],
    ['nor beside what is published',                                            { uplink: { ...through, published: [], isVpn: true } }, 'x B, y B', 'open elsewhere'],
    ['where a tunnel is all there is, its address is published',                { uplink: { ...through, published: [], isProven: false } }, 'x B, y B', 'B'],
    ['and goes on being published',                                             { uplink: { ...through, published: [B] }, previous: B }, 'x B, y B', 'B'],
    ['a change that the outside confirms is a change',                          { uplink: line, previous: A },  'router C, x C',        'C'],
  ])('%s', (_, over, votes, says) => expect(verdictOn(votes, over)).toBe(says))

  it('over IPv6 keeps the address of the home line, and not the one of the tunnel', () => {
    const [home, tunnel] = [address('2a0d::1'), address('2001:470::1')]
    const own: SourceVote = {
      source: { name: 'own', operator: 'this host', vantage: 'own' },
      sighting: { kind: 'seen', address: tunnel, by: 'own', others: [home], tunnels: [tunnel] },
    }
    const votes = [own, ...votesOf('x 2001:470::abcd, y 2001:470::abcd')]
    const question = { family: 'v6', quorum: 2, hint: 'doubted', hasOwn: true } as const

    expect(
      agree(votes, { ...question, uplink: { published: [home], isElsewhere: true, isProven: false } }),
    ).toMatchObject({ address: home })
    expect(
      agree(votes, { ...question, uplink: { published: [tunnel], isElsewhere: false, isProven: true } }),
    ).toMatchObject({ kind: 'agreed', address: tunnel })
    expect(agree(votes, question)).toMatchObject({ address: tunnel })
  })
})

describe('one voice is enough', () => {
  it('where the router or an interface is all that there is', () =>
    expect(
      quorumOf(
        [
          { operator: 'your router', families: ['v4'], vantage: 'router' },
          { operator: 'this host', families: ['v4'], vantage: 'own' },
        ],
        'v4',
      ),
    ).toBe(1))

  it('where the user says so', () => expect(ask('x A', { quorum: 1 })).toBe('A'))

  it.each([
    [['x', 'y'], 2],
    [['x', 'x'], 1],
    [['x'], 1],
    [[], 1],
    [['x', 'y', 'z'], 2],
  ])('where there is no more to be had: %j need %i', (operators, quorum) =>
    expect(
      quorumOf(
        operators.map((operator) => ({
          operator,
          families: ['v4'] as const,
          vantage: 'outside' as const,
        })),
        'v4',
      ),
    ).toBe(quorum),
  )
})

it('a minority of liars is never believed, whatever they say and in whatever order', () => {
  const said = fc.constantFrom('B', 'C', '?', 'none')
  fc.assert(
    fc.property(
      fc.array(said, { maxLength: 4 }),
      fc.nat({ max: 4 }),
      fc.boolean(),
      fc.array(fc.double({ noNaN: true }), { minLength: 12, maxLength: 12 }),
      (lies, more, hasRouter, random) => {
        const honest = Array.from({ length: lies.length + 1 + more }, (_, n) => `h${'abcdefghi'[n]} A`)
        const votes = [
          ...lies.map((lie, n) => `l${'abcdefghi'[n]} ${lie}`),
          ...honest,
          ...(hasRouter ? ['router A'] : []),
        ]
        const order = votes.toSorted(
          (a, b) => (random[votes.indexOf(a)] ?? 0) - (random[votes.indexOf(b)] ?? 0),
        )
        // In the end the truth, and the liars by name.
        const end = ask(order.join(', '))
        if (honest.length + (hasRouter ? 1 : 0) >= 2) expect(end.split(' ')[0]).toBe('A')
        expect(['A', 'open']).toContain(end.split(' ')[0])
      },
    ),
    { numRuns: 2000 },
  )
})
