import { labelOf } from './account-name.ts'
import { hostTable } from './host-table.ts'
import type { Outcome } from './cause.ts'
import type { AccountReport } from './report.ts'
import { formatCause, formatSince, formatStopped, formatTime, heldLine, lookLines } from './report-text.ts'

/** What happened, why, what to do and what comes next, for one account. */
export function explainAccount(report: AccountReport): readonly string[] {
  const { outcome, remedy, nextAttempt } = report
  const label = labelOf(report)
  const since = formatSince(report.since)
  const why = `Why: ${formatCause(report)}.`
  const advice = remedy === null ? [] : [`What to do: ${remedy}.`]
  const next = `Next attempt: ${formatTime(nextAttempt)}.`
  // biome-ignore format: a table
  const texts: { readonly [O in Outcome]: readonly string[] } = {
    settled:        [`${label} is up to date.`, settledText(report)],
    addressUnknown: [`${label} has no address to send${since}.`, why, ...advice],
    unreached:      report.since === null
      ? [`${label} has an update that is due.`, 'The daemon sends it in a moment. Without a daemon, run holdfast update.']
      : [`${label} has not reached the service${since}.`, why, ...advice, 'The pauses between attempts grow while this lasts. A network change or holdfast poke triggers an attempt at once.', next],
    waiting:        [`${label} is waiting${since}.`, why, ...advice, 'Nothing is sent before the wait ends. Running a command again does not shorten it.', next],
    stopped:        [`${formatStopped(report, `${label} is stopped`)}${since}.`, why, ...advice, 'Next attempt: none until you act.'],
  }
  return [...texts[outcome], ...lookLines(report), ...hostTable(report.hostnames, true)]
}

function settledText(report: AccountReport): string {
  const { hostnames, lastLook } = report
  if (hostnames.every(({ isOffline }) => isOffline))
    return (
      'Every hostname is offline, as the settings say. ' +
      'The next request is sent when that setting changes, or to refresh them.'
    )
  const held = heldLine(report)
  if (held !== undefined)
    return (
      `Every hostname is confirmed. Traffic leaves by ${held}, not by the line whose address is published, ` +
      'and that one is not known to be dead, so nothing changes. ' +
      'What to do: nothing, or follow = "default-route" to publish the line in use; ' +
      'allow_vpn = true to publish the address of a VPN.'
    )
  // Nothing is looked up where the service takes the address of the connection.
  return lastLook !== null && hostnames.every(({ seen }) => seen.length === 0)
    ? 'Every hostname is confirmed. The service takes the address of the connection, ' +
        'so a change of the address is not noticed here; the next request is a refresh.'
    : 'Every hostname is confirmed. The next request is sent when an address changes.'
}
