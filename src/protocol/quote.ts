/** What a person needs to recognise an answer: more would fill a log, and may be anything. */
const MAX_QUOTE = 80

/**
 * The beginning of a body that was not understood, in quotes: tags and characters that a terminal acts on are left out, white
 * space is one blank. Empty for a body with nothing to show.
 */
export function quoteOf(body: string): string {
  const beginning = body.slice(0, 64 * MAX_QUOTE)
  const plain = beginning
    .replace(/<(script|style)\b[^]*?(<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    // Controls, format characters, private use, lone surrogates, line and paragraph separators.
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  if (plain === '') return ''
  const shown = Array.from(plain)
  return `"${shown.length > MAX_QUOTE ? `${shown.slice(0, MAX_QUOTE).join('')}…` : plain}"`
}
