import { after, instant, isBefore, minutes } from '../../../../shared/base/time.ts'
import { type Html, html } from '../../../../shared/html/html.ts'
import type { ConsoleContext, ConsoleResult, ShownPage } from '../../context.ts'
import { button, card, form, hidden, warningList } from '../../parts.ts'
import type { Words } from '../../words/words.ts'
import { changeTable } from '../record-rows.ts'
import { isOtherSince, seenDigest } from '../seen-digest.ts'
import {
  BULK_PAGE,
  type BulkCall,
  bulkOutcome,
  type BulkPlan,
  detachment,
  donePage,
  otherNote,
  refusedNote,
  seenOf,
} from './bulk-plan.ts'

const UNDO_LIFETIME = minutes(10)

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

export const detachForm = ({ words, now }: ConsoleContext, key: string, { calls }: BulkPlan): Html =>
  form(`${BULK_PAGE}/detach`, [
    hidden('until', String(after(now, UNDO_LIFETIME))),
    hidden('key', key),
    ...calls.flatMap(({ names }) => names).map((one) => hidden('name', one)),
    button(words.bulk.undo, 'quiet'),
  ])

const isTooLate = ({ form: sent, now }: ConsoleContext): boolean => {
  const until = Number(sent.get('until') ?? '0')
  return !Number.isSafeInteger(until) || !isBefore(now, instant(until))
}
const refusedPage = ({ bulk: t }: Words, text: string): ShownPage => ({
  title: t.title,
  status: 422,
  main: html`<section><p>${text}</p></section>`,
})

export async function bulkUndo(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent } = context
  if (isTooLate(context)) return refusedPage(words, words.bulk.tooLate)
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
  if (isTooLate(context)) return refusedPage(words, words.bulk.tooLate)
  const names = sent.getAll('name')
  const call = await detachment(ask, sent.get('key') ?? '', names)
  if (typeof call === 'string') return refusedPage(words, words.bulk[call])
  return donePage(words, await bulkOutcome(context, call, false), { said: words.bulk.undone })
}

/** One for each name that was deleted, or for each zone: of the names of a page. */
const MAX_CALLS = 100

/** Only what a change of several names can leave behind: no other request hides in the form. */
function undoneCalls(text: string): readonly BulkCall[] {
  try {
    const all: unknown = JSON.parse(text)
    return Array.isArray(all) ? eachNameOnce(all.filter(isUndoing)) : []
  } catch {
    return []
  }
}

/** The way back of a name is one call. */
function eachNameOnce(calls: readonly BulkCall[]): readonly BulkCall[] {
  const named = new Set<string>()
  return calls.filter(({ call, names }) => {
    const own = names.map((name) => `${call.params?.['zone_name'] ?? ''} ${name.toLowerCase()}`)
    const isNew = own.every((one) => !named.has(one))
    for (const one of own) named.add(one)
    return isNew
  })
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
