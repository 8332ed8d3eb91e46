import { type Html, html } from '../../../shared/html/html.ts'
import { RDATA_TYPES } from '../../model/rdata/types.ts'
import { card, dataTable, errorsAt, form, type FormErrors, hidden, NO_ERRORS } from '../parts.ts'
import type { Words } from '../words/words.ts'
import { seenDigest } from './seen-digest.ts'
import type { Named } from '../../api/openapi/schemas.ts'

/** One value of an RRSet, as a row of the form. */
export interface FormRow {
  readonly type: string
  readonly ttl: string
  readonly value: string
  /** Of a stored value; empty for a new one. */
  readonly label: string
  /** The row as it was stored when the form was made; empty for a new one. */
  readonly from: string
}

export const rowsOf = (rrsets: readonly Named<'RRSet'>[]): readonly FormRow[] =>
  rrsets.flatMap(({ dns_type: type, ttl, rdata }) =>
    rdata.map(({ label, value }) => {
      const row = { type, ttl: String(ttl), value, label }
      return { ...row, from: rowText(row) }
    }),
  )

const rowText = ({ type, ttl, value }: Pick<FormRow, 'type' | 'ttl' | 'value'>): string =>
  value === '' ? '' : `${type} ${ttl} ${value}`

/** The same with one RRSet as a change found it, in the words of the trail: its TTL, and its values with commas between. */
export function undoneRows(rows: readonly FormRow[], type: string, before: string): readonly FormRow[] {
  // An update of an address has no TTL.
  const [, ttl = '', text = ''] = /^(?:(\d+) )?([^]*)$/.exec(before) ?? []
  // A comma in quotes is part of a text.
  const values = text.match(/(?:"(?:\\.|[^"\\])*"|[^,"]|,(?! ))+/g) ?? []
  return [
    ...rows.filter((row) => row.type !== type),
    ...values.map((value) => ({ type, ttl, value: value.trim(), label: '', from: '' })),
  ]
}

/** Of an RRSet: what a change of it would change. */
export const comparedText = (
  one: { readonly ttl?: number; readonly rdata: readonly { readonly value: string }[] } | undefined,
): string =>
  JSON.stringify(
    one === undefined || one.rdata.length === 0
      ? null
      : [one.ttl, one.rdata.map(({ value }) => value).toSorted()],
  )

/** What the form was made from; another value means that something has changed the records since. */
export const digestOf = (rrsets: readonly Named<'RRSet'>[]): string =>
  seenDigest(rrsets.map((one) => [one.dns_type, comparedText(one)]))

const FIELDS = ['type', 'ttl', 'value', 'label', 'from'] as const

/** The rows of a form that was sent, without those that have no value. */
export function rowsIn(sent: URLSearchParams): readonly FormRow[] {
  return sentRows(sent).filter(({ value }) => value !== '')
}

function sentRows(sent: URLSearchParams): readonly FormRow[] {
  const [types = [], ttls = [], values = [], labels = [], froms = []] = FIELDS.map((one) => sent.getAll(one))
  return types.map((type, nth) => ({
    type,
    ttl: (ttls[nth] ?? '').trim(),
    value: (values[nth] ?? '').trim(),
    label: labels[nth] ?? '',
    from: froms[nth] ?? '',
  }))
}

/** What the person has changed in the form, and for all other rows what is stored now. */
export function mergedRows(stored: readonly FormRow[], sent: URLSearchParams): readonly FormRow[] {
  const changed = sentRows(sent).filter((row) => rowText(row) !== row.from)
  const labels = new Set(changed.map(({ label }) => label))
  return [...stored.filter(({ label }) => !labels.has(label)), ...changed.filter(({ value }) => value !== '')]
}

interface RecordsView {
  readonly here: string
  readonly rows: readonly FormRow[]
  /** See `digestOf`. */
  readonly was: string
  readonly isEditable: boolean
  /** How many empty rows follow. */
  readonly empty?: number
  /** The rows are those before a change, and not those that are stored. */
  readonly isUndo?: boolean
  readonly errors?: FormErrors
}

/** The records of a name as rows; nothing is stored before it is reviewed. */
export function recordsForm(
  words: Words,
  { here, rows, was, isEditable, empty = 1, isUndo = false, errors = NO_ERRORS }: RecordsView,
): Html {
  const t = words.records
  const all = [...rows, ...Array.from({ length: isEditable ? empty : 0 }, () => EMPTY)]
  if (all.length === 0) return card(t.title, html`<p>${t.none}</p>`)
  const isNew = (nth: number): boolean => empty > 1 && nth === rows.length
  const head = [t.type, t.ttl, t.value].map((label) => html`<th scope="col">${label}</th>`)
  const body = all.map((row, nth) =>
    isEditable
      ? editable(words, row, {
          nth: nth + 1,
          faults: errorsAt(errors, `value-${nth + 1}`),
          isFirstNew: isNew(nth),
        })
      : fixed(row),
  )
  const list = html`<table class="records"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
  if (!isEditable) return card(t.title, list)
  return card(
    t.title,
    form(`${here}/review`, [
      isUndo
        ? html`<p class="wait"><span aria-hidden="true">!</span> ${t.undoHint}</p>`
        : html`<p class="soft">${t.hint}</p>`,
      list,
      hidden('was', was),
      html`<p class="row"><button>${t.review}</button><button class="quiet" name="add" value="yes">${t.add}</button></p>`,
    ]),
    'records',
  )
}

const EMPTY: FormRow = { type: 'A', ttl: '', value: '', label: '', from: '' }

const fixed = ({ type, ttl, value }: FormRow): Html =>
  html`<tr><td>${type}</td><td>${ttl}</td><td><code><bdi>${value}</bdi></code></td></tr>`

interface RowPlace {
  readonly nth: number
  readonly faults: readonly string[]
  readonly isFirstNew: boolean
}

function editable(
  { records: t }: Words,
  { type, ttl, value, label, from }: FormRow,
  { nth, faults, isFirstNew }: RowPlace,
): Html {
  const types = Object.keys(RDATA_TYPES).map(
    (one) => html`<option${one === type ? html` selected` : ''}>${one}</option>`,
  )
  const focus = isFirstNew ? html` autofocus` : ''
  const choice = html`<select name="type" aria-label="${t.typeOf(nth)}"${focus}>${types}</select>`
  const isWrong = faults.length > 0
  const fault = isWrong ? html` aria-invalid="true" aria-describedby="value-${nth}-error"` : ''
  return html`<tr><td data-label="${t.type}">${choice}</td>
<td data-label="${t.ttl}"><input name="ttl" aria-label="${t.ttlOf(nth)}" inputmode="numeric" size="6" value="${ttl}"></td>
<td data-label="${t.value}"><input class="value" id="value-${nth}" name="value" aria-label="${t.valueOf(nth)}"
${fault} spellcheck="false" autocomplete="off" value="${value}">
<input type="hidden" name="label" value="${label}"><input type="hidden" name="from" value="${from}">${
    isWrong
      ? html`<p class="bad" id="value-${nth}-error"><span aria-hidden="true">✗</span> ${faults.join(' ')}</p>`
      : ''
  }</td></tr>`
}

/** A form that has these rows and shows none of them. */
export const hiddenRows = (rows: readonly FormRow[]): readonly Html[] =>
  rows.flatMap((row) => FIELDS.map((name) => html`<input type="hidden" name="${name}" value="${row[name]}">`))

/** Before and after, also for those who see no colours: what goes and what comes are elements of their own. */
export const changeTable = (words: Words, changes: readonly Named<'PreviewedChange'>[]) => {
  const t = words.records
  const rows = changes.map(({ subject, dns_type: type, before, after }) => [
    html`<bdi>${subject}</bdi> ${type}`,
    before === null ? t.nothing : html`<del><code><bdi>${before}</bdi></code></del>`,
    after === null ? t.nothing : html`<ins><code><bdi>${after}</bdi></code></ins>`,
  ])
  return dataTable(
    t.changes(changes.length),
    [{ label: t.record }, { label: t.before }, { label: t.after }],
    rows,
  )
}
