import { html } from '../../../shared/html/html.ts'
import {
  type ApiAnswer,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ShownPage,
} from '../context.ts'
import {
  card,
  errorsOf,
  failedPage,
  fieldError,
  form,
  type FormErrors,
  hidden,
  NO_ERRORS,
  pathOf,
  warningList,
} from '../parts.ts'
import type { Words } from '../words/words.ts'
import { nameShown } from './name.ts'
import {
  changeTable,
  comparedText,
  digestOf,
  type FormRow,
  hiddenRows,
  mergedRows,
  recordsForm,
  rowsIn,
  rowsOf,
} from './record-rows.ts'
import { wholeName } from './shown.ts'
import type { Named } from '../../api/openapi/schemas.ts'

/** Rows that follow when a person asks for more. */
const MORE_ROWS = 3

/** One change of a batch (`changeRRSets`), with the row of the form of each of its values. */
interface PlannedChange {
  readonly dns_type: string
  readonly ttl?: number
  readonly rdata: readonly { readonly value: string; readonly label?: string }[]
  readonly rows: readonly number[]
}

/** The RRSets that differ from what is stored, or why the rows are none. */
function plannedChanges(
  stored: readonly Named<'RRSet'>[],
  rows: readonly FormRow[],
  words: Words,
): { readonly changes: readonly PlannedChange[] } | { readonly errors: FormErrors } {
  const types = [...new Set([...stored.map(({ dns_type: type }) => type), ...rows.map(({ type }) => type)])]
  const numbered = rows.map((row, at) => ({ ...row, nth: at + 1 }))
  const changes: PlannedChange[] = []
  for (const type of types) {
    const own = numbered.filter((row) => row.type === type)
    const ttls = [...new Set(own.flatMap(({ ttl }) => (ttl === '' ? [] : [ttl])))]
    const [ttl] = ttls
    const wrong = own.find((row) => (ttls.length > 1 && row.ttl !== ttl) || !/^\d{0,10}$/.test(row.ttl))
    if (wrong !== undefined)
      return { errors: fieldError(`value-${wrong.nth}`, words.records.ttlWrong(wrong.ttl, type)) }
    const change = {
      dns_type: type,
      ...(ttl !== undefined && { ttl: Number(ttl) }),
      // The label of a value of another type is not one of this type.
      rdata: own.map(({ value, label, from }) => ({
        value,
        ...(label !== '' && from.startsWith(`${type} `) && { label }),
      })),
      rows: own.map(({ nth }) => nth),
    }
    if (comparedText(change) !== comparedText(stored.find((one) => one.dns_type === type)))
      changes.push(change)
  }
  return { changes }
}

interface RecordsForm {
  readonly name: Named<'Name'>
  readonly rows: readonly FormRow[]
  readonly here: string
  /** The digest of what the form was made from. */
  readonly was: string
  /** The entity tag of what is stored. */
  readonly etag: string | undefined
}

async function draftOf({
  params,
  form: sent,
  ask,
}: ConsoleContext): Promise<RecordsForm | { readonly failed: ApiAnswer<unknown> }> {
  const { zone = '', name = '' } = params
  const found = await ask('getName', { params: { zone_name: zone, name } })
  if (isRefused(found)) return { failed: found }
  const was = sent.get('was') ?? digestOf(found.data.rrsets)
  const here = pathOf`/console/names/${zone}/${name}`
  return { name: found.data, rows: rowsIn(sent), here, was, etag: found.etag }
}

interface SentChanges {
  readonly changes: readonly PlannedChange[]
  readonly dryRun: boolean
  readonly ifMatch?: string | undefined
}

/** Sends the changes; `dryRun` stores nothing. */
const sendChanges = async (
  { ask }: ConsoleContext,
  { zone_name: zone, name }: Named<'Name'>,
  { changes, dryRun, ifMatch }: SentChanges,
): Promise<ApiAnswer<unknown>> =>
  ask('changeRRSets', {
    params: { zone_name: zone },
    query: { dry_run: dryRun ? 'true' : undefined },
    ...(ifMatch !== undefined && { ifMatch }),
    body: changes.map(({ rows: _, ...change }) => ({ name, ...change })),
  })

/** A pointer such as /0/rdata/1/value belongs to the row of that value. */
const fieldOf =
  (changes: readonly PlannedChange[]) =>
  (pointer: string): string | undefined => {
    const [, change = '', value = '0'] = /^\/(\d+)(?:\/rdata\/(\d+))?/.exec(pointer) ?? []
    const nth = changes[Number(change)]?.rows[Number(value)]
    return nth === undefined ? undefined : `value-${nth}`
  }

const editedAgain = async (
  context: ConsoleContext,
  { here, rows, was }: RecordsForm,
  { errors = NO_ERRORS, empty = 1 }: { readonly errors?: FormErrors; readonly empty?: number },
): Promise<ShownPage> => ({
  ...(await nameShown(
    context,
    errors,
    recordsForm(context.words, { here, rows, was, isEditable: true, empty, errors }),
  )),
  ...(empty > 1 && { hasFocus: true }),
})

/** What the person has changed stays; the other rows are those that are stored now. */
async function changedMeanwhile(context: ConsoleContext, draft: RecordsForm): Promise<ShownPage> {
  const { rrsets } = draft.name
  const rows = mergedRows(rowsOf(rrsets), context.form)
  const errors = { all: [{ field: undefined, text: context.words.records.changedMeanwhile }] }
  return editedAgain(context, { ...draft, rows, was: digestOf(rrsets) }, { errors })
}

/** Shows what a change of the records would do, before it is stored. */
export async function reviewRecords(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent } = context
  const t = words.records
  const draft = await draftOf(context)
  if ('failed' in draft) return failedPage(words, draft.failed)
  if (sent.has('add')) return editedAgain(context, draft, { empty: MORE_ROWS })
  const { name, rows, here, was } = draft
  if (was !== digestOf(name.rrsets)) return changedMeanwhile(context, draft)
  const planned = plannedChanges(name.rrsets, rows, words)
  if ('errors' in planned) return editedAgain(context, draft, { errors: planned.errors })
  const { changes } = planned
  if (changes.length === 0) return { see: here }
  const tried = await sendChanges(context, name, { changes, dryRun: true })
  if (isRefused(tried))
    return editedAgain(context, draft, { errors: errorsOf(tried, words, fieldOf(changes)) })
  return {
    title: t.reviewTitle(wholeName(name)),
    main: html`${warningList(tried.warnings)}${card(
      t.changes(tried.changes.length),
      html`${changeTable(words, tried.changes)}${form(`${here}/records`, [
        ...hiddenRows(rows),
        hidden('was', was),
        html`<p class="row"><button>${t.publish}</button>
<button class="quiet" formaction="${here}/review" name="add" value="yes">${t.back}</button></p>`,
      ])}`,
    )}`,
  }
}

/** Stores the changes that were reviewed. */
export const recordsAction = async (context: ConsoleContext): Promise<ConsoleResult> =>
  storeRecords(context, MAX_TRIES)

/** Publishing changes the entity tag too, but not the records. */
const MAX_TRIES = 3
/** RFC 9110 §15.5.13. */
const CHANGED = 412

async function storeRecords(context: ConsoleContext, tries: number): Promise<ConsoleResult> {
  const { words, form: sent } = context
  const draft = await draftOf(context)
  if ('failed' in draft) return failedPage(words, draft.failed)
  const { name, rows, here, etag } = draft
  if (sent.get('was') !== digestOf(name.rrsets)) return changedMeanwhile(context, draft)
  const planned = plannedChanges(name.rrsets, rows, words)
  if ('errors' in planned) return editedAgain(context, draft, { errors: planned.errors })
  if (planned.changes.length === 0) return { see: here }
  const changed = await sendChanges(context, name, { changes: planned.changes, dryRun: false, ifMatch: etag })
  if (changed.status === CHANGED && tries > 1) return storeRecords(context, tries - 1)
  return isRefused(changed)
    ? editedAgain(context, draft, { errors: errorsOf(changed, words, fieldOf(planned.changes)) })
    : { see: here, isSaved: true }
}
