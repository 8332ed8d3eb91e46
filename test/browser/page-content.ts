import type { Page } from 'playwright-core'
import { RAN } from './hostile-texts.ts'

/** What a page is made of, as the browser has parsed it. */
export interface Content {
  /** What a payload has set. */
  readonly ran: unknown
  /** How often each element is there. */
  readonly elements: Readonly<Record<string, number>>
  /** Attributes that are code, by their names. */
  readonly handlers: readonly string[]
  /** Where links, forms and sources lead. */
  readonly addresses: readonly string[]
  /** Ids that more than one element has. */
  readonly sameIds: readonly string[]
  readonly tokens: readonly string[]
  /** Forms that change something. */
  readonly forms: number
  /** Texts that people see, values of fields, and values of attributes but those of the tokens. */
  readonly texts: string
}

const CONTENT = `(() => {
  const all = [...document.querySelectorAll('*')]
  const attributes = all.flatMap((one) => [...one.attributes].filter(() => one.name !== 'token'))
  const ids = all.flatMap(({ id }) => id || [])
  return {
    ran: globalThis.${RAN} ?? null,
    elements: Object.fromEntries(Object.entries(Object.groupBy(all, ({ localName }) => localName)).map(([name, { length }]) => [name, length])),
    handlers: attributes.flatMap(({ name }) => name.startsWith('on') ? [name] : []),
    addresses: attributes.flatMap(({ name, value }) => /^(href|src|srcset|action|formaction|data|data-from|xlink:href)$/.test(name) ? [value] : []),
    sameIds: ids.filter((id, nth) => ids.indexOf(id) !== nth),
    tokens: all.flatMap((one) => one.matches('input[name=token]') ? [one.value] : []),
    forms: document.querySelectorAll('form[method=post]').length,
    texts: [document.title, document.body.textContent, ...all.flatMap((one) => one.name !== 'token' && one.value || []), ...attributes.map(({ value }) => value)].join('\\n'),
  }
})()`

export const contentOf = async (page: Page): Promise<Content> => (await page.evaluate(CONTENT)) as Content

/** The elements that pages of the console have; no value of an account may add another. */
const ELEMENTS =
  'html head meta title link script body a header p img nav ul li div span form input button main h1 h2 section table ' +
  'caption thead tr th tbody td time bdi code del ins dl dt dd label select option textarea details summary pre footer fieldset legend'
const KNOWN = new Set(ELEMENTS.split(' '))
/** Those of which each page has so many. */
const COUNTS = { meta: 3, title: 1, link: 2, script: 1, img: 1 } as const

/** As the console writes a text: control characters, also those of directions, are blanks; lines may be anywhere. */
const visible = (text: string): string =>
  text.replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\s]+/g, ' ').trim()

/** What is wrong with a page that has to show these texts as texts. */
export function faultsOf(content: Content, texts: readonly string[]): readonly string[] {
  const { ran, elements, handlers, addresses, sameIds, tokens, forms } = content
  const shown = visible(content.texts)
  const [token = ''] = tokens
  return [
    ...(ran === null ? [] : ['a payload ran']),
    ...Object.keys(elements).flatMap((name) => (KNOWN.has(name) ? [] : [`an element ${name}`])),
    ...Object.entries(COUNTS).flatMap(([name, count]) =>
      elements[name] === count ? [] : [`${elements[name] ?? 0} elements ${name}`],
    ),
    ...handlers.map((name) => `an attribute ${name}`),
    ...addresses.flatMap((to) => (/^(\/console\/|#[\w-]+$)/.test(to) ? [] : [`an address ${to}`])),
    ...sameIds.map((id) => `two elements #${id}`),
    ...(tokens.length === forms && new Set(tokens).size <= 1
      ? []
      : [`${tokens.length} tokens, ${forms} forms`]),
    ...(token !== '' && shown.includes(token) ? ['the token is in a text'] : []),
    ...texts.flatMap((text) => (shown.includes(visible(text)) ? [] : [`not shown: ${text}`])),
  ]
}
