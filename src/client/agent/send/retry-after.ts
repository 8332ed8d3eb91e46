import {
  between,
  type Duration,
  type Instant,
  instant,
  milliseconds,
  seconds,
} from '../../../shared/base/time.ts'

/** RFC 9110 §10.2.3: seconds, or an HTTP date. Limited to one day, so that a faulty service cannot end updates for good. */
export function parseRetryAfter(value: string | undefined, now: Instant): Duration | undefined {
  const span = value === undefined ? undefined : delayIn(value.trim(), now)
  return span === undefined || span < 0 ? undefined : milliseconds(Math.min(span, MAX_RETRY_AFTER))
}

function delayIn(value: string, now: Instant): Duration | undefined {
  if (/^\d+$/.test(value)) return seconds(Number(value))
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : between(now, instant(at))
}

/** RFC 9110 §5.6.7: the date begins with a weekday. Without this check Date.parse reads "-3600" as a year. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d/

const MAX_RETRY_AFTER = seconds(86_400)
