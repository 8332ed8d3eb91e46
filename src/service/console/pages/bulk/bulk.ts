import { type Html, html } from '../../../../shared/html/html.ts'
import type { ConsoleContext, ConsoleResult, ShownPage } from '../../context.ts'
import {
  button,
  card,
  errorSummary,
  fieldError,
  foreign,
  form,
  type FormErrors,
  hidden,
  NO_ERRORS,
  warningList,
} from '../../parts.ts'
import { ownPage } from '../../paths.ts'
import { changeTable } from '../record-rows.ts'
import { isOtherSince, seenDigest } from '../seen-digest.ts'
import { wholeName } from '../shown.ts'
import {
  type Act,
  ACTS,
  BULK_PAGE,
  bulkFields,
  bulkOutcome,
  type BulkOutcome,
  type BulkPlan,
  bulkPlan,
  changedRecords,
  donePage,
  keysToAttach,
  otherNote,
  type PlanFault,
  refusedNote,
  seenOf,
} from './bulk-plan.ts'
import { detachForm, undoForm } from './bulk-undo.ts'

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
  picks: [...new Set(sent.getAll('pick').map((one) => one.toLowerCase()))].slice(0, 100),
  back: ownPage(sent.get('back')),
})

const keptView = ({ act, value, picks, back }: BulkView): readonly Html[] => [
  hidden('act', act),
  hidden('value', value),
  hidden('back', back),
  ...picks.map((one) => hidden('pick', one)),
]

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

interface Reviewed {
  readonly plan: BulkPlan
  readonly outcome: BulkOutcome
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

export const bulkAction = actionFor('apply')
export const bulkAttachment = actionFor('attach')
export const bulkDeletion = actionFor('delete')
