import { type Html, html } from '../../../../shared/html/html.ts'
import { type ApiAnswer, isRefused, type ShownChange } from '../../ask.ts'
import type { ConsoleContext, ShownPage } from '../../context.ts'
import { card, errorText, foreign } from '../../parts.ts'
import type { Words } from '../../words/words.ts'
import type { BulkCall } from './bulk-plan.ts'

/** One line for each name that a request would not change, or for the request as a whole. */
export interface BulkOutcome {
  /** Of the requests, those that changed something. */
  readonly succeeded: readonly BulkCall[]
  readonly changed: number
  readonly changes: readonly ShownChange[]
  readonly refused: readonly string[]
  readonly warnings: ApiAnswer<unknown>['warnings']
}

export async function bulkOutcome(
  { ask, words }: ConsoleContext,
  calls: readonly BulkCall[],
  dryRun: boolean,
): Promise<BulkOutcome> {
  let all: BulkOutcome = { succeeded: [], changed: 0, changes: [], refused: [], warnings: [] }
  for (const one of calls) {
    const { operation, call, names } = one
    const answer = await ask(operation, { ...call, query: { dry_run: dryRun ? 'true' : undefined } })
    all = isRefused(answer)
      ? { ...all, refused: [...all.refused, ...refusalsOf(words, answer, names)] }
      : {
          ...all,
          succeeded: [...all.succeeded, one],
          changed: all.changed + new Set(names).size,
          changes: [...all.changes, ...answer.changes],
          warnings: [...all.warnings, ...answer.warnings],
        }
  }
  return all
}

/** A pointer such as /3/ttl is to the change of a name. */
const refusalsOf = (
  words: Words,
  { errors, retryAfter }: ApiAnswer<unknown>,
  names: readonly string[],
): readonly string[] =>
  errors.map((one) => {
    const [, nth] = /^\/(\d+)/.exec(one.pointer ?? '') ?? []
    const name = nth === undefined ? names[0] : names[Number(nth)]
    return `${name ?? ''}: ${errorText(one, words, retryAfter)}`
  })

export const refusedNote = ({ bulk: t }: Words, refused: readonly string[]): Html =>
  refused.length === 0
    ? html``
    : html`<div class="note bad" role="alert"><h2><span aria-hidden="true">✗</span> ${t.refused}</h2><ul>${refused.map(
        (one) => html`<li>${foreign(one)}</li>`,
      )}</ul></div>`

export const changedRecords = ({ changes }: BulkOutcome): readonly ShownChange[] =>
  changes.filter(({ before, after: next }) => before !== null || next !== null)

/** What a person sees before the press: the names too, since an attachment changes no record. */
export const seenOf = (calls: readonly BulkCall[], outcome: BulkOutcome): unknown => [
  changedRecords(outcome),
  calls.flatMap(({ names }) => names),
]

export const otherNote = ({ bulk: t }: Words, isOther: boolean): Html =>
  isOther ? html`<div class="note wait" role="alert"><p>${t.isOther}</p></div>` : html``

export const donePage = (
  words: Words,
  { changed, refused }: BulkOutcome,
  {
    said = words.bulk.changed,
    more = [],
  }: { readonly said?: (count: number) => string; readonly more?: readonly Html[] },
): ShownPage => {
  const t = words.bulk
  return {
    title: t.title,
    ...(refused.length > 0 && { status: 422 }),
    main: html`${refusedNote(words, refused)}${card(t.done, [
      html`<p>${said(changed)}</p>`,
      ...(changed === 0 ? [] : more),
    ])}<p><a href="/console/names">${words.toNames}</a></p>`,
  }
}
