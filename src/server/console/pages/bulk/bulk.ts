import { after, instant, isBefore, minutes } from '../../../../base/time.ts'
import { type Html, html } from '../../../../html/html.ts'
import { type ApiAnswer, isRefused, type ShownChange } from '../../ask.ts'
import type { ConsoleContext, ConsoleResult, ShownPage } from '../../context.ts'
import { button, card, form, foreign, hidden } from '../../parts.ts'
import { ownPage } from '../../paths.ts'
import {
  errorSummary,
  errorText,
  fieldError,
  type FormErrors,
  NO_ERRORS,
  warningList,
} from '../../refusals.ts'
import type { Words } from '../../words/words.ts'
import { BULK_PAGE, bulkFields, keysToAttach } from './bulk-form.ts'
import {
  type Act,
  ACTS,
  type BulkCall,
  type BulkPlan,
  bulkPlan,
  detachment,
  type PlanFault,
} from './bulk-plan.ts'
import { changeTable } from '../records.ts'
import { isOtherSince, seenDigest } from '../seen.ts'
import { wholeName } from '../shown.ts'

const UNDO_LIFETIME = minutes(10)

interface BulkView {
  readonly act: Act
  readonly value: string
  readonly picks: readonly string[]
  /** The page of the list. */
  readonly back: string
}

const viewIn = (sent: URLSearchParams): BulkView => ({
  act: ACTS.find((one) => one === sent.get('act')) ?? 'ttl',
  value: ((sent.get('act') === 'key' && sent.get('key')) || (sent.get('value') ?? '')).trim(),
  picks: sent.getAll('pick').slice(0, 100),
  back: ownPage(sent.get('back')),
})

const keptView = ({ act, value, picks, back }: BulkView): readonly Html[] => [
  hidden('act', act),
  hidden('value', value),
  hidden('back', back),
  ...picks.map((one) => hidden('pick', one)),
]

/** One line for each name that a request would not change, or for the request as a whole. */
interface Outcome {
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
): Promise<Outcome> {
  let all: Outcome = { succeeded: [], changed: 0, changes: [], refused: [], warnings: [] }
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

/** What was ticked stays so. */
async function formAgain(
  { words, ask }: ConsoleContext,
  view: BulkView,
  errors: FormErrors = NO_ERRORS,
): Promise<Html> {
  const names = view.picks.map((one) =>
    one.replace(/^(.*)\/(.*)$/, (_, zone, name) => wholeName({ zone_name: zone, name })),
  )
  return card(words.bulk.title, [
    nameList(names),
    form(BULK_PAGE, [
      ...view.picks.map((one) => hidden('pick', one)),
      hidden('back', view.back),
      bulkFields(words, await keysToAttach(ask), { ...view, errors }),
    ]),
  ])
}

async function faultPage(context: ConsoleContext, view: BulkView, fault: PlanFault): Promise<ShownPage> {
  const { words } = context
  const errors = fieldError(fault === 'noKey' || fault === 'ofValues' ? 'key' : 'value', words.bulk[fault])
  return {
    title: words.bulk.title,
    status: 422,
    main: html`${
      view.picks.length === 0
        ? html`<div class="note bad" role="alert"><p>${words.bulk[fault]}</p></div>`
        : html`${errorSummary(errors, words)}${await formAgain(context, view, errors)}`
    }<p><a href="${view.back}">${words.toNames}</a></p>`,
  }
}

/** What would change, before anything is stored. */
export async function bulkReview(context: ConsoleContext): Promise<ConsoleResult> {
  const view = viewIn(context.form)
  const plan = await bulkPlan(context.ask, view)
  if (typeof plan === 'string') return faultPage(context, view, plan)
  return reviewPage(context, view, { plan, outcome: await bulkOutcome(context, plan.calls, true) })
}

/** Where each act is done: what gives or ends rights takes a proof. */
const PATHS = { ttl: 'apply', address: 'apply', key: 'attach', delete: 'delete' } as const

const changedRecords = ({ changes }: Outcome): readonly ShownChange[] =>
  changes.filter(({ before, after: next }) => before !== null || next !== null)

/** What a person sees before the press: the names too, since an attachment changes no record. */
const seenOf = (calls: readonly BulkCall[], outcome: Outcome): unknown => [
  changedRecords(outcome),
  calls.flatMap(({ names }) => names),
]

const otherNote = ({ bulk: t }: Words, isOther: boolean): Html =>
  isOther ? html`<div class="note wait" role="alert"><p>${t.isOther}</p></div>` : html``

interface Reviewed {
  readonly plan: BulkPlan
  readonly outcome: Outcome
  readonly isOther?: boolean
}

async function reviewPage(
  context: ConsoleContext,
  view: BulkView,
  { plan, outcome, isOther = false }: Reviewed,
): Promise<ShownPage> {
  const { words } = context
  const t = words.bulk
  const { changed, refused } = outcome
  const records = changedRecords(outcome)
  const isRecords = view.act === 'ttl' || view.act === 'address'
  const isNothing = isRecords ? records.length === 0 : changed === 0
  return {
    title: t.title,
    ...(((isNothing && refused.length > 0) || isOther) && { status: 422 }),
    main: html`${otherNote(words, isOther)}${refusedNote(words, refused)}${warningList(outcome.warnings)}${
      isNothing
        ? refused.length > 0
          ? await formAgain(context, view)
          : html`<section><p>${t.nothing}</p></section>`
        : card(view.act === 'key' ? t.attached(changed) : t.willChange(records.length), [
            records.length === 0
              ? nameList(plan.calls.flatMap(({ names }) => names))
              : changeTable(words, records),
            form(`${BULK_PAGE}/${PATHS[view.act]}`, [
              ...keptView(view),
              hidden('seen', seenDigest(seenOf(plan.calls, outcome))),
              button(view.act === 'delete' ? t.remove : t.apply, view.act === 'delete' ? 'danger' : 'main'),
            ]),
          ])
    }<p><a href="${view.back}">${t.cancel}</a></p>`,
  }
}

const nameList = (names: readonly string[]): Html =>
  html`<ul>${[...new Set(names)].map((one) => html`<li>${foreign(one)}</li>`)}</ul>`

/** Does what was reviewed, and offers the way back. */
const actionFor =
  (path: (typeof PATHS)[Act]) =>
  async (context: ConsoleContext): Promise<ConsoleResult> => {
    const { words, ask, form: sent } = context
    const view = viewIn(sent)
    if (PATHS[view.act] !== path) return faultPage(context, { ...view, picks: [] }, 'none')
    const plan = await bulkPlan(ask, view)
    if (typeof plan === 'string') return faultPage(context, view, plan)
    const tried = await bulkOutcome(context, plan.calls, true)
    if (isOtherSince(sent, seenOf(plan.calls, tried)))
      return reviewPage(context, view, { plan, outcome: tried, isOther: true })
    const outcome = await bulkOutcome(context, plan.calls, false)
    const inverse = plan.inverse.filter((_, nth) => outcome.succeeded.some((one) => one === plan.calls[nth]))
    const undo =
      view.act === 'key'
        ? detachForm(context, view.value, plan)
        : html`<p class="soft">${words.bulk.undoWhat}</p>${await undoForm(context, inverse)}`
    return donePage(words, outcome, { more: [undo] })
  }

/** The way back, as it is now. */
export async function undoForm(context: ConsoleContext, calls: readonly BulkCall[]): Promise<Html> {
  const { words, now } = context
  const seen = seenOf(calls, await bulkOutcome(context, calls, true))
  return form(`${BULK_PAGE}/undo`, [
    hidden('until', String(after(now, UNDO_LIFETIME))),
    hidden('calls', JSON.stringify(calls)),
    hidden('seen', seenDigest(seen)),
    button(words.bulk.undo, 'quiet'),
  ])
}

const detachForm = ({ words, now }: ConsoleContext, key: string, { calls }: BulkPlan): Html =>
  form(`${BULK_PAGE}/detach`, [
    hidden('until', String(after(now, UNDO_LIFETIME))),
    hidden('key', key),
    ...calls.flatMap(({ names }) => names).map((one) => hidden('name', one)),
    button(words.bulk.undo, 'quiet'),
  ])

export const bulkAction = actionFor('apply')
export const bulkAttachment = actionFor('attach')
export const bulkDeletion = actionFor('delete')

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

const isTooLate = ({ form: sent, now }: ConsoleContext): boolean => {
  const until = Number(sent.get('until') ?? '0')
  return !Number.isSafeInteger(until) || !isBefore(now, instant(until))
}
const tooLatePage = ({ bulk: t }: Words): ShownPage => ({
  title: t.title,
  status: 422,
  main: html`<section><p>${t.tooLate}</p></section>`,
})

export async function bulkUndo(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent } = context
  if (isTooLate(context)) return tooLatePage(words)
  const calls = undoneCalls(sent.get('calls') ?? '').slice(0, MAX_CALLS)
  const tried = await bulkOutcome(context, calls, true)
  return isOtherSince(sent, seenOf(calls, tried))
    ? undoReview(context, calls, true)
    : donePage(words, await bulkOutcome(context, calls, false), { said: words.bulk.undone })
}

/** What the way back changes now. */
export async function undoReview(
  context: ConsoleContext,
  calls: readonly BulkCall[],
  isOther = false,
): Promise<ShownPage> {
  const { words } = context
  const tried = await bulkOutcome(context, calls, true)
  return {
    title: words.bulk.undo,
    ...(isOther && { status: 422 }),
    main: html`${otherNote(words, isOther)}${refusedNote(words, tried.refused)}${warningList(tried.warnings)}${
      tried.changes.length === 0
        ? html`<p>${words.bulk.nothing}</p>`
        : card(words.bulk.willChange(tried.changes.length), [
            changeTable(words, tried.changes),
            await undoForm(context, calls),
          ])
    }<p><a href="/console/trail">${words.bulk.cancel}</a></p>`,
  }
}

/** Takes from a key the names that were attached, and no others that it has now. */
export async function bulkDetachment(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent, ask } = context
  if (isTooLate(context)) return tooLatePage(words)
  const names = sent.getAll('name')
  const call = await detachment(ask, sent.get('key') ?? '', names)
  if (typeof call === 'string') return faultPage(context, { ...viewIn(sent), picks: [] }, call)
  return donePage(words, await bulkOutcome(context, call, false), { said: words.bulk.undone })
}

/** One for each name that was deleted, or for each zone. */
const MAX_CALLS = 500

/** Only what a change of several names can leave behind: no other request hides in the form. */
function undoneCalls(text: string): readonly BulkCall[] {
  try {
    const all: unknown = JSON.parse(text)
    return Array.isArray(all) ? all.filter(isUndoing) : []
  } catch {
    return []
  }
}

const isUndoing = (one: unknown): one is BulkCall => {
  const { operation, call, names } = (one ?? {}) as Partial<BulkCall>
  return (
    (operation === 'changeRRSets' || operation === 'createName') &&
    Array.isArray(names) &&
    Object.values(call?.params ?? { none: 0 }).every((value) => typeof value === 'string') &&
    typeof call?.body === 'object' &&
    call.body !== null
  )
}
