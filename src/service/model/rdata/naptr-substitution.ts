/**
 * The fault of a substitution expression, such as "!^(.*)$!sip:\1@example.com!i"; undefined if it has none. RFC 3402 §3.2.
 * Name servers refuse a zone with an invalid one.
 */
export function substitutionFault(text: string): string | undefined {
  const delimiter = text[0] ?? ''
  if (/[\0\d\\i]/.test(delimiter)) return 'has a digit, "\\", "i" or the octet 0 as its delimiter'
  const [, expression = '', replacement = '', flags = '', ...rest] = partsOf(text, delimiter)
  if (text.includes('\0') || rest.length > 0 || partsOf(text, delimiter).length < 4)
    return `is not "${delimiter}EXPRESSION${delimiter}REPLACEMENT${delimiter}FLAGS"`
  if (!/^i?$/.test(flags)) return 'has flags other than "i"'
  const groups = groupsIn(expression)
  if (groups === undefined) return 'contains no valid POSIX extended regular expression'
  const references = [...replacement.matchAll(/\\(.)/gs)].flatMap(([, char = '']) =>
    /\d/.test(char) ? [Number(char)] : [],
  )
  return references.some((number) => number === 0 || number > groups)
    ? `refers to a group that the expression does not have; it has ${groups}`
    : undefined
}

/** The parts between delimiters; a delimiter after a backslash belongs to its part. */
const partsOf = (text: string, delimiter: string): readonly string[] =>
  (text.match(/\\.|[^\\]|\\$/gs) ?? []).reduce<readonly string[]>(
    (parts, token) =>
      token === delimiter ? [...parts, ''] : [...parts.slice(0, -1), (parts.at(-1) ?? '') + token],
    [''],
  )

interface Position {
  readonly depth: number
  /** Groups that are complete. */
  readonly groups: number
  /** What is before this position: nothing of a branch, something that can be repeated, or something that cannot. */
  readonly before: 'nothing' | 'atom' | 'fixed'
}
type Step = (at: Position, token: string) => Position | undefined

/** POSIX.1 §9.3.5. "]" is a character if it comes first. */
const ITEM = '(?:\\[:[a-z]+:\\]|\\[(?![.:=])|[^\\][])'
const BRACKET = new RegExp(`\\[(?:\\^(?:\\]|${ITEM})|\\]|(?!\\^)${ITEM})${ITEM}*\\]`, 'sy')

/** POSIX.1 §9.4. A repetition and a branch need something before them. */
const STEPS: readonly (readonly [token: RegExp, step: Step])[] = [
  [/\(/sy, (at) => ({ ...at, depth: at.depth + 1, before: 'nothing' })],
  [
    /\)/sy,
    ({ depth, groups, before }) =>
      after(depth > 0 && before !== 'nothing', { depth: depth - 1, groups: groups + 1, before: 'atom' }),
  ],
  [/\|/sy, (at) => after(at.before !== 'nothing', { ...at, before: 'nothing' })],
  [/[*+?]/sy, (at) => after(at.before === 'atom', { ...at, before: 'fixed' })],
  [
    /\{\d{1,3}(?:,\d{0,3})?\}/sy,
    (at, token) => after(at.before === 'atom' && isBound(token), { ...at, before: 'fixed' }),
  ],
  [/[$^]/sy, (at) => ({ ...at, before: 'fixed' })],
  [BRACKET, (at, token) => after(isBracket(token), { ...at, before: 'atom' })],
  [
    /\\\d/sy,
    (at, token) => after(token !== '\\0' && Number(token[1]) <= at.groups, { ...at, before: 'atom' }),
  ],
  [/\\\D/sy, (at) => ({ ...at, before: 'atom' })],
  [/[^\\()|*+?{[$^]/sy, (at) => ({ ...at, before: 'atom' })],
]

const after = (isValid: boolean, next: Position): Position | undefined => (isValid ? next : undefined)

/** The number of groups of a POSIX extended regular expression; undefined for any other text. */
function groupsIn(expression: string): number | undefined {
  let position: Position | undefined = { depth: 0, groups: 0, before: 'nothing' }
  for (let at = 0; at < expression.length; ) {
    const [token, step] = tokenAt(expression, at) ?? []
    position = position && token !== undefined ? step?.(position, token) : undefined
    if (position === undefined || token === undefined) return undefined
    at += token.length
  }
  return position?.depth === 0 && position.before !== 'nothing' ? position.groups : undefined
}

function tokenAt(text: string, at: number): readonly [string, Step] | undefined {
  for (const [pattern, step] of STEPS) {
    pattern.lastIndex = at
    const [token] = pattern.exec(text) ?? []
    if (token !== undefined) return [token, step]
  }
  return undefined
}

/** RE_DUP_MAX of POSIX is 255. */
function isBound(token: string): boolean {
  const [min = 0, max = 255] = [...token.matchAll(/\d+/g)].map(([number]) => Number(number))
  return min <= max && max <= 255 && min <= 255
}

const CLASSES = /\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]/g

/** A bracket expression. Its ranges ascend; "-" is a character where it comes first, or last and not after a range. */
function isBracket(token: string): boolean {
  // The octet 0 is in no expression: it stands for a class, which cannot begin or end a range.
  const inside = token.slice(token.startsWith('[^') ? 2 : 1, -1).replace(CLASSES, '\0')
  const items = [...inside.matchAll(/(.)-(.)|./gs)].map(([item]) => item)
  return (
    !inside.includes('[:') &&
    items.every((item, n) => {
      const [from = '', , to = ''] = item
      if (item.length > 1) return from <= to && from !== '\0' && to !== '\0'
      return item !== '-' || n === 0 || (n === items.length - 1 && items[n - 1]?.length === 1)
    })
  )
}
