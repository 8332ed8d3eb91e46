import { after, instant, isBefore, minutes } from '../../../base/time.ts'
import { type Html, html } from '../../../html/html.ts'
import { type ApiAnswer, isRefused, type ShownChange } from '../ask.ts'
import type { ConsoleContext, ConsoleResult, ShownPage } from '../context.ts'
import { button, card, form, foreign, hidden } from '../parts.ts'
import { errorText } from '../refusals.ts'
import type { Words } from '../words/words.ts'
import { BULK_PAGE } from './bulk-form.ts'
import { type Act, ACTS, type BulkCall, bulkPlan, type PlanFault } from './bulk-plan.ts'
import { changeTable } from './records.ts'

const UNDO_LIFETIME = minutes(10)

interface BulkView {
  readonly act: Act
  readonly value: string
  readonly picks: readonly string[]
}

const viewIn = (sent: URLSearchParams): BulkView => ({
  act: ACTS.find((one) => one === sent.get('act')) ?? 'ttl',
  value: ((sent.get('act') === 'key' && sent.get('key')) || (sent.get('value') ?? '')).trim(),
  picks: sent.getAll('pick').slice(0, 100),
})

/** One line for each name that a request would not change, or for the request as a whole. */
interface Outcome {
  /** Of the requests, those that changed something. */
  readonly succeeded: readonly BulkCall[]
  readonly changed: number
  readonly changes: readonly ShownChange[]
  readonly refused: readonly string[]
}

export async function bulkOutcome(
  { ask, words }: ConsoleContext,
  calls: readonly BulkCall[],
  dryRun: boolean,
): Promise<Outcome> {
  let all: Outcome = { succeeded: [], changed: 0, changes: [], refused: [] }
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

const faultPage = (words: Words, fault: PlanFault): ShownPage => ({
  title: words.bulk.title,
  status: 422,
  main: html`<div class="note bad" role="alert"><p>${words.bulk[fault]}</p></div>
<p><a href="/console/names">${words.toNames}</a></p>`,
})

/** What would change, before anything is stored. */
export async function bulkReview(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, ask, form: sent } = context
  const t = words.bulk
  const view = viewIn(sent)
  const plan = await bulkPlan(ask, view)
  if (typeof plan === 'string') return faultPage(words, plan)
  const { changes, refused, changed } = await bulkOutcome(context, plan.calls, true)
  const isEmpty = changed === 0
  const records = changes.filter(({ before, after: next }) => before !== null || next !== null)
  const kept = [
    hidden('act', view.act),
    hidden('value', view.value),
    ...view.picks.map((one) => hidden('pick', one)),
  ]
  return {
    title: t.title,
    ...(isEmpty && refused.length > 0 && { status: 422 }),
    main: html`${refusedNote(words, refused)}${
      isEmpty
        ? ''
        : card(view.act === 'key' ? t.attached(changed) : t.willChange(records.length), [
            records.length === 0 ? nameList(plan.calls) : changeTable(words, records),
            form(view.act === 'delete' ? `${BULK_PAGE}/delete` : `${BULK_PAGE}/apply`, [
              ...kept,
              button(view.act === 'delete' ? t.remove : t.apply, view.act === 'delete' ? 'danger' : 'main'),
            ]),
          ])
    }<p><a href="/console/names">${t.cancel}</a></p>`,
  }
}

const nameList = (calls: readonly BulkCall[]): Html =>
  html`<ul>${[...new Set(calls.flatMap(({ names }) => names))].map((one) => html`<li>${foreign(one)}</li>`)}</ul>`

/** Does it, and offers the way back. A deletion takes a proof, so it has a path of its own. */
const actionFor =
  (isDeletion: boolean) =>
  async (context: ConsoleContext): Promise<ConsoleResult> => {
    const { words, ask, form: sent, now } = context
    const view = viewIn(sent)
    if ((view.act === 'delete') !== isDeletion) return faultPage(words, 'none')
    const plan = await bulkPlan(ask, view)
    if (typeof plan === 'string') return faultPage(words, plan)
    const outcome = await bulkOutcome(context, plan.calls, false)
    const inverse = plan.inverse.filter((_, nth) => outcome.succeeded.some((one) => one === plan.calls[nth]))
    return donePage(words, outcome, {
      more: [
        html`<p class="soft">${words.bulk.undoWhat}</p>`,
        form(`${BULK_PAGE}/undo`, [
          hidden('until', String(after(now, UNDO_LIFETIME))),
          hidden('calls', JSON.stringify(inverse)),
          button(words.bulk.undo, 'quiet'),
        ]),
      ],
    })
  }

export const bulkAction = actionFor(false)
export const bulkDeletion = actionFor(true)

const donePage = (
  words: Words,
  { changed, refused }: Outcome,
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

/** Only what a change of several names can leave behind: no other request hides in the form. */
export async function bulkUndo(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent, now } = context
  const t = words.bulk
  const until = Number(sent.get('until') ?? '0')
  if (!Number.isSafeInteger(until) || !isBefore(now, instant(until)))
    return { title: t.title, status: 422, main: html`<section><p>${t.tooLate}</p></section>` }
  const outcome = await bulkOutcome(context, undoneCalls(sent.get('calls') ?? ''), false)
  return donePage(words, outcome, { said: t.undone })
}

const UNDOING: readonly unknown[] = ['changeRRSets', 'createName', 'changeKey']

function undoneCalls(text: string): readonly BulkCall[] {
  try {
    const all: unknown = JSON.parse(text)
    return Array.isArray(all) ? all.filter(isUndoing).map(withHostnamesAlone) : []
  } catch {
    return []
  }
}

const isUndoing = (one: unknown): one is BulkCall => {
  const { operation, call, names } = (one ?? {}) as Partial<BulkCall>
  return (
    UNDOING.includes(operation) &&
    Array.isArray(names) &&
    Object.values(call?.params ?? { none: 0 }).every((value) => typeof value === 'string') &&
    typeof call?.body === 'object' &&
    call.body !== null
  )
}

/** Another password of a key takes a proof. */
const withHostnamesAlone = ({ operation, call, names }: BulkCall): BulkCall => {
  const { hostnames } = call.body as { readonly hostnames?: unknown }
  const body = operation === 'changeKey' ? { hostnames } : call.body
  return { operation, names: names.map(String), call: { params: call.params ?? {}, body } }
}
