import { basicToken, type Credentials, type Secret } from '../../../shared/base/secret.ts'

const MASK = '«secret»'

/** A shorter password can occur in any text by chance: only its plain and percent-encoded forms are masked. */
const MIN_LENGTH = 6
/** Of a secret of `MIN_CUT` characters or more, a piece of this length is masked too: a service or a limit may cut it. */
const PIECE = 10
const MIN_CUT = 16

type Spelling = (text: string) => string
const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8')
const unpadded = (text: string): string => text.replace(/=+$/, '')
const json: Spelling = (text) => JSON.stringify(text).slice(1, -1)
const jsonInAscii: Spelling = (text) =>
  json(text).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const htmlByNumber =
  (base: 10 | 16, characters: RegExp): Spelling =>
  (text) =>
    text.replaceAll(
      characters,
      (character) => `&#${base === 16 ? 'x' : ''}${(character.codePointAt(0) ?? 0).toString(base)};`,
    )
const HTML_CHARACTERS = /[&<>"']/g
const ALL_CHARACTERS = /[^]/gu

/** HTML libraries differ in how they escape the double quote and the apostrophe. */
// biome-ignore format: a table
const QUOTES = [
  ['"', "'"], ['&quot;', "'"], ['&quot;', '&#39;'], ['&quot;', '&#039;'],
  ['&quot;', '&#x27;'], ['&quot;', '&apos;'], ['&#34;', '&#39;'],
] as const
const htmlByName =
  ([quote, apostrophe]: (typeof QUOTES)[number]): Spelling =>
  (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe)

/** The encodings in which a service or a page may repeat a password. Compared without regard to case. */
const SPELLINGS: readonly Spelling[] = [
  (text) => text,
  encodeURIComponent,
  encodeURI,
  (text) =>
    encodeURIComponent(text).replaceAll(/[!'()*~._-]/g, (character) => `%${utf8(character).toString('hex')}`),
  (text) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => `%${utf8(character).toString('hex')}`),
  // The same but for the slash: urllib of Python.
  (text) =>
    encodeURIComponent(text)
      .replaceAll(/[!'()*]/g, (character) => `%${utf8(character).toString('hex')}`)
      .replaceAll('%2F', '/'),
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
  json,
  jsonInAscii,
  (text) => json(text).replaceAll('/', '\\/'),
  (text) => jsonInAscii(text).replaceAll('/', '\\/'),
  ...QUOTES.map(htmlByName),
  htmlByNumber(10, HTML_CHARACTERS),
  htmlByNumber(16, HTML_CHARACTERS),
  htmlByNumber(10, ALL_CHARACTERS),
  htmlByNumber(16, ALL_CHARACTERS),
  (text) => unpadded(utf8(text).toString('base64')),
  (text) => utf8(text).toString('base64url'),
  (text) => utf8(text).toString('hex'),
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
]

/** Base64 of a longer text that has the secret, such as a header: by its position in the groups of three octets. */
const embeddedInBase64 = (text: string): readonly string[] =>
  [0, 1, 2].map((offset) => {
    const octets = Buffer.concat([Buffer.alloc(offset), utf8(text)])
    const whole = octets.subarray(0, octets.length - (octets.length % 3))
    return whole.toString('base64').slice(offset === 0 ? 0 : 4)
  })

/** Each piece of a long secret. */
const piecesOf = (secret: string): readonly string[] =>
  secret.length < MIN_CUT
    ? []
    : Array.from({ length: secret.length - PIECE + 1 }, (_, at) => secret.slice(at, at + PIECE))

/**
 * The text with each occurrence of the password, of the Basic credentials and of the other secrets masked: a service may
 * repeat what it was sent.
 */
export function withoutSecrets(
  text: string,
  credentials: Credentials,
  others: readonly Secret[] = [],
): string {
  // UTF-8 replaces a lone surrogate, as the request did.
  const secrets = [credentials.password, ...others].map((one) => utf8(one.reveal()).toString('utf8'))
  const pair = [
    unpadded(basicToken(credentials).reveal()),
    utf8(`${credentials.username}:${secrets[0]}`).toString('base64url'),
  ]
  const long = secrets.filter((secret) => secret.length >= MIN_LENGTH)
  const masked = maskAll(text, [
    ...pair,
    ...long.flatMap((secret) => [
      ...SPELLINGS.map((spelling) => spelling(secret)),
      ...embeddedInBase64(secret).filter((one) => one.length >= MIN_LENGTH),
      ...piecesOf(secret),
    ]),
  ])
  const cut = long.reduce((rest, secret) => withoutBeginning(rest, secret), masked)
  return secrets
    .filter((secret) => secret !== '' && secret.length < MIN_LENGTH)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((rest, secret) => withoutShort(rest, secret), cut)
}

/** The beginning of a secret, where the text was cut off. */
function withoutBeginning(text: string, secret: string): string {
  for (let length = Math.min(secret.length, text.length); length >= MIN_BEGINNING; length--)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${MASK}`
  return text
}
const MIN_BEGINNING = 4

/** A mask is no text of the service, and may have the letter that is the secret. */
const withoutShort = (text: string, secret: string): string =>
  text
    .split(MASK)
    .map((piece) => piece.replaceAll(secret, MASK))
    .join(MASK)

/** A text in lower case without gaps, and for each of its code units where its character begins and ends in the original. */
interface CompactText {
  readonly units: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** White space, control characters and characters of no width, which may separate the characters of a secret. */
const GAP = /[\p{C}\p{Zl}\p{Zp}\s]/u

function compact(text: string): CompactText {
  const units: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  for (const character of text) {
    const end = at + character.length
    for (const unit of GAP.test(character) ? [] : character.toLowerCase().split('')) {
      units.push(unit)
      starts.push(at)
      ends.push(end)
    }
    at = end
  }
  return { units: units.join(''), starts, ends }
}

function maskAll(text: string, secrets: readonly string[]): string {
  const compactText = compact(text)
  const matches = [...new Set(secrets.map((secret) => compact(secret).units))]
    .filter((secret) => secret !== '')
    .flatMap((secret) => matchesOf(secret, compactText))
    .toSorted(([a], [b]) => a - b)
  let masked = ''
  let end = 0
  for (const [from, to] of matches) {
    if (from >= end) masked += text.slice(end, from) + MASK
    end = Math.max(end, to)
  }
  return masked + text.slice(end)
}

function matchesOf(
  secret: string,
  { units, starts, ends }: CompactText,
): readonly (readonly [from: number, to: number])[] {
  const matches: (readonly [number, number])[] = []
  for (let at = units.indexOf(secret); at >= 0; at = units.indexOf(secret, at + secret.length))
    matches.push([starts[at] ?? 0, ends[at + secret.length - 1] ?? 0])
  return matches
}
