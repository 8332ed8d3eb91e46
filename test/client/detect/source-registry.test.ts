import { describe, expect, it } from 'vitest'
import { hours, milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import type { SeenVote, SourceVote } from '../../../src/client/detect/agree.ts'
import type { Finding } from '../../../src/client/detect/finding.ts'
import { SourceRegistry } from '../../../src/client/detect/source-registry.ts'
import type { AddressSource, Vantage } from '../../../src/client/detect/sources/source.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { address } from '../../fakes/address.ts'
import { virtualClock } from '../../fakes/clock.ts'

const [GOOD, BAD] = [address('9.9.9.9'), address('8.8.4.4')]
const seen = (one = GOOD) => ({ kind: 'seen', address: one, by: 'x' }) as const
const vote = <S extends Sighting>(name: string, vantage: Vantage, sighting: S) => ({
  source: { name, operator: name, vantage },
  sighting,
})

function registry() {
  const clock = virtualClock()
  const findings: Finding[] = []
  const made = new SourceRegistry(clock, (finding) => findings.push(finding))
  /** A round that agrees on the address. */
  const round = (votes: readonly SourceVote[], against: readonly SeenVote[] = []): void => {
    made.recordVotes(votes)
    const by = votes
      .filter(({ sighting }) => sighting.kind === 'seen' && sighting.address === GOOD)
      .map(({ source }) => source.name)
    made.recordAgreement({ kind: 'agreed', address: GOOD, by, against, hasNear: false })
  }
  return { clock, findings, made, round }
}

describe('the order of use', () => {
  const source = (name: string, over: Partial<AddressSource> = {}): AddressSource => ({
    name,
    operator: name,
    vantage: 'outside',
    families: ['v4'],
    cooldown: seconds(1),
    look: async () => Promise.resolve(seen()),
    ...over,
  })
  /** The names of the sources in the order of use, for so many rounds. */
  const orders = (rounds: number, ...sources: readonly AddressSource[]): readonly string[] => {
    const { made } = registry()
    return Array.from({ length: rounds }, () =>
      made
        .available(sources, 'v4')
        .map(({ name }) => name)
        .join(' '),
    )
  }

  it('starts with another one of the cheapest sources each time, and ends with costly ones', () => {
    const costly = source('costly', { cooldown: minutes(10) })
    expect(orders(4, costly, source('x'), source('y'), source('z'))).toEqual([
      'x y z costly',
      'y z x costly',
      'z x y costly',
      'x y z costly',
    ])
  })

  it('has a source that is to be first once, before all others', () =>
    expect(orders(2, source('x'), source('y'), source('own', { isFirst: true }))).toEqual([
      'own x y',
      'own y x',
    ]))

  it('is that of the settings where all are to be first', () =>
    expect(orders(2, source('x', { isFirst: true }), source('y', { isFirst: true }))).toEqual(['x y', 'x y']))

  it('has no near source, and none within its cooldown', async () => {
    const { made, clock } = registry()
    const [x, y] = [source('x', { cooldown: minutes(1) }), source('y', { cooldown: milliseconds(0) })]
    const all = [source('router', { vantage: 'router' }), x, y]
    made.recordRequest(x, 'v4')
    expect(made.available(all, 'v4')).toEqual([y])
    await clock.pass(minutes(1))
    expect(made.available(all, 'v4')).toEqual([y, x])
  })
})

describe('a source that disagrees', () => {
  const bad = vote('bad', 'outside', seen(BAD))
  const kinds = (findings: readonly Finding[]): readonly string[] => findings.map(({ kind }) => kind)
  const others = [vote('x', 'outside', seen()), vote('y', 'outside', seen())]

  it('is not quarantined where it agreed since it disagreed before', () => {
    const { round, findings } = registry()
    round([...others, bad], [bad])
    round([...others, vote('bad', 'outside', seen())])
    round([...others, bad], [bad])
    expect(kinds(findings)).toEqual(['outlier', 'outlier'])
  })

  it('is reported as quarantined at the second disagreement, also after an earlier quarantine', async () => {
    const { round, findings, clock } = registry()
    const disagree = (): void => round([...others, bad], [bad])
    disagree()
    disagree()
    expect(kinds(findings)).toEqual(['outlier', 'outlier', 'quarantined'])
    await clock.pass(hours(2))
    disagree()
    expect(kinds(findings).slice(3)).toEqual(['outlier'])
    disagree()
    expect(findings.at(-1)).toEqual({
      kind: 'quarantined',
      source: 'bad',
      duration: hours(4),
      because: 'it reports 8.8.4.4, but others agree on 9.9.9.9',
    })
  })
})
