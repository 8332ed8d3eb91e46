/** Text that is HTML already, and the parts in it that can change by themselves. */
export class Html {
  readonly text: string
  /** The same with a mark in the place of each part. */
  readonly frame: string
  readonly parts: readonly Part[]

  constructor(text: string, frame = text, parts: readonly Part[] = []) {
    this.text = text
    this.frame = frame
    this.parts = parts
  }

  toString(): string {
    return this.text
  }
}

/** One element with an id. */
export class Part extends Html {
  readonly id: string
  constructor(id: string, content: Html) {
    super(content.text, content.frame, content.parts)
    this.id = id
  }
}

/** An element whose text begins with a tag with this id. */
export const part = (id: string, content: Html): Part => new Part(id, content)

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Markup is shown as it stands; lines stay. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '')

/** Most values of pages: nothing in them has to change. */
const IS_PLAIN = /^[\w .,:;/+@()=?-]*$/

/** Text as HTML: markup is shown, and control characters, which services may send, are blanks. */
export const escapeHtml = (text: string): string =>
  IS_PLAIN.test(text)
    ? text
    : escapeMarkup(text).replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')

type HtmlValue = string | number | Html | null | undefined | readonly HtmlValue[]

const htmlOf = (value: HtmlValue): readonly Html[] => {
  if (value === null || value === undefined) return []
  if (value instanceof Html) return [value]
  return typeof value === 'object' ? value.flatMap(htmlOf) : [new Html(escapeHtml(String(value)))]
}

/** Cannot be in escaped text. */
const MARK = '\0'

/** HTML from a template: everything that is put in is escaped, unless it is Html. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let all = strings[0] ?? ''
  for (const [at, value] of values.entries()) {
    const text = textOf(value)
    if (text === undefined) return withParts(strings, values)
    all += text + (strings[at + 1] ?? '')
  }
  return new Html(all)
}

/** Measured: most templates have no part, and a long table has hundreds of them. Undefined where there is one. */
function textOf(value: HtmlValue): string | undefined {
  if (typeof value === 'string') return escapeHtml(value)
  if (value === null || value === undefined) return ''
  if (value instanceof Html) return value instanceof Part || value.parts.length > 0 ? undefined : value.text
  if (typeof value === 'number') return String(value)
  let all = ''
  for (const one of value) {
    const text = textOf(one)
    if (text === undefined) return undefined
    all += text
  }
  return all
}

function withParts(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
  const all = strings.flatMap((text, at) => [new Html(text), ...htmlOf(values[at])])
  return new Html(
    all.map(({ text }) => text).join(''),
    all.map((one) => (one instanceof Part ? `${MARK}${one.id}${MARK}` : one.frame)).join(''),
    all.flatMap((one) => (one instanceof Part ? [one] : one.parts)),
  )
}

/** What leads from one page to another: elements with a new text, and lists with another order or other members. */
interface Changes {
  readonly elements: readonly (readonly [id: string, text: string])[]
  /** The ids of all members, and the text of those that are new. */
  readonly lists: readonly (readonly [
    id: string,
    members: readonly string[],
    added: Readonly<Record<string, string>>,
  ])[]
}

/** Undefined where the whole must be sent. */
export function changesBetween(before: Html, after: Html): Changes | undefined {
  if (before.frame !== after.frame) return undefined
  const all = after.parts.map((now, at) => changesOf(before.parts[at], now))
  return { elements: all.flatMap(({ elements }) => elements), lists: all.flatMap(({ lists }) => lists) }
}

function changesOf(before: Part | undefined, after: Part): Changes {
  if (before?.text === after.text) return NONE
  if (before?.id !== after.id) return { elements: [[after.id, after.text]], lists: [] }
  const within = changesBetween(before, after)
  if (within !== undefined) return within
  if (!isList(before) || !isList(after)) return { elements: [[after.id, after.text]], lists: [] }
  const known = new Map(before.parts.map((one) => [one.id, one]))
  const added = after.parts.filter(({ id }) => !known.has(id))
  const kept = after.parts.filter(({ id }) => known.has(id)).map((one) => changesOf(known.get(one.id), one))
  return {
    elements: kept.flatMap(({ elements }) => elements),
    lists: [
      [
        after.id,
        after.parts.map(({ id }) => id),
        Object.fromEntries(added.map(({ id, text }) => [id, text])),
      ],
      ...kept.flatMap(({ lists }) => lists),
    ],
  }
}

const NONE: Changes = { elements: [], lists: [] }

/** An element with nothing in it but parts. */
const isList = ({ frame }: Part): boolean => /^<[^<>]+>(?:\0[^\0]*\0)+<\/\w+>$/.test(frame)

/** The headers of the pages of both programs; each page adds its own Content-Security-Policy. */
export const PAGE_HEADERS = {
  'x-content-type-options': 'nosniff',
  // With no-referrer, browsers send "Origin: null" with a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const
