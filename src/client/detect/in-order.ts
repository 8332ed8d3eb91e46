import type { AddressSource } from './sources/source.ts'
import { type Agreement, type AgreementQuestion, agree, type SourceVote } from './agree.ts'

interface OrderedQuestion {
  readonly question: AgreementQuestion
  /** The sources that are asked, in the order of the list. */
  readonly order: readonly Pick<AddressSource, 'name'>[]
  /** No further answer comes. */
  readonly isOver: boolean
}

/**
 * With `agreement = "one"`: what is published stays while a source says it; else the first of the list that has an address
 * counts, and never the first that answers. Open while an answer that is missing may change that.
 */
export function agreeInOrder(
  votes: readonly SourceVote[],
  { question, order, isOver }: OrderedQuestion,
): Agreement {
  const own = votes.filter(({ source }) => source.vantage === 'own')
  const alone = order.map(({ name }): Agreement | undefined => {
    const vote = votes.find(({ source }) => source.name === name)
    if (vote === undefined) return undefined
    // Over IPv6, outside services may see a temporary address of this host.
    const other = vote.source.vantage === 'outside' ? own : []
    return agree([...other, vote], question)
  })
  const kept = alone.find((one) => one?.kind === 'agreed' && one.address === question.previous)
  if (kept !== undefined) return kept
  const isMissing = alone.includes(undefined)
  if (isMissing && !isOver && question.previous !== undefined) return { kind: 'open' }
  const first = alone.findIndex((one) => one?.kind === 'agreed' || (one === undefined && !isOver))
  if (first >= 0) return alone[first] ?? { kind: 'open' }
  const all = agree(votes, question)
  return all.kind === 'agreed' ? { kind: 'open' } : all
}
