import { listed } from '../../net/address.ts'
import { isReplyWord, REPLIES } from '../../protocol/reply.ts'
import { FAMILY_NAMES } from '../agent/wording.ts'
import { labelOf } from './account-name.ts'
import type { Outcome } from './outcome.ts'
import type { AccountReport, HostReport, SeenReport } from './report.ts'
import { shownTime } from './report-text.ts'

/** Why an account stands where it does; one text for each way it can. */
export function explainAccount(report: AccountReport): readonly string[] {
  const { outcome, because, since, remedy, nextAttempt } = report
  const label = labelOf(report)
  const why = sayCause(because)
  const from = since === null ? '' : ` since ${shownTime(since)}`
  const advice = remedy === null ? [] : [`What to do: ${remedy}.`]
  const next = `Next attempt: ${shownTime(nextAttempt)}.`
  // biome-ignore format: a table
  const TEXTS: { readonly [O in Outcome]: readonly string[] } = {
    settled:        [`${label} is in order.`, 'Every hostname is confirmed; the next request comes when the address changes.'],
    addressUnknown: [`${label} has no address to send${from}.`, `Why: ${why}.`, ...advice],
    unreached:      [`${label} was not reached${from}.`, `Why: ${why}.`, 'No answer came from it. It is tried again, less often the longer this lasts; at once when the network changes, or when you run holdfast poke.', next],
    waiting:        [`${label} is waiting${from}.`, `Why: ${why}.`, ...advice, 'No request is allowed before the wait is over; running a command again does not shorten it.', next],
    stopped:        [`${label} is stopped${from}.`, `Why: ${why}.`, ...advice, 'Next attempt: none before you have acted.'],
  }
  return [...TEXTS[outcome], ...lookLines(report), ...report.hostnames.flatMap(sayHost)]
}

/** The service's word with what it means, what else it answered, or what went wrong here. */
export function sayCause(because: string | null): string {
  if (because === null) return 'nothing is known'
  if (isReplyWord(because)) return `the service answered ${because} (${REPLIES[because].meaning})`
  return /^HTTP \d/.test(because) ? `the answer of the service: ${because}` : because
}

const sayHost = ({ hostname, confirmed, since, remarks }: HostReport): readonly string[] => {
  const addresses = listed(confirmed).join(' and ')
  const from = since === null ? '' : ` since ${shownTime(since)}`
  const stands = addresses === '' ? 'nothing confirmed yet' : `confirmed at ${addresses}${from}`
  return [`  ${hostname}: ${stands}`, ...remarks.map((remark) => `    ${remark}`)]
}

/** When it was last looked, what was seen then and by which sources, and when it is looked again. */
function lookLines({ hostnames, lastLook, nextLook }: AccountReport): readonly string[] {
  if (lastLook === null) return []
  const again = nextLook === null ? '' : `, looks again ${shownTime(nextLook)}`
  const lines = hostnames.map(({ seen }) => seen.map(saySeen).join('; '))
  const [first] = lines
  // Names that are bound to other lines see other addresses.
  const isAlike = lines.every((line) => line === first)
  const sees = isAlike
    ? [`  sees ${first}`]
    : hostnames.map(({ hostname }, at) => `  ${hostname} sees ${lines[at]}`)
  return [`  looked ${shownTime(lastLook)}${again}`, ...(first === '' ? [] : sees)]
}

const saySeen = ({ family, address, by, because }: SeenReport): string =>
  address === null ? `no ${FAMILY_NAMES[family]} address (${because})` : `${address} (${by})`

export interface StatusText {
  readonly isRunning: boolean
  readonly isSilent?: boolean
  readonly accounts: readonly AccountReport[]
}

/** A few lines for a person: what runs, and how each account and hostname stands. */
export function sayStatus({ isRunning, isSilent = false, accounts }: StatusText): readonly string[] {
  const remembered = 'this is what was remembered'
  const silent = `the daemon is there but does not answer; ${remembered}`
  return [
    isRunning ? (isSilent ? silent : 'the daemon is running') : `no daemon is running; ${remembered}`,
    ...accounts.flatMap((report) => [
      `${labelOf(report)}: ${standsAs(report, isRunning)}`,
      ...lookLines(report),
      ...report.hostnames.flatMap(sayHost),
    ]),
  ]
}

function standsAs({ outcome, because, since, nextAttempt }: AccountReport, isRunning: boolean): string {
  const from = since === null ? '' : ` since ${shownTime(since)}`
  // Without a daemon nothing makes an attempt by itself.
  const next = isRunning
    ? `next attempt ${shownTime(nextAttempt)}`
    : `no attempt before ${shownTime(nextAttempt)}`
  // biome-ignore format: a table
  const STANDS: { readonly [O in Outcome]: string } = {
    settled:        'in order',
    addressUnknown: `no address to send${from}: ${because}`,
    unreached:      `not reached${from} (${because}); ${next}`,
    waiting:        `waiting${from}, ${sayCause(because)}; ${next}`,
    stopped:        `stopped${from} by ${because}; holdfast explain says what to do`,
  }
  return STANDS[outcome]
}
