import { isMailAddress, mailServerIn } from '../base/mail.ts'
import { err, ok, type Result } from '../base/result.ts'
import { type Duration, formatDuration, parseDuration } from '../base/time.ts'
import { Secret } from '../base/secret.ts'
import { shownItems } from './secret-names.ts'

/** The type of a value in a file. Flags and variables are always text. */
export type Shape = 'text' | 'list' | 'arguments' | 'switch' | 'number' | 'span'

export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * How a value of one type is parsed from text. An error is a predicate without subject ("is empty"); the caller prepends the
 * setting. Several errors are separated by newlines.
 */
export interface SettingReader<T> {
  readonly shape: Shape
  /** For a value of another shape: a predicate that says what to write. */
  readonly hint?: (value: unknown) => string | undefined
  readonly read: (text: string) => Result<T, string>
  readonly schema: JsonSchema
  /** The value is the path of a file or folder. */
  readonly isPath?: true
}

export const text: SettingReader<string> = {
  shape: 'text',
  read: (value) => (value.trim() === '' ? err('is empty') : ok(value.trim())),
  schema: { type: 'string', minLength: 1 },
}

/** Not trimmed: blanks belong to a password. */
export const secret: SettingReader<Secret> = {
  shape: 'text',
  read: (value) => (value === '' ? err('is empty') : ok(new Secret(value))),
  schema: { type: 'string', minLength: 1 },
}

const SWITCH = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
} as const
const isSwitch = (value: string): value is keyof typeof SWITCH => Object.hasOwn(SWITCH, value)

export const onOff: SettingReader<boolean> = {
  shape: 'switch',
  read: (value) => {
    const word = value.toLowerCase()
    return isSwitch(word) ? ok(SWITCH[word]) : err('must be true or false')
  },
  schema: { type: 'boolean' },
}

/** A whole number; both limits are inclusive. */
export const whole = (min: number, max: number): SettingReader<number> => ({
  shape: 'number',
  read: (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    return number >= min && number <= max ? ok(number) : err(`must be a whole number from ${min} to ${max}`)
  },
  schema: { type: 'integer', minimum: min, maximum: max },
})

/** A path, in which a leading "~/" is the home folder of the user that runs the program; "~user" is refused. */
export const path: SettingReader<string> = {
  ...text,
  isPath: true,
  read: (value) =>
    /^~[^/]/.test(value.trim())
      ? err(
          `begins with ${value.trim().split('/')[0]}, the home folder of another user; write the absolute path`,
        )
      : text.read(value),
}

/** Both limits are inclusive. */
interface DurationRange {
  readonly min: Duration
  readonly max: Duration
}

/**
 * A number with the first unit that puts it into the range, and the same duration in larger units; empty where none does.
 */
function withUnit(count: number, { min, max }: DurationRange): readonly string[] {
  const unit = (['s', 'm', 'd'] as const).find((one) => {
    const span = parseDuration(`${count}${one}`)
    return span.ok && span.value >= min && span.value <= max
  })
  const span = unit === undefined ? undefined : parseDuration(`${count}${unit}`)
  return span?.ok ? [...new Set([`${count}${unit}`, formatDuration(span.value)])] : []
}

/** The error for a number without a unit, with suggestions in `quote`: files need quotes, the command line does not. */
function needsUnit(count: number, range: DurationRange, quote: '"' | ''): string {
  const suggestions = withUnit(count, range).map((form) => `${quote}${form}${quote}`)
  const examples = `${quote}90s${quote}, ${quote}5m${quote} or ${quote}28d${quote}`
  return `needs a unit: write ${suggestions.length === 0 ? examples : suggestions.join(' or ')}`
}

/** A duration with its unit, such as "90s", "5m" or "28d"; both limits are inclusive. */
export const duration = (min: Duration, max: Duration): SettingReader<Duration> => ({
  shape: 'span',
  hint: (value) => (typeof value === 'number' ? needsUnit(value, { min, max }, '"') : undefined),
  read: (value) => {
    if (/^[1-9]\d*$/.test(value)) return err(needsUnit(Number(value), { min, max }, ''))
    const span = parseDuration(value)
    if (!span.ok) return span
    return span.value < min || span.value > max
      ? err(`must be between ${formatDuration(min)} and ${formatDuration(max)}`)
      : span
  },
  schema: { type: 'string', pattern: '^(\\d+(min|ms|w|d|h|m|s))+$', examples: ['90s', '5m', '1h30m'] },
})

/** A duration, or 0 for "never". */
export const durationOrNever = (min: Duration, max: Duration): SettingReader<Duration> => ({
  ...duration(min, max),
  read: (value) => (value === '0' ? parseDuration(value) : duration(min, max).read(value)),
  schema: { type: 'string', pattern: '^(0|(\\d+(min|ms|w|d|h|m|s))+)$', examples: ['28d', '0'] },
})

/** Ends each argument of a list in a file: commas and blanks belong to an argument, and two may be equal. */
export const ARGUMENT_END = '\0'

/** A program and its arguments: a list in a file, or text with commas between them. */
export const programArguments: SettingReader<readonly string[]> = {
  shape: 'arguments',
  read: (value) => {
    const isList = value.endsWith(ARGUMENT_END)
    const items = isList ? value.slice(0, -1).split(ARGUMENT_END) : value.split(',').map((one) => one.trim())
    return items[0] === undefined || items[0].trim() === '' ? err('names no program') : ok(items)
  },
  schema: { type: 'array', minItems: 1, items: { type: 'string' } },
}

/** One of several words, compared exactly. */
export const choice = <const W extends string>(...words: readonly W[]): SettingReader<W> => ({
  shape: 'text',
  read: (value) => {
    const word = words.find((one) => one === value)
    return word === undefined ? err(`must be one of ${words.join(', ')}`) : ok(word)
  },
  schema: { enum: words },
})

interface ListOptions {
  /** What the list may have, for complaints. */
  readonly forms?: string
  /** The items as a complaint may show them. */
  readonly shownAs?: (items: readonly string[]) => readonly string[]
}

/**
 * Comma-separated in text, an array in a file; duplicates are dropped. `forms` describes a valid item, and follows the
 * errors once.
 */
export const listReader = <T>(
  item: (value: string) => Result<T, string>,
  schema: JsonSchema,
  { forms, shownAs = shownItems }: ListOptions = {},
): SettingReader<readonly T[]> => ({
  shape: 'list',
  read: (value) => {
    const items = value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
    const shown = shownAs(items)
    const results = [...new Map(items.map((one, at) => [one, shown[at] ?? '']))].map(([one, as]) => ({
      as,
      result: item(one),
    }))
    const errors = results.flatMap(({ as, result }) =>
      result.ok ? [] : [`lists '${as}', which ${result.error}`],
    )
    if (items.length === 0) return err('is empty')
    return errors.length > 0
      ? err([...errors, ...(forms === undefined ? [] : [`may list ${forms}`])].join('\n'))
      : ok(results.flatMap(({ result }) => (result.ok ? [result.value] : [])))
  },
  schema: { type: 'array', minItems: 1, items: schema },
})

/** An e-mail address: a simple subset of RFC 5321 mailboxes. */
export const mailbox: SettingReader<string> = {
  ...text,
  read: (value) =>
    isMailAddress(value) ? ok(value) : err('must be an e-mail address, such as you@mail.example'),
}

/** See `mailServerIn`. */
export const mailServer: SettingReader<string> = {
  ...text,
  read: (value) =>
    mailServerIn(value) === undefined
      ? err('must be a host, with its port if that is not 465, such as smtp.example or smtp.example:587')
      : ok(value),
}
