import { describe, expect, it } from 'vitest'
import { hours, milliseconds, minutes } from '../../../src/shared/base/time.ts'
import { diagnose, type Evidence, formatDiagnoses } from '../../../src/client/report/diagnose.ts'
import type { SourceAnswer } from '../../../src/client/detect/survey.ts'
import { address } from '../../fakes/address.ts'
import { answer, LOST, seen } from './answers.ts'

const HEALTHY: Evidence = {
  answers: [answer('router', 'router', seen('8.8.8.8')), answer('x', 'outside', seen('8.8.8.8'))],
  agreed: { v4: address('8.8.8.8') },
  hasGateway: true,
  names: [{ host: 'a.test', isFound: true }],
  pages: [{ url: 'http://a.test/', isPage: false }],
  clockAhead: minutes(1),
  isBeforeRelease: false,
}

const outside = answer('x', 'outside', seen('8.8.8.8'))
const instead = (text: string): SourceAnswer =>
  answer('router', 'router', { kind: 'none', instead: address(text) })

const own = (text: string): SourceAnswer =>
  answer('interfaces', 'own', { kind: 'none', instead: address(text) })

// biome-ignore format: a table
describe('the diagnosis', () => {
  it.each<[string, Partial<Evidence>, RegExp]>([
    ['another line', { elsewhere: 'wg0', agreed: {} },                                        /through wg0, .* cannot be confirmed/],
    ['another line', { elsewhere: 'wg0', answers: [outside] },                                /outside services see 8\.8\.8\.8/],
    ['another line', { elsewhere: 'wg0' },                                                    /through wg0, .* has 8\.8\.8\.8/],
    ['another router', { isBehindSecond: true },                                                             /a router beyond the first one answers at 8\.8\.8\.8/],
    ['no network',     { hasGateway: false, answers: [answer('x', 'outside', LOST)] },                       /no default route/],
    ['captive portal', { pages: [{ url: 'http://a.test/', isPage: true }, { url: 'https://b.test/', isPage: false }], agreed: {} },                          /a\.test\/ answers with a web page/],
    ['captive portal', { pages: [{ url: 'http://a.test/', isPage: false, redirectsTo: 'http://hotel/' }], agreed: {} },  /redirects to http:\/\/hotel\//],
    ['DNS broken',     { names: [{ host: 'a.test', isFound: false }, { host: 'b.test', isFound: false }] }, /a\.test, b\.test/],
    ['name not found', { names: [{ host: 'a.test', isFound: false }, { host: 'b.test', isFound: true }] },  /^a\.test cannot be resolved/],
    ['name not found', { names: [{ host: 'a.test', isFound: false }, { host: 'b.test', isFound: true, isDefault: true }] },  /^a\.test cannot be resolved/],
    ['no answer',      { names: [{ host: 'a.test', isFound: false }], answers: [answer('router', 'router', seen('8.8.8.8')), answer('dns:x@1.1.1.1', 'outside', LOST)] }, /none of 1 queries to outside services/],
    ['IPv6 broken',    { answers: [...HEALTHY.answers, answer('interfaces', 'own', seen('2600::1')), answer('x', 'outside', LOST, 'v6')] }, /has 2600::1, but no outside source/],
    ['CGNAT',          { answers: [instead('100.64.9.9'), outside] },                                        /100\.64\.9\.9, an address inside the network of your provider.*outside sources see 8\.8\.8\.8/],
    ['CGNAT or double NAT', { answers: [answer('router', 'router', { kind: 'none' }), outside] },            /reports no public address, but outside sources see 8\.8\.8\.8: the provider shares/],
    ['DS-Lite',        { answers: [instead('192.0.0.2'), outside] },                                         /^the router has 192\.0\.0\.2: IPv4 travels .*outside sources see 8\.8\.8\.8/],
    ['DS-Lite',        { answers: [own('192.0.0.2'), outside] },                                             /^this host has 192\.0\.0\.2/],
    ['464XLAT',        { answers: [own('192.0.0.4'), outside] },                                             /^this host has 192\.0\.0\.4/],
    ['CGNAT',          { answers: [own('100.64.9.9'), outside] },                                            /^this host has 100\.64\.9\.9, an address inside the network of your provider/],
    ['double NAT',     { answers: [instead('192.168.1.2'), outside] },                                       /192\.168\.1\.2.*outside sources see 8\.8\.8\.8/],
    ['double NAT or a wrong word', { answers: [answer('router', 'router', seen('9.9.9.9')), outside] },                  /router reports 9\.9\.9\.9, but outside sources see 8\.8\.8\.8/],
    ['clock wrong',    { clockAhead: hours(3) },                                                             /clock is 3h ahead/],
    ['clock wrong',    { clockAhead: milliseconds(-7_200_000) },                                              /clock is 2h behind/],
    ['clock wrong',    { clockAhead: undefined, isBeforeRelease: true },                                     /before the release of this program/],
    ['no answer',      { answers: [answer('x', 'outside', LOST)], agreed: {} },                              /none of 1 queries/],
    ['source disagrees', { answers: [...HEALTHY.answers, answer('l', 'outside', seen('8.8.4.4'))] },              /l reports 8\.8\.4\.4, but other sources agree on 8\.8\.8\.8/],
  ])('names the problem, its evidence and a remedy: %s', (name, over, evidence) => {
    const all = diagnose({ ...HEALTHY, ...over })

    expect(all.map((one) => one.name)).toEqual([name])
    expect(all[0]?.evidence).toMatch(evidence)
    expect(all[0]?.remedy).not.toBe('')
  })

  it('says nothing of a name of the default sources that a DNS blocker hides', () => {
    const names = [
      { host: 'a.test', isFound: false, isDefault: true },
      { host: 'b.test', isFound: true },
    ] as const
    expect(diagnose({ ...HEALTHY, names })).toEqual([])
  })

  it('of a network without problems is empty', () => {
    expect(diagnose(HEALTHY)).toEqual([])
    expect(formatDiagnoses([])).toEqual(['Holdfast found no problem'])
  })
})
