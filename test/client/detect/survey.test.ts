import { describe, expect, it } from 'vitest'
import { formatSurvey, survey } from '../../../src/client/detect/survey.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { answer, LOST, seen } from '../report/answers.ts'

describe('a survey', () => {
  const found = survey(
    [
      answer('router', 'router', seen('8.8.8.8')),
      answer('x', 'outside', seen('8.8.8.8')),
      answer('l', 'outside', seen('8.8.4.4')),
      answer('y', 'outside', LOST),
      answer('interfaces', 'own', { kind: 'none' }, 'v6'),
    ],
    [
      { family: 'v4', quorum: 2 },
      { family: 'v6', quorum: 1 },
    ],
  )

  it('gives a verdict on each answer', () =>
    expect(found.sources.map(({ source, verdict }) => [source, verdict])).toEqual([
      ['router', 'agrees'],
      ['x', 'agrees'],
      ['l', 'differs'],
      ['y', 'no answer'],
      ['interfaces', 'no address'],
    ]))

  it('is formatted as a table with the result for each family', () =>
    expect(formatSurvey(found)).toEqual([
      'source      operator    family  answer          time   verdict',
      'router      router      IPv4    8.8.8.8         12 ms  agrees',
      'x           x           IPv4    8.8.8.8         12 ms  agrees',
      'l           l           IPv4    8.8.4.4         12 ms  differs',
      'y           y           IPv4    did not answer  12 ms  no answer',
      'interfaces  interfaces  IPv6    none            12 ms  no address',
      '',
      'IPv4: 8.8.8.8 (router and x agree)',
      'IPv6: no address (no source sees an address of this family)',
    ]))

  it('without two sources that agree has no address', () => {
    const alone = survey([answer('x', 'outside', seen('8.8.8.8'))], [{ family: 'v4', quorum: 2 }])

    expect(alone.conclusions).toEqual([
      { family: 'v4', address: null, because: 'no two sources agree, and a new address needs two' },
    ])
    expect(alone.sources[0]?.verdict).toBe('alone')
  })

  it('names a single source that is enough', () =>
    expect(
      survey([answer('x', 'outside', seen('8.8.8.8'))], [{ family: 'v4', quorum: 1 }]).conclusions,
    ).toMatchObject([{ address: '8.8.8.8', because: 'reported by x' }]))

  it('without an address says that no source answered with one', () =>
    expect(survey([answer('x', 'outside', LOST)], [{ family: 'v4', quorum: 2 }]).conclusions).toMatchObject([
      { address: null, because: 'no source answered with an address' },
    ]))

  it.each([
    [
      'a published one that the router still reports is the address',
      ['8.8.8.8'],
      '8.8.8.8',
      'reported by router',
    ],
    ['the exit is not the address', [], null, 'outside services see 9.9.9.9, which is not this line'],
  ] as const)('behind a VPN: %s', (_, published, address, because) => {
    const uplink = { published: published as readonly Address[], isElsewhere: true, isProven: false }
    const answers = [
      answer('router', 'router', seen('8.8.8.8')),
      answer('x', 'outside', seen('9.9.9.9')),
      answer('y', 'outside', seen('9.9.9.9')),
    ]
    expect(survey(answers, [{ family: 'v4', quorum: 2, uplink }]).conclusions).toEqual([
      { family: 'v4', address, because },
    ])
  })
})
