import { type Html, html } from '../../shared/html/html.ts'
import type { ApiAnswer, ShownError, ShownWarning } from './ask.ts'
import type { Words } from './words/words.ts'

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
  { title, detail }: ShownError,
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

export const warningList = (warnings: readonly ShownWarning[]): Html =>
  warnings.length === 0
    ? html``
    : html`<div class="note wait"><ul>${warnings.map(
        ({ title, detail }) => html`<li><span aria-hidden="true">!</span> ${detail ?? title}</li>`,
      )}</ul></div>`
