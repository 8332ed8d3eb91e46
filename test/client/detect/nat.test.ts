import { describe, expect, it } from 'vitest'
import type { SourceVote } from '../../../src/client/detect/agree.ts'
import { natOf } from '../../../src/client/detect/nat.ts'
import type { Vantage } from '../../../src/client/detect/sources/source.ts'
import { formatNat } from '../../../src/shared/base/nat.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { address } from '../../fakes/address.ts'

const OUTSIDE = address('8.8.8.8')
const vote = (vantage: Vantage, sighting: Sighting): SourceVote => ({
  source: { name: vantage, operator: vantage, vantage },
  sighting,
})
const router = (sighting: Sighting): SourceVote => vote('router', sighting)
const own = (sighting: Sighting): SourceVote => vote('own', sighting)
const none = (instead?: string): Sighting => ({ kind: 'none', ...(instead && { instead: address(instead) }) })
const seen = (text: string): Sighting => ({ kind: 'seen', address: address(text), by: 'x' })
const FAILED: Sighting = { kind: 'unknown', because: 'did not answer' }

describe('what is between this network and the internet', () => {
  // biome-ignore format: a table
  it.each<[string, readonly SourceVote[], string | undefined, RegExp]>([
    ['a shared address of the router',      [own(none()), router(none('100.64.9.9'))],    'CGNAT',      /^the router has 100\.64\.9\.9, an address inside the network of your provider/],
    ['a private address of the router',     [own(none()), router(none('10.20.30.9'))],    'double NAT', /^the router has 10\.20\.30\.9, an address inside/],
    ['a router with another address',       [own(none()), router(seen('9.9.9.9'))],       'double NAT or a wrong word', /^the router reports 9\.9\.9\.9, but outside sources see 8\.8\.8\.8$/],
    ['a router without an address',         [own(none()), router(none())],                'CGNAT or double NAT',   /^the router reports no public address, but .*CGNAT, DS-Lite.*double NAT/],
    ['DS-Lite at the router',               [router(none('192.0.0.2'))],                  'DS-Lite',    /^the router has 192\.0\.0\.2: IPv4 travels over IPv6/],
    ['DS-Lite at this host',                [own(none('192.0.0.2')), router(FAILED)],     'DS-Lite',    /^this host has 192\.0\.0\.2: IPv4 travels over IPv6/],
    ['464XLAT at this host',                [own(none('192.0.0.4')), router(FAILED)],     '464XLAT',    /^this host has 192\.0\.0\.4: /],
    ['464XLAT and a router that says none', [router(none()), own(none('192.0.0.4'))],     '464XLAT',    /^this host has/],
    ['a router with the address',           [own(none()), router(seen('8.8.8.8'))],       undefined,    /^$/],
    ['this host with the address',          [own(seen('8.8.8.8')), router(none())],       undefined,    /^$/],
    ['a router that does not answer',       [own(none()), router(FAILED)],                undefined,    /^$/],
    ['a router that has just started',      [router({ ...seen('9.9.9.9'), isEarly: true } as Sighting)], undefined, /^$/],
    ['outside services only',               [vote('outside', none('10.0.0.1'))],          undefined,    /^$/],
  ])('by %s', (_, votes, kind, text) => {
    const nat = natOf(votes, OUTSIDE)

    expect(nat?.kind).toBe(kind)
    expect(nat === undefined ? '' : formatNat(nat, OUTSIDE)).toMatch(text)
  })
})
