import { err, ok, type Result } from '../../base/result.ts'
import { after, type Duration, type Instant, isBefore, parseDuration } from '../../base/time.ts'
import { isReplyWord, type ReplyWord } from '../../protocol/reply.ts'

/** What may happen to a request before the rules get to see it. */
export type InjectedFault =
  | { readonly kind: 'reply'; readonly word: ReplyWord }
  | { readonly kind: 'delay'; readonly span: Duration }
  | { readonly kind: 'reset' }

export interface FaultInput {
  readonly username: string
  readonly now: Instant
}

/** A test server earns its keep by being difficult. Undefined leaves the matter to the rules; production has none. */
export type FaultRule = (passing: FaultInput) => InjectedFault | undefined

type Maker = (detail: string, start: Instant) => Result<FaultRule, string>

const span = (detail: string, then: (span: Duration) => FaultRule): Result<FaultRule, string> => {
  const read = parseDuration(detail)
  return read.ok ? ok(then(read.value)) : read
}

const count = (detail: string, then: (count: number) => FaultRule): Result<FaultRule, string> =>
  /^[1-9]\d{0,5}$/.test(detail) ? ok(then(Number(detail))) : err('is not a count from 1 on')

/** Counts for each username on its own. */
function everyNth(at: (nth: number) => InjectedFault | undefined): FaultRule {
  const seen = new Map<string, number>()
  return ({ username }) => {
    const nth = (seen.get(username) ?? 0) + 1
    seen.set(username, nth)
    return at(nth)
  }
}

/** One row for each kind of fault, by its name on the command line. */
export const FAULT_KINDS: Readonly<Record<string, Maker>> = {
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
export function parseFaults(text: string, start: Instant): Result<readonly FaultRule[], string> {
  const made = text.split(',').map((item) => {
    const [kind = '', ...detail] = item.trim().split(':')
    const maker = Object.hasOwn(FAULT_KINDS, kind) ? FAULT_KINDS[kind] : undefined
    if (maker === undefined)
      return err(`'${kind}' is no fault; the faults are ${Object.keys(FAULT_KINDS).join(', ')}`)
    const fault = maker(detail.join(':'), start)
    return fault.ok ? fault : err(`'${item.trim()}' ${fault.error}`)
  })
  const wrong = made.find((one) => !one.ok)
  return wrong !== undefined && !wrong.ok ? wrong : ok(made.flatMap((one) => (one.ok ? [one.value] : [])))
}
