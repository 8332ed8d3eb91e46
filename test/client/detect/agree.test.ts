import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import {
  type Agreement,
  type AgreementQuestion,
  agree,
  quorumOf,
  type SourceVote,
  type UplinkView,
} from '../../../src/client/detect/agree.ts'
import type { Vantage } from '../../../src/client/detect/sources/source.ts'
import { type Address, parseAddress } from '../../../src/shared/base/address.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'

const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is not an address`)
  return parsed
}
const [A, B, C] = ['8.8.8.8', '9.9.9.9', '1.1.1.1'].map(address) as [Address, Address, Address]

/** "router A", "x B": a source and its answer; x, y and z are outside operators, x2 is a second source of x, early a new router. */
function votesOf(text: string): readonly SourceVote[] {
  return text
    .split(', ')
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', answer = ''] = one.split(' ')
      const near: Record<string, Vantage> = { router: 'router', early: 'router', own: 'own', you: 'chosen' }
      const vantage = near[name] ?? 'outside'
      const named: Record<string, Address> = { A, B, C }
      const sighting: Sighting =
        answer === 'none'
          ? { kind: 'none' }
          : answer === '?'
            ? { kind: 'unknown', because: 'no answer' }
            : {
                kind: 'seen',
                address: named[answer] ?? address(answer),
                by: name,
                ...(name === 'early' && { isEarly: true }),
              }
      return { source: { name, operator: name.replace(/\d$/, ''), vantage }, sighting }
    })
}

const ask = (votes: string, over: Partial<AgreementQuestion> = {}): string => {
  const agreement = agree(votesOf(votes), {
    family: 'v4',
    quorum: 2,
    hint: 'no',
    hasOwn: votes.includes('own'),
    ...over,
  })
  if (agreement.kind !== 'agreed') return agreement.kind
  const against = agreement.against.map(({ source }) => source.name)
  const name = { [A]: 'A', [B]: 'B', [C]: 'C' }[agreement.address] ?? agreement.address
  return [name, ...against.map((one) => `not ${one}`)].join(' ')
}

it.each<[string, Partial<AgreementQuestion>, string]>([
  ['router none', { hasOutside: true }, 'open'],
  ['router none', { hasOutside: false }, 'none'],
  ['own none, router none', { hasOutside: true, family: 'v6' }, 'none'],
  ['own none', { hasOutside: true, family: 'v4' }, 'open'],
])('without a word from outside, %s with %o is %s', (votes, over, expected) =>
  expect(ask(votes, over)).toBe(expected),
)

describe('a new address needs a quorum', () => {
  // biome-ignore format: a table
  it.each([
    ['router A',                        'open'],
    ['router A, x A',                   'A'],
    ['own A, x A',                      'A'],
    ['router A, own A',                 'open'],       // both are near: neither sees the address that outside services see
    ['x A',                             'open'],
    ['x A, y A',                        'A'],
    ['x A, x2 A',                       'open'],       // one operator counts once
    ['x A, y B',                        'open'],
    ['x A, y B, z A',                   'A not y'],
    ['x A, y B, z C',                   'open'],
    ['x A, y A, z B, w B',              'open'],
    ['router A, x B',                   'open'],
    ['router A, x B, y B',              'B'],          // another router is in front of the router
    ['router A, x B, y A',              'A not x'],
    ['router none, x A, y A',           'A'],
    ['router none, x A',                'open'],
    ['you A',                           'A'],
    ['you A, x B, y B',                 'A'],          // configured by the user
    ['x ?, y A, z ?',                   'open'],
    ['own none',                        'none'],
    ['own none, x none',                'none'],
    ['own none, x ?',                   'open'],       // a failed source may have an address
    ['',                                'open'],
  ])('%s: %s', (votes, result) => expect(ask(votes)).toBe(result))
})

describe('the previous address by hint level', () => {
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
    ['no',      'router B, own A',     'A'],
  ])('%s: %s gives %s', (hint, votes, result) => expect(ask(votes, { previous: A, hint })).toBe(result))
})

describe('a router that has just started', () => {
  const uplink = { published: [A], isElsewhere: false, isProven: true } as const
  // biome-ignore format: a table
  it.each<[string, Partial<UplinkView>, string]>([
    ['early A, x B, y B',  {},                    'B'],
    ['router A, x B, y B', {},                    'A'],
    ['early A',            {},                    'open'],
    ['early A, x B',       {},                    'open'],
    ['early A, x A',       {},                    'A'],
    ['early A, x B, x2 B', {},                    'open'],
    ['early A, x B, y B',  { isElsewhere: true }, 'open'],
    ['early A, x B, y B',  { foreign: B },        'open'],
    ['early C, x B, y B',  { isElsewhere: true }, 'C'],
    ['own A, x B, y B',    { isElsewhere: true }, 'A'],
  ])('%s with %o is %s', (votes, over, result) =>
    expect(ask(votes, { previous: A, hint: 'hinted', uplink: { ...uplink, ...over } })).toBe(result),
  )
})

describe('over IPv6', () => {
  const v6 = (votes: string): string => ask(votes, { family: 'v6' })

  it('an outside vote for a temporary address confirms the stable one of the same network', () =>
    expect(v6('own 2600:0:0:1::1, x 2600::1:dead:beef:0:2')).toBe('2600:0:0:1::1'))

  it('outside votes without an address of this host stay open', () => {
    expect(v6('own none, x 2600::1, y 2600::1')).toBe('open')
    expect(ask('x 2600::1, y 2600::1', { family: 'v6', hasOwn: true })).toBe('open')
    expect(v6('x 2600::1, y 2600::1')).toBe('2600::1')
  })

  it('two addresses of one network are different ones where no interface is asked', () =>
    expect(v6('x 2600::1, y 2600::2')).toBe('open'))

  it('the neighbouring network is another one', () => expect(v6('own 2600:0:0:1::1, x 2600::2')).toBe('open'))

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
    const agreement = agree([own, ...votesOf(outside)], {
      family: 'v6',
      quorum: 2,
      hint: 'no',
      hasOwn: true,
      ...over,
    })
    return agreement.kind === 'agreed' ? agreement.address : agreement.kind
  }

  it('of several addresses, outside votes select the network, whatever the rank', () => {
    expect(several(['2001:470::1', '2a0d::1'], 'x 2a0d::abcd')).toBe('2a0d::1')
    expect(several(['2a0d::1', '2001:470::1'], 'x 2a0d::abcd')).toBe('2a0d::1')
    expect(several(['2001:470::1', '2a0d::1'], '')).toBe('open')
    expect(several(['2001:470::1', '2a0d::1'], 'x 2001:470::abcd, y 2a0d::abcd')).toBe('open')
  })

  it('of several addresses, the previous one needs an outside vote once the kernel sends from another network', () => {
    const [old, kernels] = ['2001:470::1', '2a0d::1']
    for (const hint of ['no', 'hinted'] as const) {
      expect(several([kernels, old], '', { previous: address(old), hint })).toBe('open')
      expect(several([kernels, old], 'x 2a0d::abcd', { previous: address(old), hint })).toBe(kernels)
      expect(several([kernels, old], 'x 2001:470::abcd', { previous: address(old), hint })).toBe(old)
    }
  })

  it('of several addresses without outside votes, the best network is selected, and in it the previous address', () => {
    expect(several(['2001:470::1', '2a0d::1'], '', { quorum: 1 })).toBe('2001:470::1')
    expect(several(['2001:470::1', '2001:470::2'], '', { quorum: 1, previous: address('2001:470::2') })).toBe(
      '2001:470::2',
    )
  })

  it('a substitute is replaced when the network that the kernel sends from returns', () => {
    const previous = address('2001:470::1')
    expect(several(['2a0d::1', '2001:470::1'], '', { quorum: 1, previous })).toBe('2a0d::1')
  })

  it('a substitute interface needs an outside vote', () => {
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
    expect(agree([own(true), ...votesOf('router 2600::1')], question).kind).toBe('agreed')
  })

  it('an outside vote in another network is not an address of this host', () =>
    expect(v6('own 2600::1, x 2a00::1, y 2a00::1')).toBe('open'))
})

describe('a VPN', () => {
  const uplink = { published: [A], isElsewhere: false, isProven: true }
  const named = (agreement: Agreement): string => {
    const name =
      agreement.kind === 'agreed'
        ? ({ [A]: 'A', [B]: 'B', [C]: 'C' }[agreement.address] ?? '')
        : agreement.kind
    return `${name}${agreement.kind !== 'none' && agreement.isElsewhere ? ' elsewhere' : ''}`
  }
  const resultOf = (votes: string, over: Partial<AgreementQuestion>): string => {
    const agreement = agree(votesOf(votes), {
      family: 'v4',
      quorum: 2,
      hint: 'doubted',
      hasOwn: false,
      ...over,
    })
    return named(agreement)
  }
  const through = { ...uplink, isElsewhere: true }

  it.each([
    ['is believed where it answered until then', false, 'agreed'],
    ['is not believed after it did not answer: it may be an old one', true, 'open'],
  ] as const)('a new address of a router with a new epoch %s', (_, isInterrupted, kind) => {
    const question = { family: 'v4', quorum: 2, hint: 'doubted', hasOwn: false, previous: A } as const
    expect(agree(votesOf('early C'), { ...question, uplink: { ...through, isInterrupted } }).kind).toBe(kind)
  })

  // biome-ignore format: a table
  it.each<[string, Partial<AgreementQuestion>, string, string]>([
    ['the exit is not published while the router reports the published address', { uplink, previous: A },  'router A, x B, y B',   'A elsewhere'],
    ['nor while an interface reports it',                                             { uplink, previous: A },  'own A, x B, y B',      'A elsewhere'],
    ['nor after a restart, when only the state file has the published address',   { uplink },               'router A, x B, y B',   'A elsewhere'],
    ['the exit is published where the router does not answer',                   { uplink, previous: A },  'router ?, x B, y B',   'B'],
    ['the exit is published with allow_vpn',                           { previous: A },        'router A, x B, y B',   'B'],
    ['a second router is not treated as a VPN',                        { uplink: { ...uplink, published: [] } }, 'router C, x B, y B', 'B'],
    ['a new address of a proven router needs no outside vote',       { uplink: through, previous: A }, 'router C, x B, y B', 'C elsewhere'],
    ['even before an outside source has answered',                                    { uplink: through, previous: A }, 'router C',  'C elsewhere'],
    ['a new address of an unproven router stays open',                            { uplink: { ...through, published: [], isProven: false } }, 'router C, x B, y B', 'open elsewhere'],
    ['a new address of the router is published while outside sources see the known other uplink', { uplink: { ...uplink, foreign: B }, previous: A }, 'router C, x B, y B', 'C elsewhere'],
    ['without a near address, the exit does not replace the published address',                  { uplink: through, previous: A },  'router ?, x B, y B', 'open elsewhere'],
    ['nor is it added to another family',                                            { uplink: { ...through, published: [] } }, 'x B, y B', 'open elsewhere'],
    ['an unchanged address of the router is another line than that of a VPN',        { uplink: through, previous: A, hint: 'hinted' }, 'router A',  'A elsewhere'],
    ['also where only the route of IPv6 shows it',        { family: 'v6', uplink: through, previous: A, hint: 'hinted' }, 'own A',  'A elsewhere'],
    ['where no source answers, nothing is known',                     { uplink: through, previous: A },  'router ?, x ?',     'open'],
    ['where nothing is published, neither is what another line shows',                { uplink: { ...through, published: [], isProven: false } }, 'x B, y B', 'open elsewhere'],
    ['what is published stays, also where that line shows it',                                             { uplink: { ...through, published: [B] }, previous: B }, 'x B, y B', 'B'],
    ['or only one of them has answered',                               { uplink: { ...uplink, foreign: B }, previous: A }, 'router C, x B',      'C elsewhere'],
    ['but not while another of them sees a third address',             { uplink: { ...uplink, foreign: B }, previous: A }, 'router C, x B, y 8.8.4.4', 'open'],
    ['a change that an outside source confirms is published',                          { uplink, previous: A },  'router C, x C',        'C'],
    ['and is no other uplink, whatever route the kernel has',          { uplink: through, previous: A },  'router C, x C',        'C'],
  ])('%s', (_, over, votes, result) => expect(resultOf(votes, over)).toBe(result))

  // biome-ignore format: a table
  it.each<[string, string, string]>([
    ['a proven router needs no outside vote where each went into a tunnel', 'router C, x tun0',       'C elsewhere'],
    ['and is confirmed by one that did not',                                'router C, x tun0, y C',  'C'],
    ['a mute router leaves it open',                                        'router ?, x tun0',       'open'],
  ])('that takes single hosts: %s', (_, votes, result) => {
    const stray = { kind: 'unknown', because: 'was asked through tun0', through: 'tun0' } as const
    const made = votesOf(votes.replaceAll('tun0', '?')).map((vote) =>
      vote.source.name === 'x' ? { ...vote, sighting: stray } : vote,
    )
    const question = { family: 'v4', quorum: 2, hint: 'doubted', hasOwn: false, uplink, previous: A } as const
    expect(named(agree(made, question))).toBe(result)
  })

  it.each([
    ['the previous one is kept', B, 'B elsewhere'],
    ['the one that the kernel sends from is kept after a restart', undefined, 'A elsewhere'],
  ])('of two published addresses of this host, %s', (_, previous, result) => {
    const own: SourceVote = {
      source: { name: 'own', operator: 'this host', vantage: 'own' },
      sighting: { kind: 'seen', address: A, by: 'own', others: [B] },
    }
    const agreement = agree([own, ...votesOf('x C, y C')], {
      family: 'v4',
      quorum: 2,
      hint: 'doubted',
      hasOwn: true,
      uplink: { ...uplink, published: [A, B] },
      ...(previous !== undefined && { previous }),
    })
    expect(named(agreement)).toBe(result)
  })

  it('is reported with the address that outside services see, and the source that reports the published one', () =>
    expect(
      agree(votesOf('router A, own C, x A, y B, z B'), {
        family: 'v4',
        quorum: 2,
        hint: 'doubted',
        hasOwn: true,
        uplink,
      }),
    ).toEqual({
      kind: 'agreed',
      address: A,
      by: ['router'],
      against: [],
      hasNear: true,
      isElsewhere: true,
      elsewhere: B,
    }))
})

describe('where the router and an interface report different addresses, and no outside source is asked', () => {
  it.each([
    ['the previous one', B, 'B'],
    ['the first one without a previous one', undefined, 'A'],
    ['the first one where the previous one is not among them', C, 'A'],
  ])('%s is selected', (_, previous, result) =>
    expect(
      ask('own A, router B', { quorum: 1, hint: 'doubted', ...(previous !== undefined && { previous }) }),
    ).toBe(result),
  )
})

describe('the quorum is one', () => {
  it('without outside sources', () =>
    expect(
      quorumOf(
        [
          { operator: 'your router', families: ['v4'], vantage: 'router' },
          { operator: 'this host', families: ['v4'], vantage: 'own' },
        ],
        'v4',
      ),
    ).toBe(1))

  it('where the other operator has no source of the family', () =>
    expect(
      quorumOf(
        [
          { operator: 'x', families: ['v4'], vantage: 'outside' },
          { operator: 'y', families: ['v6'], vantage: 'outside' },
        ],
        'v4',
      ),
    ).toBe(1))

  it('where it is configured', () => expect(ask('x A', { quorum: 1 })).toBe('A'))

  it.each([
    [['x', 'y'], 2],
    [['x', 'x'], 1],
    [['x'], 1],
    [[], 1],
    [['x', 'y', 'z'], 2],
  ])('operators %j: a quorum of %i', (operators, quorum) =>
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

it('a minority of wrong votes never changes the address, in any order', () => {
  const wrongAnswer = fc.constantFrom('B', 'C', '?', 'none')
  fc.assert(
    fc.property(
      fc.array(wrongAnswer, { maxLength: 4 }),
      fc.nat({ max: 4 }),
      fc.boolean(),
      fc.array(fc.double({ noNaN: true }), { minLength: 12, maxLength: 12 }),
      (wrong, more, hasRouter, random) => {
        const honest = Array.from({ length: wrong.length + 1 + more }, (_, n) => `h${'abcdefghi'[n]} A`)
        const votes = [
          ...wrong.map((answer, n) => `l${'abcdefghi'[n]} ${answer}`),
          ...honest,
          ...(hasRouter ? ['router A'] : []),
        ]
        const order = votes.toSorted(
          (a, b) => (random[votes.indexOf(a)] ?? 0) - (random[votes.indexOf(b)] ?? 0),
        )
        const result = ask(order.join(', '))
        if (honest.length + (hasRouter ? 1 : 0) >= 2) expect(result.split(' ')[0]).toBe('A')
        expect(['A', 'open']).toContain(result.split(' ')[0])
      },
    ),
    { numRuns: runs(200) },
  )
})
