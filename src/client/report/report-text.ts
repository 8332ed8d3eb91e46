import { formatLocal, parseInstant } from '../../base/time.ts'
import { listed } from '../../net/address.ts'
import { labelOf } from './account-name.ts'
import type { Outcome } from './outcome.ts'
import type { AccountReport } from './report.ts'

/** A moment of a report as the user's own clock shows it. */
export function shownTime(at: string | null): string {
  const moment = at === null ? undefined : parseInstant(at)
  return moment === undefined ? 'unknown' : formatLocal(moment)
}

export interface ReportText {
  /** What was done: a line for each hostname. */
  readonly done: readonly string[]
  /** Why it stops there, and what to do about it. */
  readonly trouble: readonly string[]
}

/** What a one-shot has to say to a person. */
export function sayReport(report: AccountReport): ReportText {
  const { outcome, hostnames, because, remedy, nextAttempt } = report
  const label = labelOf(report)
  const done = hostnames.flatMap(({ hostname, sent, answered, meaning, confirmed, remarks }) => {
    const further = remarks.map((remark) => `  ${hostname}: ${remark}`)
    if (answered !== null) return [`${hostname}: ${answered} (${meaning})`, ...further]
    if (sent !== null)
      return [
        `${hostname}: sent ${sent.addresses.join(' and ') || 'an update'}, nothing confirmed`,
        ...further,
      ]
    const current = listed(confirmed).join(' and ')
    return outcome === 'settled'
      ? [`${hostname}: already confirmed at ${current}; nothing sent`, ...further]
      : [`${hostname}: nothing sent`, ...further]
  })
  const advice = remedy === null ? [] : [`  what to do: ${remedy}`]
  // biome-ignore format: a table
  const ENDS: { readonly [O in Outcome]: readonly string[] } = {
    settled:        [],
    addressUnknown: [`${label}: ${because}; nothing was sent`, ...advice],
    unreached:      [`${label}: the service was not reached (${because})`],
    waiting:        [`${label}: told to wait (${because}); nothing is sent before ${shownTime(nextAttempt)}`, ...advice],
    stopped:        [`${label}: stopped by ${because}; nothing more is sent until you act`, ...advice],
  }
  return { done, trouble: ENDS[outcome] }
}
