import { type Credentials, formatBasic } from '../../net/basic.ts'

const SHOWN = '«secret»'

/** A shorter password may stand in any text by chance: it is looked for as it is, and in an address. */
const LEAST = 6

type Spelling = (text: string) => string
const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8')
const unpadded = (text: string): string => text.replace(/=+$/, '')
const json: Spelling = (text) => JSON.stringify(text).slice(1, -1)
const jsonInAscii: Spelling = (text) =>
  json(text).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const byNumber =
  (base: 10 | 16, signs: RegExp): Spelling =>
  (text) =>
    text.replaceAll(
      signs,
      (sign) => `&#${base === 16 ? 'x' : ''}${(sign.codePointAt(0) ?? 0).toString(base)};`,
    )
const HTML_SIGNS = /[&<>"']/g
const EVERY_SIGN = /[^]/gu

/** What stands for the double quote and for the apostrophe where &, < and > have their names: libraries differ. */
// biome-ignore format: a table
const QUOTES = [['"', "'"], ['&quot;', "'"], ['&quot;', '&#39;'], ['&quot;', '&#039;'], ['&quot;', '&#x27;'], ['&quot;', '&apos;'], ['&#34;', '&#39;']] as const
const byName =
  ([quote, apostrophe]: (typeof QUOTES)[number]): Spelling =>
  (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe)

/** How a service or a page may write a password that it was sent. The case of letters does not matter. */
const SPELLINGS: readonly Spelling[] = [
  (text) => text,
  encodeURIComponent,
  encodeURI,
  (text) => encodeURIComponent(text).replaceAll(/[!'()*~._-]/g, (sign) => `%${utf8(sign).toString('hex')}`),
  (text) => encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${utf8(sign).toString('hex')}`),
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
  json,
  jsonInAscii,
  (text) => json(text).replaceAll('/', '\\/'),
  (text) => jsonInAscii(text).replaceAll('/', '\\/'),
  ...QUOTES.map(byName),
  byNumber(10, HTML_SIGNS),
  byNumber(16, HTML_SIGNS),
  byNumber(10, EVERY_SIGN),
  byNumber(16, EVERY_SIGN),
  (text) => unpadded(utf8(text).toString('base64')),
  (text) => utf8(text).toString('base64url'),
  (text) => utf8(text).toString('hex'),
]

/** A service may mirror what it was sent: nothing of it may reach a log or a terminal. */
export function withoutSecrets(text: string, credentials: Credentials): string {
  // Half a surrogate pair cannot be sent either.
  const password = utf8(credentials.password.reveal()).toString('utf8')
  const basic = formatBasic(credentials).slice('Basic '.length)
  const pair = [unpadded(basic), utf8(`${credentials.username}:${password}`).toString('base64url')]
  if (password.length >= LEAST)
    return masked(text, [...pair, ...SPELLINGS.map((spelling) => spelling(password))])
  return [password, encodeURIComponent(password)]
    .filter((secret) => secret !== '')
    .reduce((shown, secret) => shown.replaceAll(secret, SHOWN), masked(text, pair))
}

/** Where each unit of the bare text stands in the text: from, and up to. */
interface Bare {
  readonly units: string
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** White space, controls and signs of no width, which may stand between any two signs of a secret. */
const GAP = /[\p{C}\p{Zl}\p{Zp}\s]/u

function bareOf(text: string): Bare {
  const [signs, from, to]: [string[], number[], number[]] = [[], [], []]
  let at = 0
  for (const sign of text) {
    const end = at + sign.length
    for (const unit of GAP.test(sign) ? [] : sign.toLowerCase().split('')) {
      signs.push(unit)
      from.push(at)
      to.push(end)
    }
    at = end
  }
  return { units: signs.join(''), from, to }
}

function masked(text: string, secrets: readonly string[]): string {
  const bare = bareOf(text)
  const found = [...new Set(secrets.map((secret) => bareOf(secret).units))]
    .filter((secret) => secret !== '')
    .flatMap((secret) => placesOf(secret, bare))
    .toSorted(([a], [b]) => a - b)
  let shown = ''
  let end = 0
  for (const [from, to] of found) {
    if (from >= end) shown += text.slice(end, from) + SHOWN
    end = Math.max(end, to)
  }
  return shown + text.slice(end)
}

function placesOf(secret: string, { units, from, to }: Bare): readonly (readonly [number, number])[] {
  const places: (readonly [number, number])[] = []
  for (let at = units.indexOf(secret); at >= 0; at = units.indexOf(secret, at + secret.length))
    places.push([from[at] ?? 0, to[at + secret.length - 1] ?? 0])
  return places
}
