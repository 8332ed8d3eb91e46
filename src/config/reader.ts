import { err, ok, type Result } from '../base/result.ts'
import { type Duration, formatDuration, parseDuration } from '../base/time.ts'
import { Secret } from '../net/secret.ts'

/** What a value looks like in a file; flags and the environment are always text. */
export type Shape = 'text' | 'list' | 'switch' | 'number' | 'span'

export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * How one kind of value is read from text. The complaint is a predicate: the caller supplies the subject. Several
 * complaints stand on a line each.
 */
export interface SettingReader<T> {
  readonly shape: Shape
  /** What to write instead of a value of another shape. */
  readonly instead?: (value: unknown) => string | undefined
  readonly read: (text: string) => Result<T, string>
  readonly schema: JsonSchema
}

export const text: SettingReader<string> = {
  shape: 'text',
  read: (value) => (value.trim() === '' ? err('is empty') : ok(value.trim())),
  schema: { type: 'string', minLength: 1 },
}

/** Taken as it is, blanks and all. */
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
    return isSwitch(word) ? ok(SWITCH[word]) : err('is neither true nor false')
  },
  schema: { type: 'boolean' },
}

export const whole = (least: number, most: number): SettingReader<number> => ({
  shape: 'number',
  read: (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most
      ? ok(number)
      : err(`is not a whole number from ${least} to ${most}`)
  },
  schema: { type: 'integer', minimum: least, maximum: most },
})

/** A path as people write it: "~" is the home folder of the user who runs the program. */
export const path: SettingReader<string> = {
  ...text,
  read: (value) =>
    /^~[^/]/.test(value.trim())
      ? err(
          `begins with ${value.trim().split('/')[0]}, the home folder of another user; write the whole path`,
        )
      : text.read(value),
}

/** A bare number with the unit that was probably meant, and the same in larger units. */
function withUnit(count: number, least: Duration, most: Duration): readonly string[] {
  const unit = (['s', 'm', 'd'] as const).find((one) => {
    const span = parseDuration(`${count}${one}`)
    return span.ok && span.value >= least && span.value <= most
  })
  const span = unit === undefined ? undefined : parseDuration(`${count}${unit}`)
  return span?.ok ? [...new Set([`${count}${unit}`, formatDuration(span.value)])] : []
}

function needsUnit(count: number, least: Duration, most: Duration, quote: '"' | ''): string {
  const forms = withUnit(count, least, most).map((form) => `${quote}${form}${quote}`)
  return `needs a unit: write ${forms.length === 0 ? `${quote}90s${quote}, ${quote}5m${quote} or ${quote}28d${quote}` : forms.join(' or ')}`
}

/** "90s", "5m", "28d": never a bare number, so that the unit need not be remembered. */
export const duration = (least: Duration, most: Duration): SettingReader<Duration> => ({
  shape: 'span',
  instead: (value) => (typeof value === 'number' ? needsUnit(value, least, most, '"') : undefined),
  read: (value) => {
    if (/^[1-9]\d*$/.test(value)) return err(needsUnit(Number(value), least, most, ''))
    const span = parseDuration(value)
    if (!span.ok) return span
    if (span.value < least) return err(`is shorter than the least allowed, ${formatDuration(least)}`)
    return span.value > most ? err(`is longer than the most allowed, ${formatDuration(most)}`) : span
  },
  schema: { type: 'string', pattern: '^(\\d+(min|ms|w|d|h|m|s))+$', examples: ['90s', '5m', '1h30m'] },
})

/** The same, and 0 for never. */
export const durationOrNever = (least: Duration, most: Duration): SettingReader<Duration> => ({
  ...duration(least, most),
  read: (value) => (value === '0' ? parseDuration(value) : duration(least, most).read(value)),
  schema: { type: 'string', pattern: '^(0|(\\d+(min|ms|w|d|h|m|s))+)$', examples: ['28d', '0'] },
})

export const choice = <const W extends string>(...words: readonly W[]): SettingReader<W> => ({
  shape: 'text',
  read: (value) => {
    const word = words.find((one) => one === value)
    return word === undefined ? err(`is not one of ${words.join(', ')}`) : ok(word)
  },
  schema: { enum: words },
})

/** An address may hold a password, and a complaint may not. */
const withoutUserinfo = (item: string): string => item.replace(/\/\/[^/]*@/, '//«secret»@')

/** Comma-separated in text, an array in a file. `forms` says what an item may look like, once for all that are wrong. */
export const listReader = <T>(
  item: (value: string) => Result<T, string>,
  schema: JsonSchema,
  forms?: string,
): SettingReader<readonly T[]> => ({
  shape: 'list',
  read: (value) => {
    const items = value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
    const results = [...new Set(items)].map((one) => ({ one, result: item(one) }))
    const wrong = results.flatMap(({ one, result }) =>
      result.ok ? [] : [`lists '${withoutUserinfo(one)}', which ${result.error}`],
    )
    if (items.length === 0) return err('lists nothing')
    return wrong.length > 0
      ? err([...wrong, ...(forms === undefined ? [] : [`may list ${forms}`])].join('\n'))
      : ok(results.flatMap(({ result }) => (result.ok ? [result.value] : [])))
  },
  schema: { type: 'array', minItems: 1, items: schema },
})
