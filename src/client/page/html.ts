/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Text as HTML: markup is shown, and control characters, which services may send, are blanks. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '')
    .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')

type HtmlPart = string | number | Html | null | undefined | readonly HtmlPart[]

const partText = (part: HtmlPart): string => {
  if (part === null || part === undefined) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(partText).join('') : escapeHtml(String(part))
}

/** HTML from a template: everything that is put in is escaped, unless it is Html. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(strings.map((text, at) => text + partText(parts[at])).join(''))
