import { formatLocal, parseInstant } from '../../shared/base/time.ts'
import { FAMILY_NAMES, listed } from '../../shared/base/address.ts'
import { isReplyWord, REPLIES } from '../../shared/protocol/reply.ts'
import { labelOf } from './account-name.ts'
import { publicationText } from './elsewhere.ts'
import type { Outcome, SeenReport } from './cause.ts'
import type { AccountReport, HostReport } from './report.ts'

/** A moment of a report (RFC 3339) in local time. */
export function formatTime(at: string | null): string {
  const moment = at === null ? undefined : parseInstant(at)
  return moment === undefined ? 'unknown' : formatLocal(moment)
}

/** " since …", or nothing. */
export const formatSince = (since: string | null): string =>
  since === null ? '' : ` since ${formatTime(since)}`

/** The cause in a report as a clause: what the service said, or what failed. */
export function formatCause({ because, said }: Pick<AccountReport, 'because' | 'said'>): string {
  if (said !== undefined && said !== null) return said
  if (because === null) return 'the cause is unknown'
  if (isReplyWord(because)) return `the service answered ${because} (${REPLIES[because].meaning})`
  if (/^HTTP \d/.test(because)) return `the service answered ${because}`
  return because.startsWith('invalid reply') ? `the service sent an ${because}` : because
}

/** The last look with what it saw and by which sources, and the next look. */
export function lookLines({ hostnames, lastLook, nextLook }: AccountReport): readonly string[] {
  if (lastLook === null) return []
  const next = nextLook === null ? '' : `, next look ${formatTime(nextLook)}`
  const seen = hostnames.map((host) => host.seen.map(formatSeen).join('; '))
  const [first] = seen
  // Hostnames that are bound to other interfaces see other addresses.
  const isSame = seen.every((text) => text === first)
  const lines = isSame
    ? [`  seen: ${first}`]
    : hostnames.map(({ hostname }, at) => `  seen for ${hostname}: ${seen[at]}`)
  return [`  last look ${formatTime(lastLook)}${next}`, ...(first === '' ? [] : lines)]
}

/** The line that is held, of the first hostname that has one. */
export const heldLine = ({ hostnames }: Pick<AccountReport, 'hostnames'>): string | undefined =>
  hostnames.flatMap(({ seen }) => seen.flatMap(({ held }) => held ?? []))[0]

const formatSeen = ({ family, address, by, because }: SeenReport): string =>
  address === null ? `no ${FAMILY_NAMES[family]} address (${because})` : `${address} (${by})`

/** For each hostname that was verified: what its name servers give. */
export const publicationLines = (hosts: readonly HostReport[]): readonly string[] =>
  hosts.flatMap((host) => {
    const text = publicationText(host)
    return text === null ? [] : [`${host.hostname}: ${text}`]
  })

interface ReportText {
  /** For each hostname: what was done. */
  readonly done: readonly string[]
  /** What failed, and what to do. */
  readonly problems: readonly string[]
}

/** The text of a one-shot command. */
export function formatReport(report: AccountReport): ReportText {
  const { outcome, hostnames, because, remedy, nextAttempt } = report
  const label = labelOf(report)
  const advice = remedy === null ? [] : [`  what to do: ${remedy}`]
  // biome-ignore format: a table
  const problems: { readonly [O in Outcome]: readonly string[] } = {
    settled:        [],
    addressUnknown: [`${label}: ${because}; nothing was sent`, ...advice],
    unreached:      [report.since === null ? `${label}: ${because}` : `${label}: the service was not reached (${because})`, ...advice],
    waiting:        [`${label}: waiting (${report.said ?? because}); nothing is sent before ${formatTime(nextAttempt)}`, ...advice],
    stopped:        [`${label}: ${formatStopped(report, 'stopped')}, because ${formatCause(report)}; ${sendsNoMore(report)} until you act`, ...advice],
  }
  return { done: hostnames.flatMap((host) => doneLines(host, outcome)), problems: problems[outcome] }
}

/** What is stopped: the account, or some of its hostnames. */
export const formatStopped = ({ stoppedAlone = [] }: AccountReport, stopped: string): string =>
  stoppedAlone.length === 0
    ? stopped
    : `${stoppedAlone.join(' and ')} ${stoppedAlone.length === 1 ? 'is' : 'are'} stopped, the other hostnames are not`

const sendsNoMore = ({ stoppedAlone = [] }: AccountReport): string =>
  stoppedAlone.length === 0
    ? 'nothing more is sent'
    : `nothing more is sent for ${stoppedAlone.join(' and ')}`

function doneLines(
  { hostname, sent, answered, meaning, isOwnWord, confirmed, remarks }: HostReport,
  outcome: Outcome,
): readonly string[] {
  const details = remarks.map((remark) => `  ${hostname}: ${remark}`)
  if (answered !== null)
    return [`${hostname}: ${isOwnWord === true ? meaning : `${answered} (${meaning})`}`, ...details]
  if (sent !== null) {
    const what = sent.addresses.join(' and ') || 'an update'
    return [`${hostname}: ${what} sent, nothing confirmed`, ...details]
  }
  const where = listed(confirmed).join(' and ')
  return outcome === 'settled'
    ? [`${hostname}: already confirmed${where === '' ? '' : ` at ${where}`}; nothing sent`, ...details]
    : [`${hostname}: nothing sent`, ...details]
}
