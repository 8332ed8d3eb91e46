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
