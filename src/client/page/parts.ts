import { type Html, html } from '../../shared/html/html.ts'

/** Moments of client time differ by a millisecond from one view to the next. */
const inSeconds = (at: string): string => at.replace(/\.\d+Z$/, 'Z')
const written = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** A moment. The script of the page writes it as "3 minutes ago", with the exact time behind it. */
export const timeElement = (at: string): Html => html`<time datetime="${inSeconds(at)}">${written(at)}</time>`

/** Since a moment. The script writes it as "for 3 minutes". */
export const sinceElement = (at: string): Html =>
  html`<time datetime="${inSeconds(at)}" data-since>since ${written(at)}</time>`

/** A text with moments of RFC 3339 in it. */
export const withTimes = (text: string): readonly (Html | string)[] =>
  text
    .split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/)
    .map((one, at) => (at % 2 === 1 ? timeElement(one) : one))

export const optionalTime = (before: string, at: string | null): Html =>
  at === null ? html`` : html`${before}${timeElement(at)}`

export function table(columns: readonly string[], rows: readonly Html[]): Html {
  const headings = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<table><thead><tr>${headings}</tr></thead>${rows}</table>`
}

/** On a narrow screen the label is shown instead of the heading. */
export const cell = (label: string, content: string | Html): Html =>
  html`<td data-label="${label}"${FIXED.has(label) ? html` class="fixed"` : ''}>${content}</td>`
/** Their words are never broken. */
const FIXED: ReadonlySet<string> = new Set([
  'IPv4 address',
  'IPv6 address',
  'Confirmed',
  'Kind',
  'Address',
  'Asked',
  'From',
  'Until',
])
