import type { Duration } from '../../shared/base/time.ts'
import { type Address, type Family, FAMILY_NAMES } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import { type Agreement, type AgreementQuestion, agree, type SourceVote } from './agree.ts'
import type { AddressSource, Vantage } from './sources/source.ts'

/** The answer of one source when all are queried in parallel. */
export interface SourceAnswer extends SourceVote {
  readonly source: Pick<AddressSource, 'name' | 'operator' | 'vantage'>
  readonly family: Family
  readonly took: Duration
}

interface SurveyRow {
  readonly source: string
  readonly operator: string
  readonly vantage: Vantage
  readonly family: Family
  readonly answer: string
  /** In milliseconds. */
  readonly took: number
  readonly verdict: 'agrees' | 'differs' | 'alone' | 'no address' | 'no answer'
}

/** The result for one family. */
export interface Conclusion {
  readonly family: Family
  readonly address: Address | null
  readonly because: string
}

export interface Survey {
  readonly sources: readonly SurveyRow[]
  readonly conclusions: readonly Conclusion[]
}

/** How the answers of one family are judged. */
export type SurveyRule = Pick<AgreementQuestion, 'family' | 'quorum' | 'uplink'>

/** The verdict on each answer, and the address that a quorum agrees on, unless it is of another line. */
export function survey(answers: readonly SourceAnswer[], rules: readonly SurveyRule[]): Survey {
  const agreements = rules.map((rule) => {
    const { family } = rule
    const votes = answers.filter((answer) => answer.family === family)
    const hasOwn = votes.some(({ source }) => source.vantage === 'own')
    const question = { ...rule, hint: 'doubted', hasOwn } as const
    return { family, votes, agreement: agree(votes, question) }
  })
  return {
    sources: agreements.flatMap(({ votes, agreement }) => votes.map((answer) => rowOf(answer, agreement))),
    conclusions: agreements.map(({ family, votes, agreement }) => concludeOn(family, votes, agreement)),
  }
}

function rowOf({ source, family, sighting, took }: SourceAnswer, agreement: Agreement): SurveyRow {
  const { name, operator, vantage } = source
  return {
    source: name,
    operator,
    vantage,
    family,
    answer: formatAnswer(sighting),
    took: Math.round(took),
    verdict: verdictOn(name, sighting, agreement),
  }
}

function formatAnswer(sighting: Sighting): string {
  if (sighting.kind === 'seen') return sighting.address
  if (sighting.kind === 'unknown') return sighting.because
  return sighting.instead === undefined ? 'none' : `none (its own is ${sighting.instead})`
}

function verdictOn(name: string, sighting: Sighting, agreement: Agreement): SurveyRow['verdict'] {
  if (sighting.kind === 'unknown') return 'no answer'
  if (sighting.kind === 'none') return 'no address'
  if (agreement.kind !== 'agreed') return 'alone'
  return agreement.by.includes(name) ? 'agrees' : 'differs'
}

function concludeOn(family: Family, votes: readonly SourceVote[], agreement: Agreement): Conclusion {
  if (agreement.kind === 'agreed') {
    const { address, by } = agreement
    const because = by.length > 1 ? `${by.join(' and ')} agree` : `reported by ${by.join()}`
    return { family, address, because }
  }
  const isAnySeen = votes.some(({ sighting }) => sighting.kind === 'seen')
  return { family, address: null, because: noAddressCause(agreement, isAnySeen) }
}

function noAddressCause(agreement: Agreement, isAnySeen: boolean): string {
  if (agreement.kind === 'none') return 'no source sees an address of this family'
  if (agreement.isElsewhere)
    return `outside services see ${agreement.elsewhere ?? 'another line'}, which is not this line`
  return isAnySeen
    ? 'no two sources agree, and a new address needs two'
    : 'no source answered with an address'
}

/** The survey as a table. */
export function formatSurvey({ sources, conclusions }: Survey): readonly string[] {
  const rows = [
    ['source', 'operator', 'family', 'answer', 'time', 'verdict'],
    ...sources.map(({ source, operator, family, answer, took, verdict }) => [
      source,
      operator,
      FAMILY_NAMES[family],
      answer,
      `${took} ms`,
      verdict,
    ]),
  ]
  const widths =
    rows[0]?.map((_, column) =>
      Math.max(...rows.map((row) => Math.min(MAX_WIDTH, row[column]?.length ?? 0))),
    ) ?? []
  return [
    ...rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
    ...conclusions.map(
      ({ family, address, because }) => `${FAMILY_NAMES[family]}: ${address ?? 'no address'} (${because})`,
    ),
  ]
}

const MAX_WIDTH = 60
