import type { Duration } from '../../base/time.ts'
import type { Address, Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import { type Agreement, agree, type SourceVote } from '../detect/agree.ts'
import type { AddressSource, Vantage } from '../sources/source.ts'

/** What one source said when all were asked side by side. */
export interface SourceAnswer extends SourceVote {
  readonly source: Pick<AddressSource, 'name' | 'operator' | 'vantage'>
  readonly family: Family
  readonly took: Duration
}

export interface SurveyRow {
  readonly source: string
  readonly operator: string
  readonly vantage: Vantage
  readonly family: Family
  readonly answer: string
  /** In milliseconds. */
  readonly took: number
  readonly verdict: 'agrees' | 'differs' | 'alone' | 'no address' | 'no answer'
}

/** What a family comes to. */
export interface Conclusion {
  readonly family: Family
  readonly address: Address | null
  readonly because: string
}

export interface Survey {
  readonly sources: readonly SurveyRow[]
  readonly conclusions: readonly Conclusion[]
}

/** Each answer, weighed by what all of them come to. */
export function survey(
  answers: readonly SourceAnswer[],
  quorum: Readonly<Partial<Record<Family, number>>>,
): Survey {
  const families = (['v4', 'v6'] as const).filter((family) => quorum[family] !== undefined)
  const verdicts = families.map((family) => {
    const votes = answers.filter((answer) => answer.family === family)
    const hasOwn = votes.some(({ source }) => source.vantage === 'own')
    const question = { family, quorum: quorum[family] ?? 2, hint: 'doubted', hasOwn } as const
    return { family, votes, verdict: agree(votes, question) }
  })
  return {
    sources: verdicts.flatMap(({ votes, verdict }) => votes.map((answer) => lineOf(answer, verdict))),
    conclusions: verdicts.map(({ family, votes, verdict }) => concluded(family, votes, verdict)),
  }
}

function lineOf({ source, family, sighting, took }: SourceAnswer, verdict: Agreement): SurveyRow {
  const { name, operator, vantage } = source
  return {
    source: name,
    operator,
    vantage: vantage,
    family,
    answer: said(sighting),
    took: Math.round(took),
    verdict: weighed(source.name, sighting, verdict),
  }
}

const said = (sighting: Sighting): string => {
  if (sighting.kind === 'seen') return sighting.address
  if (sighting.kind === 'unknown') return sighting.because
  return sighting.instead === undefined ? 'none' : `none (its own is ${sighting.instead})`
}

function weighed(name: string, sighting: Sighting, verdict: Agreement): SurveyRow['verdict'] {
  if (sighting.kind === 'unknown') return 'no answer'
  if (sighting.kind === 'none') return 'no address'
  if (verdict.kind !== 'agreed') return 'alone'
  return verdict.by.includes(name) ? 'agrees' : 'differs'
}

function concluded(family: Family, votes: readonly SourceVote[], verdict: Agreement): Conclusion {
  if (verdict.kind === 'agreed')
    return {
      family,
      address: verdict.address,
      because: `${verdict.by.join(' and ')} ${verdict.by.length > 1 ? 'agree' : 'says so'}`,
    }
  if (verdict.kind === 'none') return { family, address: null, because: 'nobody who could tell saw one' }
  const seen = votes.filter(({ sighting }) => sighting.kind === 'seen').length
  return {
    family,
    address: null,
    because: seen === 0 ? 'nobody answered with an address' : 'no two agree, and a changed address needs two',
  }
}

/** A table for a person. */
export function saySurvey({ sources, conclusions }: Survey): readonly string[] {
  const rows = [
    ['source', 'operator', 'family', 'answer', 'time', 'verdict'],
    ...sources.map(({ source, operator, family, answer, took, verdict }) => [
      source,
      operator,
      NAMES[family],
      answer,
      `${took} ms`,
      verdict,
    ]),
  ]
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => Math.min(WIDEST, row[column]?.length ?? 0)))) ??
    []
  return [
    ...rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
    ...conclusions.map(
      ({ family, address, because }) => `${NAMES[family]}: ${address ?? 'no address'} (${because})`,
    ),
  ]
}

const NAMES = { v4: 'IPv4', v6: 'IPv6' } as const
const WIDEST = 60
