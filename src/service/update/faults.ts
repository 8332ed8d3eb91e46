import { err, ok, type Result } from '../../shared/base/result.ts'
import { after, type Duration, type Instant, isBefore, parseDuration } from '../../shared/base/time.ts'
import { isReplyWord, type ReplyWord } from '../../shared/protocol/reply.ts'

/** What replaces, or delays, the answer to a request. */
export type InjectedFault =
  | { readonly kind: 'reply'; readonly word: ReplyWord }
  | { readonly kind: 'delay'; readonly span: Duration }
  | { readonly kind: 'reset' }

interface FaultInput {
  readonly username: string
  readonly now: Instant
}

/** Fault injection for tests of clients. Undefined: the request is handled normally. Production has no rules. */
export type FaultRule = (input: FaultInput) => InjectedFault | undefined

type FaultParser = (detail: string, start: Instant) => Result<FaultRule, string>

const withSpan = (detail: string, rule: (span: Duration) => FaultRule): Result<FaultRule, string> => {
  const parsed = parseDuration(detail)
  return parsed.ok ? ok(rule(parsed.value)) : parsed
}

const withCount = (detail: string, rule: (count: number) => FaultRule): Result<FaultRule, string> =>
  /^[1-9]\d{0,5}$/.test(detail) ? ok(rule(Number(detail))) : err('is not a count of 1 to 999999')

/** Counts the requests of each username. */
function byRequestNumber(faultAt: (nth: number) => InjectedFault | undefined): FaultRule {
  const counts = new Map<string, number>()
  return ({ username }) => {
    const nth = (counts.get(username) ?? 0) + 1
    counts.set(username, nth)
    return faultAt(nth)
  }
}

/** One row per kind of fault, by its name on the command line. */
export const FAULT_KINDS: Readonly<Record<string, FaultParser>> = {
  word: (detail) =>
    isReplyWord(detail) ? ok(() => ({ kind: 'reply', word: detail })) : err('is not a reply word'),
  outage: (detail, start) =>
    withSpan(
      detail,
      (length) =>
        ({ now }) =>
          isBefore(now, after(start, length)) ? { kind: 'reply', word: '911' } : undefined,
    ),
  slow: (detail) => withSpan(detail, (length) => () => ({ kind: 'delay', span: length })),
  reset: (detail) =>
    withCount(detail === '' ? '1' : detail, (every) =>
      byRequestNumber((nth) => (nth % every === 0 ? { kind: 'reset' } : undefined)),
    ),
  impatient: (detail) =>
    withCount(detail, (max) =>
      byRequestNumber((nth) => (nth > max ? { kind: 'reply', word: 'abuse' } : undefined)),
    ),
}

/**
 * "word:abuse", "outage:30s", "slow:2s,reset:3": the first fault that is not
 * a delay applies, after the delays before it.
 */
export function parseFaults(text: string, start: Instant): Result<readonly FaultRule[], string> {
  const rules: FaultRule[] = []
  for (const item of text.split(',')) {
    const rule = parseFault(item.trim(), start)
    if (!rule.ok) return rule
    rules.push(rule.value)
  }
  return ok(rules)
}

function parseFault(text: string, start: Instant): Result<FaultRule, string> {
  const [kind = '', ...detail] = text.split(':')
  const parser = Object.hasOwn(FAULT_KINDS, kind) ? FAULT_KINDS[kind] : undefined
  if (parser === undefined)
    return err(`'${kind}' is not a fault; the faults are ${Object.keys(FAULT_KINDS).join(', ')}`)
  const rule = parser(detail.join(':'), start)
  return rule.ok ? rule : err(`'${text}' ${rule.error}`)
}
