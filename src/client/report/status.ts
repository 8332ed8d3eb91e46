import { labelOf } from './account-name.ts'
import { hostTable } from './host-table.ts'
import type { Outcome } from './cause.ts'
import type { AccountReport } from './report.ts'
import { formatCause, formatSince, formatStopped, formatTime, heldLine, lookLines } from './report-text.ts'
import { type Trouble, troubleLines } from './troubles.ts'

export interface StatusReport {
  readonly isRunning: boolean
  /** The daemon is running but did not answer: the accounts are from the saved state. */
  readonly isSilent?: true
  readonly accounts: readonly AccountReport[]
  /** Missing without any. */
  readonly troubles?: readonly Trouble[]
  /** How the configuration file differs from what the daemon runs. Missing where it does not. */
  readonly notes?: readonly string[]
}

/**
 * Each look moves the next attempt, and each reading of the clocks the other
 * times by some milliseconds: that is no change.
 */
export function isSameStatus(one: StatusReport, other: StatusReport): boolean {
  const [a, b] = [comparable(one), comparable(other)]
  return a.text === b.text && a.times.every((time, at) => Math.abs(time - (b.times[at] ?? 0)) < MAX_JITTER)
}

/** In milliseconds. */
const MAX_JITTER = 1000
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

function comparable({ accounts, ...daemon }: StatusReport): { text: string; times: readonly number[] } {
  const text = JSON.stringify({ ...daemon, accounts: accounts.map(({ nextAttempt: _, ...rest }) => rest) })
  return { text: text.replace(TIME, ''), times: (text.match(TIME) ?? []).map((time) => Date.parse(time)) }
}

/** A few lines for a person: the daemon, and each account with its hostnames. */
export function formatStatus({
  isRunning,
  isSilent,
  accounts,
  troubles = [],
  notes = [],
}: StatusReport): readonly string[] {
  const daemon = isRunning
    ? isSilent === true
      ? 'the daemon is running but does not answer; this is the saved state'
      : 'the daemon is running'
    : 'no daemon is running; this is the saved state'
  return [
    daemon,
    ...notes,
    ...troubleLines(troubles),
    ...accounts.flatMap((report) => [
      `${labelOf(report)}: ${formatOutcome(report, isRunning)}`,
      ...lookLines(report),
      ...hostTable(report.hostnames),
    ]),
  ]
}

function formatOutcome(report: AccountReport, isRunning: boolean): string {
  const { outcome, because } = report
  const since = formatSince(report.since)
  // Without a daemon no attempt happens by itself.
  const next = `${isRunning ? 'next attempt' : 'no attempt before'} ${formatTime(report.nextAttempt)}`
  const due = isRunning
    ? 'an update is on its way'
    : 'an update is due; run holdfast update, or start the daemon'
  const held = heldLine(report)
  // biome-ignore format: a table
  const texts: { readonly [O in Outcome]: string } = {
    settled:        report.isDue === true ? due : held === undefined ? 'up to date' : `up to date, held (${held})`,
    addressUnknown: `no address to send${since}: ${because}`,
    unreached:      report.since === null ? due : `service not reached${since} (${because}); ${next}`,
    waiting:        `waiting${since}, ${formatCause(report)}; ${next}`,
    stopped:        `${formatStopped(report, 'stopped')}${since}, ${formatCause(report)}; run holdfast explain to see what to do`,
  }
  return texts[outcome]
}
