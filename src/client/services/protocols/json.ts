import { parseAddress } from '../../../shared/base/address.ts'
import { quoteOf } from '../../../shared/protocol/said-text.ts'
import { isFamilyWord, isReplyWord } from '../../../shared/protocol/reply.ts'

/** The document of an answer, which may begin with a byte order mark; undefined where it is none. */
export function documentIn(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, '')) as unknown
  } catch {
    return undefined
  }
}

/** A member, or a member of a member; undefined where there is none. */
export const memberOfDocument = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Readonly<Record<string, unknown>>)[String(name)]
        : undefined,
    value,
  )

/** A text, a number or a boolean as text; undefined for anything else. */
export function memberText(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = memberOfDocument(value, ...path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : undefined
}

/** Undefined where there is no list. */
export function memberList(
  value: unknown,
  ...path: readonly (string | number)[]
): readonly unknown[] | undefined {
  const found = memberOfDocument(value, ...path)
  return Array.isArray(found) ? found : undefined
}

/** Where documents have what they say of an error, and its code. */
const MESSAGES = [
  'message',
  'longmessage',
  'detail',
  'description',
  'error_description',
  'reason',
  'msg',
  'error',
  'title',
]
const CODES = ['code', 'statuscode', 'error_code', 'id']
/** An item with its own error. */
const NESTED = ['errors', 'error', 'status', 'response']
const MAX_NESTING = 4

/**
 * What a service says of a refusal, as a quote with its code: `"This API Token is expired" (1000)`. Empty where it says no
 * more than a word of the protocol. `masked` takes secrets out of a text: before it is cut, which could leave a part of one.
 */
export function ownWords(body: string, masked: (text: string) => string = (text) => text): string {
  const document = documentIn(body)
  const message = typeof document === 'object' && document !== null ? messageIn(document, masked) : undefined
  return message ?? (isBareReply(body) ? '' : quoteOf(masked(body)))
}

const isBareReply = (body: string): boolean =>
  body
    .toLowerCase()
    .split(/[\s,]+/)
    .every(
      (word) => word === '' || isReplyWord(word) || isFamilyWord(word) || parseAddress(word) !== undefined,
    )

/** What a document says of an error; undefined where the text is no document with such a member. */
export function messageOf(body: string): string | undefined {
  const document = documentIn(body)
  return typeof document === 'object' && document !== null ? messageIn(document, (text) => text) : undefined
}

function messageIn(value: unknown, masked: (text: string) => string, depth = 0): string | undefined {
  if (Array.isArray(value)) return messageIn(value[0], masked, depth)
  if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return undefined
  const inner = NESTED.flatMap(
    (name) => messageIn((value as Record<string, unknown>)[name], masked, depth + 1) ?? [],
  )[0]
  if (inner !== undefined) return inner
  const [message] = MESSAGES.flatMap((name) => textAt(value, name))
  if (message === undefined) return undefined
  const [code] = CODES.flatMap((name) => textAt(value, name))
  // Cloudflare says in a chain what is wrong in what it names first.
  const [more] = textAt(value, 'error_chain', 0, 'message')
  const quote = quoteOf(masked(more === undefined ? message : `${message}: ${more}`))
  return quote === '' || code === undefined || code === message
    ? quote
    : `${quote} (${masked(code).slice(0, MAX_CODE)})`
}

/** In characters. */
const MAX_CODE = 40

const textAt = (value: unknown, ...path: readonly (string | number)[]): readonly string[] => {
  const text = memberText(value, ...path)
  return text === undefined || text.trim() === '' ? [] : [text]
}
