import { describe, expect, it } from 'vitest'
import { hours, milliseconds, minutes } from '../../../src/base/time.ts'
import { diagnose, type Evidence, sayDiagnoses } from '../../../src/client/report/diagnose.ts'
import { type SourceAnswer, saySurvey, survey } from '../../../src/client/report/survey.ts'
import type { Vantage } from '../../../src/client/sources/source.ts'
import { type Address, type Family, familyOf, parseAddress } from '../../../src/net/address.ts'
import type { Sighting } from '../../../src/net/sighting.ts'

const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}
const seen = (text: string): Sighting => ({ kind: 'seen', address: address(text), by: 'x' })
const LOST: Sighting = { kind: 'unknown', because: 'did not answer' }

const answer = (name: string, vantage: Vantage, sighting: Sighting, family: Family = 'v4'): SourceAnswer => ({
  source: { name, operator: name, vantage },
  family: sighting.kind === 'seen' ? familyOf(sighting.address) : family,
  sighting,
  took: milliseconds(12.4),
})

const WELL: Evidence = {
  answers: [answer('router', 'router', seen('8.8.8.8')), answer('x', 'outside', seen('8.8.8.8'))],
  agreed: { v4: address('8.8.8.8') },
  hasGateway: true,
  names: [{ host: 'a.test', wasFound: true }],
  pages: [{ url: 'http://a.test/', isPage: false }],
  clockAhead: minutes(1),
  isBeforeRelease: false,
}

const outside = answer('x', 'outside', seen('8.8.8.8'))
const instead = (text: string): SourceAnswer =>
  answer('router', 'router', { kind: 'none', instead: address(text) })

// biome-ignore format: a table
describe('a diagnosis', () => {
  it.each<[string, Partial<Evidence>, RegExp]>([
    ['no network',     { hasGateway: false, answers: [answer('x', 'outside', LOST)] },                       /no default route/],
    ['captive portal', { pages: [{ url: 'http://a.test/', isPage: true }] },                                 /a\.test\/ answers with a web page/],
    ['captive portal', { pages: [{ url: 'http://a.test/', isPage: false, redirectsTo: 'http://hotel/' }] },  /sends us to http:\/\/hotel\//],
    ['DNS broken',     { names: [{ host: 'a.test', wasFound: false }, { host: 'b.test', wasFound: false }] }, /a\.test, b\.test/],
    ['name not found', { names: [{ host: 'a.test', wasFound: false }, { host: 'b.test', wasFound: true }] },  /^a\.test cannot/],
    ['IPv6 broken',    { answers: [...WELL.answers, answer('interfaces', 'own', seen('2600::1')), answer('x', 'outside', LOST, 'v6')] }, /has 2600::1, but nobody/],
    ['CGNAT',          { answers: [instead('100.64.9.9'), outside] },                                        /100\.64\.9\.9, cgnat: an address that your provider shares.*outside it is 8\.8\.8\.8/],
    ['CGNAT',          { answers: [answer('router', 'router', { kind: 'none' }), outside] },                 /says that it has no public address, the world sees 8\.8\.8\.8: your provider shares/],
    ['double NAT',     { answers: [instead('192.168.1.2'), outside] },                                       /192\.168\.1\.2.*outside it is 8\.8\.8\.8/],
    ['double NAT',     { answers: [answer('router', 'router', seen('9.9.9.9')), outside] },                  /router says 9\.9\.9\.9, the world sees 8\.8\.8\.8/],
    ['clock wrong',    { clockAhead: hours(3) },                                                             /clock is 3h ahead/],
    ['clock wrong',    { clockAhead: milliseconds(-7_200_000) },                                              /clock is 2h behind/],
    ['clock wrong',    { clockAhead: undefined, isBeforeRelease: true },                                     /before this program was made/],
    ['nobody answers', { answers: [answer('x', 'outside', LOST)], agreed: {} },                              /of 1 questions none/],
    ['liar',           { answers: [...WELL.answers, answer('l', 'outside', seen('8.8.4.4'))] },              /l says 8\.8\.4\.4 where others agree on 8\.8\.8\.8/],
  ])('%s', (name, over, says) => {
    const all = diagnose({ ...WELL, ...over })

    expect(all.map((one) => one.name)).toEqual([name])
    expect(all[0]?.evidence).toMatch(says)
    expect(all[0]?.remedy).not.toBe('')
  })

  it('of a network in order is none, and says so', () => {
    expect(diagnose(WELL)).toEqual([])
    expect(sayDiagnoses([])).toEqual(['nothing is wrong with this network that Holdfast can see'])
  })
})

describe('a survey', () => {
  const found = survey(
    [
      answer('router', 'router', seen('8.8.8.8')),
      answer('x', 'outside', seen('8.8.8.8')),
      answer('l', 'outside', seen('8.8.4.4')),
      answer('y', 'outside', LOST),
      answer('interfaces', 'own', { kind: 'none' }, 'v6'),
    ],
    { v4: 2, v6: 1 },
  )

  it('weighs each answer', () =>
    expect(found.sources.map(({ source, verdict }) => [source, verdict])).toEqual([
      ['router', 'agrees'],
      ['x', 'agrees'],
      ['l', 'differs'],
      ['y', 'no answer'],
      ['interfaces', 'no address'],
    ]))

  it('is a table for people, and says what it comes to', () =>
    expect(saySurvey(found)).toEqual([
      'source      operator    family  answer          time   verdict',
      'router      router      IPv4    8.8.8.8         12 ms  agrees',
      'x           x           IPv4    8.8.8.8         12 ms  agrees',
      'l           l           IPv4    8.8.4.4         12 ms  differs',
      'y           y           IPv4    did not answer  12 ms  no answer',
      'interfaces  interfaces  IPv6    none            12 ms  no address',
      '',
      'IPv4: 8.8.8.8 (router and x agree)',
      'IPv6: no address (nobody who could tell saw one)',
    ]))

  it('without two that agree says that two are needed', () => {
    const alone = survey([answer('x', 'outside', seen('8.8.8.8'))], { v4: 2 })

    expect(alone.conclusions).toEqual([
      { family: 'v4', address: null, because: 'no two agree, and a changed address needs two' },
    ])
    expect(alone.sources[0]?.verdict).toBe('alone')
  })
})
