import { meaningOfWord, type ReplyWord, type ServiceNouns } from './reply.ts'

/** A refusal with the service's own explanation. */
interface Said {
  readonly because: ReplyWord
  readonly said?: string
  readonly quote?: string
}

/** For a person, in the words of the service; of another protocol, with no word of this one (decision 0068). */
export function saidText({ because, said, quote }: Said, nouns: ServiceNouns): string {
  const meaning = meaningOfWord(because, said, nouns)
  const word = said === undefined ? because : `${said}, which is handled like ${because}`
  const text = nouns.speaksWords ? `the service answered ${word} (${meaning})` : meaning
  return withQuote(text, { ...(quote !== undefined && { quote }) })
}

/** The same for a wait: `detail` is the word that the service sent, or a quote. */
export const waitText = (because: ReplyWord, detail: string, nouns: ServiceNouns): string =>
  saidText(
    { because, ...(detail.startsWith('"') ? { quote: detail } : detail !== '' && { said: detail }) },
    nouns,
  )

export const withQuote = (text: string, reply: object): string =>
  'quote' in reply && typeof reply.quote === 'string' ? `${text}: ${reply.quote}` : text

/** Enough to recognise a response in a log. In characters. */
const MAX_QUOTE_LENGTH = 80

/**
 * The beginning of an unrecognized body, in quotes, for logs. Removes tags and control characters, and collapses white
 * space. Empty for a body without visible text.
 */
export function quoteOf(body: string): string {
  const beginning = body.slice(0, 64 * MAX_QUOTE_LENGTH)
  const plain = beginning
    .replace(/<(script|style)\b[^]*?(<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    // Controls, format characters, private use, lone surrogates, line and paragraph separators.
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  if (plain === '') return ''
  const characters = Array.from(plain)
  const isLong = characters.length > MAX_QUOTE_LENGTH
  return `"${isLong ? `${characters.slice(0, MAX_QUOTE_LENGTH).join('')}…` : plain}"`
}
