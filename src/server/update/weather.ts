import { type Result, err, ok } from '../../base/result.ts'
import { type Duration, type Instant, after, isBefore, parseDuration } from '../../base/time.ts'
import { type ReplyWord, isReplyWord } from '../../protocol/reply.ts'

/** What may happen to a request before the rules get to see it. */
export type Gust =
  | { readonly kind: 'reply'; readonly word: ReplyWord }
  | { readonly kind: 'delay'; readonly span: Duration }
  | { readonly kind: 'reset' }

export interface Passing {
  readonly username: string
  readonly now: Instant
}

/** A test server earns its keep by being difficult. Undefined leaves the matter to the rules; production has none. */
export type Weather = (passing: Passing) => Gust | undefined

type Maker = (detail: string, start: Instant) => Result<Weather, string>

const span = (detail: string, then: (span: Duration) => Weather): Result<Weather, string> => {
  const read = parseDuration(detail)
  return read.ok ? ok(then(read.value)) : read
}

const count = (detail: string, then: (count: number) => Weather): Result<Weather, string> =>
  /^[1-9]\d{0,5}$/.test(detail) ? ok(then(Number(detail))) : err('is not a count from 1 on')

/** Counts for each username on its own. */
function everyNth(at: (nth: number) => Gust | undefined): Weather {
  const seen = new Map<string, number>()
  return ({ username }) => {
    const nth = (seen.get(username) ?? 0) + 1
    seen.set(username, nth)
    return at(nth)
  }
}

/** One row for each kind of weather, by its name on the command line. */
export const WEATHERS: Readonly<Record<string, Maker>> = {
  word: (detail) =>
    isReplyWord(detail) ? ok(() => ({ kind: 'reply', word: detail })) : err('is no reply word'),
  outage: (detail, start) =>
    span(
      detail,
      (length) =>
        ({ now }) =>
          isBefore(now, after(start, length)) ? { kind: 'reply', word: '911' } : undefined,
    ),
  slow: (detail) => span(detail, (length) => () => ({ kind: 'delay', span: length })),
  reset: (detail) =>
    count(detail === '' ? '1' : detail, (every) =>
      everyNth((nth) => (nth % every === 0 ? { kind: 'reset' } : undefined)),
    ),
  impatient: (detail) =>
    count(detail, (most) => everyNth((nth) => (nth > most ? { kind: 'reply', word: 'abuse' } : undefined))),
}

/** "word:abuse", "outage:30s", "slow:2s,reset:3": the first that has something to say says it; delays come on top. */
export function parseWeather(text: string, start: Instant): Result<readonly Weather[], string> {
  const made = text.split(',').map((item) => {
    const [kind = '', ...detail] = item.trim().split(':')
    const maker = Object.hasOwn(WEATHERS, kind) ? WEATHERS[kind] : undefined
    if (maker === undefined)
      return err(`'${kind}' is no weather; there are ${Object.keys(WEATHERS).join(', ')}`)
    const weather = maker(detail.join(':'), start)
    return weather.ok ? weather : err(`'${item.trim()}' ${weather.error}`)
  })
  const wrong = made.find((one) => !one.ok)
  return wrong !== undefined && !wrong.ok ? wrong : ok(made.flatMap((one) => (one.ok ? [one.value] : [])))
}
