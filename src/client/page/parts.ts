import { type Html, html } from './html.ts'

export const timeElement = (at: string, isRelative = false): Html =>
  isRelative
    ? html`<time datetime="${at}" data-ago>${at.slice(0, 16).replace('T', ' ')} UTC</time>`
    : html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`

export const optionalTime = (before: string, at: string | null): Html =>
  at === null ? html`` : html`${before}${timeElement(at, true)}`

export function table(columns: readonly string[], rows: readonly Html[]): Html {
  const headings = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<table><thead><tr>${headings}</tr></thead><tbody>${rows}</tbody></table>`
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
])
