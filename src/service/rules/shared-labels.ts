import { domainToUnicode } from 'node:url'
import { type Refusal, refuse } from '../model/errors.ts'
import { baseOf } from './nesting.ts'

/** Scripts that people write names in today (UAX #31, table 5). */
const SCRIPTS = `Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul
  Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan`
/** Each alone, and those of Chinese, Japanese and Korean together (UTS #39 §5.2, highly restrictive). */
const TOGETHER = [
  ...SCRIPTS.split(/\s+/).map((script) => [script]),
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
].map((scripts) => new RegExp(`^(?:[-\\p{N}]|${scripts.map((one) => `\\p{scx=${one}}`).join('|')})+$`, 'u'))
/** Letters, marks and digits: symbols are no part of a name (RFC 5892 §2.1). */
const LETTERS = /^[\p{L}\p{M}\p{N}-]+$/u

/**
 * Names that look like those of others, or that programs ask for on their own: in a shared zone only its owner makes them.
 * `reserved`: labels directly beneath the zone, also with a number behind them.
 */
export function sharedLabelFault(
  name: string,
  reserved: readonly string[],
): Refusal<'nameInvalid'> | undefined {
  const labels = baseOf(name).split('.')
  const top = labels.at(-1) ?? ''
  if (reserved.includes(top.replace(/\d+$/, '')))
    return refuse('nameInvalid', `${top} is reserved for the owner of the zone`)
  for (const label of labels.filter((one) => one.startsWith('xn--'))) {
    const text = domainToUnicode(label)
    if (text === label || !LETTERS.test(text))
      return refuse('nameInvalid', `${label} is no name in the letters of a language (RFC 5891)`)
    if (!TOGETHER.some((pattern) => pattern.test(text)))
      return refuse('nameInvalid', `${label} has letters of several scripts: ${text}`)
  }
  return undefined
}
