import { escapeMarkup, Html, html } from '../../shared/html/html.ts'
import { unicodeName } from '../model/dns-name.ts'
import type { NamePublication } from '../model/publication.ts'
import type { ApiAnswer, ConsoleContext, ShownPage } from './context.ts'
import type { Words } from './words/words.ts'
import type { Named } from '../api/openapi/schemas.ts'

/** What was wrong in a form: an error belongs to the field that its pointer names, else to the whole. */
export interface FormErrors {
  readonly all: readonly FieldError[]
}
interface FieldError {
  /** The id of the field; undefined: none. */
  readonly field: string | undefined
  readonly text: string
}

export const NO_ERRORS: FormErrors = { all: [] }

/** `fieldOf`: the id of the field of a JSON pointer; undefined if no field has it. */
export const errorsOf = (
  { errors, retryAfter }: Pick<ApiAnswer<unknown>, 'errors' | 'retryAfter'>,
  words: Words,
  fieldOf: (pointer: string) => string | undefined = () => undefined,
): FormErrors => ({
  all: errors.map((one) => ({
    field: one.pointer === undefined ? undefined : fieldOf(one.pointer),
    text: errorText(one, words, retryAfter),
  })),
})

export const fieldError = (field: string, text: string): FormErrors => ({ all: [{ field, text }] })

/** The status of a refused sign-in, or of one that was not tried: `wait` in seconds (RFC 6585 §4). */
export const refusedStatus = (
  wait: number | undefined,
): { readonly status: number; readonly retryAfter?: number } =>
  wait === undefined ? { status: 403 } : { status: 429, retryAfter: wait }

/** One error as a sentence. */
export function errorText(
  { title, detail }: Named<'Error'>,
  words: Words,
  retryAfter: string | undefined,
): string {
  const known = words.errors[title] ?? title
  const wait = retryAfter === undefined ? '' : ` ${words.retryAfter(Number(retryAfter))}`
  const more = detail === undefined ? undefined : words.detail(detail)
  return `${more === undefined ? known : `${known}: ${more}`}.${wait}`
}

/** A summary with a link to each field that has an error; the script of the page puts the focus here. */
export const errorSummary = ({ all }: FormErrors, words: Words): Html =>
  all.length === 0
    ? html``
    : html`<div class="note bad" role="alert" tabindex="-1" id="errors"><h2><span aria-hidden="true">✗</span> ${
        words.notDone
      }</h2><ul>${all.map(({ field, text }) =>
        field === undefined ? html`<li>${text}</li>` : html`<li><a href="#${field}">${text}</a></li>`,
      )}</ul></div>`

export const errorsAt = ({ all }: FormErrors, field: string): readonly string[] =>
  all.flatMap((one) => (one.field === field ? [one.text] : []))

export const warningList = (warnings: readonly Named<'Warning'>[]): Html =>
  warnings.length === 0
    ? html``
    : html`<div class="note wait"><ul>${warnings.map(
        ({ title, detail }) => html`<li><span aria-hidden="true">!</span> ${detail ?? title}</li>`,
      )}</ul></div>`

/** A text with its line breaks. */
export const lines = (text: string): Html => new Html(escapeMarkup(text))

/** A moment in UTC; the script writes it in the reader's zone. */
export const moment = (at: string | null, never = ''): Html =>
  at === null ? html`${never}` : html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`

/** What a state looks like: a mark and a word, and a colour for those who see it. */
/** The color of a state; `soft` is grey. */
type StateTone = 'ok' | 'wait' | 'bad' | 'soft'

export const state = (tone: StateTone, mark: string, word: string): Html =>
  html`<span class="state ${tone}"><span aria-hidden="true">${mark}</span> ${word}</span>`

/** The tone and mark of each state. Only `published` is green. */
export const STATE_MARKS = {
  unserved: ['bad', '✗'],
  unproved: ['bad', '✗'],
  stuck: ['bad', '✗'],
  blocked: ['bad', '✗'],
  behind: ['wait', '…'],
  pending: ['wait', '…'],
  offline: ['wait', '–'],
  no_address: ['soft', '–'],
  published: ['ok', '✓'],
} as const satisfies Readonly<Record<NamePublication, readonly [StateTone, mark: string]>>

export const stateLabel = (one: NamePublication, words: Words): Html => {
  const [tone, mark] = STATE_MARKS[one]
  return state(tone, mark, words.states[one].word)
}

/** Whether the state is expected to change without action. */
export const changesSoon = (one: NamePublication): boolean => one === 'pending' || one === 'behind'

export interface Column {
  readonly label: string
  /** Its words are never broken. */
  readonly isFixed?: boolean
  /** Its cells say what they are: a button, a state, an address. On a narrow screen no label stands before them. */
  readonly isPlain?: boolean
}
type Cells = readonly (Html | string)[]

/** The first cell of a row is its heading. On a narrow screen the labels stand before the other cells. */
export function dataTable(caption: string, columns: readonly Column[], rows: readonly Cells[]): Html {
  const cellOf = (content: Html | string, nth: number): Html => {
    const { label = '', isFixed = false, isPlain = false } = columns[nth] ?? {}
    if (nth === 0) return html`<th scope="row">${content}</th>`
    const named = isPlain ? '' : html` data-label="${label}"`
    return html`<td${named}${isFixed ? html` class="fixed"` : ''}>${content}</td>`
  }
  return html`<table><caption class="hidden">${caption}</caption><thead><tr>${columns.map(
    ({ label }) => html`<th scope="col">${label}</th>`,
  )}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cellOf)}</tr>`)}</tbody></table>`
}

interface FieldOptions {
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'email' | 'date'
  readonly value?: string
  readonly hint?: string
  readonly isOptional?: boolean
  /** The attribute autocomplete (HTML §4.10.18.7). */
  readonly fill?: string
  readonly errors?: FormErrors
  /** For long text: how many lines are seen. */
  readonly rows?: number
  readonly list?: string
  /** Where the keyboard writes when the page opens. */
  readonly hasFocus?: boolean
}

/** A labelled field, with its hint and its errors. Its id is its name. */
export function field(name: string, label: string, options: FieldOptions = {}): Html {
  const {
    type = 'text',
    value = '',
    hint,
    isOptional = false,
    fill = 'off',
    rows,
    list,
    hasFocus = false,
  } = options
  const errors = errorsAt(options.errors ?? NO_ERRORS, name)
  const described = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(errors.length > 0 ? [`${name}-error`] : []),
  ]
  const attributes = html`id="${name}" name="${name}" autocomplete="${fill}"${isOptional ? '' : html` required`}${
    described.length > 0 ? html` aria-describedby="${described.join(' ')}"` : ''
  }${errors.length > 0 ? html` aria-invalid="true"` : ''}${list === undefined ? '' : html` list="${list}"`}${
    hasFocus && errors.length === 0 ? html` autofocus` : ''
  }`
  return html`<div class="field"><label for="${name}">${label}</label>${
    hint === undefined ? '' : html`<p class="soft" id="${name}-hint">${hint}</p>`
  }${
    errors.length === 0
      ? ''
      : html`<p class="bad" id="${name}-error">
<span aria-hidden="true">✗</span> ${errors.join(' ')}</p>`
  }${
    rows === undefined
      ? html`<input ${attributes} type="${type}" value="${lines(value)}">`
      : html`<textarea ${attributes} rows="${rows}" spellcheck="false">
${lines(value)}</textarea>`
  }</div>`
}

interface Choice {
  readonly value: string
  readonly label: string
}

export const choiceField = (
  name: string,
  label: string,
  { choices, chosen }: { readonly choices: readonly Choice[]; readonly chosen: string },
): Html =>
  html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${choices.map(
    (one) =>
      html`<option value="${one.value}"${one.value === chosen ? html` selected` : ''}>${one.label}</option>`,
  )}</select></div>`

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${lines(value)}">`

/** In the place of the token that each form has: it is of the session, which pages do not know. */
export const TOKEN_PLACE = '<input type="hidden" name="token" value="">'

/** A form that changes something. */
export const form = (action: string, content: Html | readonly Html[]): Html =>
  html`<form method="post" action="${action}">${TOKEN}${content}</form>`

const TOKEN: Html = html`<input type="hidden" name="token" value="">`

interface PasskeyOptions {
  readonly to: string
  readonly kind: 'create' | 'get'
  /** PublicKeyCredentialCreationOptionsJSON, or PublicKeyCredentialRequestOptionsJSON. */
  readonly options: string
  /** The field in which the script sends what the browser made. */
  readonly field: string
  /** What the script shows if the browser made nothing. */
  readonly failed: string
}

/** A form that the script shows, and sends with what the browser made of a passkey. */
export const passkeyForm = (
  { to, kind, options, field: name, failed }: PasskeyOptions,
  content: Html,
): Html =>
  html`<form method="post" action="${to}" data-passkey="${kind}" data-options="${options}" hidden>${TOKEN}
<input type="hidden" name="${name}" data-credential>${content}<p class="bad" role="alert" hidden>${failed}</p></form>`

export const button = (label: string, kind: 'main' | 'quiet' | 'danger' = 'main'): Html =>
  html`<button${kind === 'main' ? '' : html` class="${kind}"`}>${label}</button>`

/** A form that is one button. */
export const action = (to: string, label: string, kind: 'main' | 'quiet' | 'danger' = 'quiet'): Html =>
  form(to, button(label, kind))

/** Facts about one thing. */
export const facts = (rows: readonly (readonly [label: string, value: Html | string])[]): Html =>
  html`<dl>${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

export const card = (heading: string, content: Html | readonly Html[], id?: string): Html =>
  html`<section${id === undefined ? '' : html` id="${id}"`}><h2>${heading}</h2>${content}</section>`

/** A text to copy; the script adds the button. */
export const copyable = (text: string): Html => html`<code class="copy" dir="ltr">${lines(text)}</code>`

/** A value that others chose; its direction is its own. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`

/** A name as its owner writes it, and as DNS has it where that differs (RFC 5890 §2.3.2). */
export function hostname(name: string): Html {
  const own = unicodeName(name)
  return own === name ? foreign(name) : html`${foreign(own)} <span class="soft" dir="ltr">${name}</span>`
}

/** The link to a path, with each part encoded. */
export const pathOf = (strings: TemplateStringsArray, ...values: readonly string[]): string =>
  strings.map((text, at) => text + (at < values.length ? encodeURIComponent(values[at] ?? '') : '')).join('')

/** The place of a page of a list, as its links have it. */
export const pageQuery = (query: URLSearchParams): Readonly<Record<string, string>> => {
  const after = query.get('after')
  return after === null ? {} : { after }
}

/** The links to the first and to the next page. */
export function pager(
  words: Words,
  { here, query }: Pick<ConsoleContext, 'here' | 'query'>,
  { page }: Pick<ApiAnswer<unknown>, 'page'>,
): Html {
  const to = (after: string | null): string => {
    const url = new URL(here, 'http://localhost')
    if (after === null) url.searchParams.delete('after')
    else url.searchParams.set('after', after)
    return `${url.pathname}${url.search}`
  }
  const first = query.has('after') ? html`<a href="${to(null)}">${words.firstPage}</a>` : ''
  const next = page.next === null ? '' : html`<a rel="next" href="${to(page.next)}">${words.nextPage}</a>`
  return first === '' && next === ''
    ? html``
    : html`<nav class="pages" aria-label="${words.pages}">${first}${next}</nav>`
}

/** A list that is cut must not look whole. */
export const cutNote = (words: Words, { data, page }: ApiAnswer<readonly unknown[]>): Html =>
  data.length < page.total ? html`<p class="soft">${words.firstOf(data.length, page.total)}</p>` : html``

/** In the place of a page that the API refuses. */
export const failedPage = (words: Words, answer: ApiAnswer<unknown>): ShownPage => ({
  title: words.notShown,
  status: answer.status,
  main: html`${errorSummary(errorsOf(answer, words), words)}<p><a href="/console/names">${words.toNames}</a></p>`,
})
