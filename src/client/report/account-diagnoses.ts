import { formatPublication, PUBLICATION_ADVICE } from '../verify/publication-text.ts'
import { labelOf } from './account-name.ts'
import type { Diagnosis } from './diagnose.ts'
import type { AccountReport, HostReport } from './report.ts'
import { formatCause, formatSince, formatStopped } from './report-text.ts'
import { formatTrouble, type Trouble } from './troubles.ts'

/** Faults of the configuration file. */
export const diagnoseFaults = (faults: readonly string[]): readonly Diagnosis[] =>
  faults.map((evidence) => ({
    name: 'configuration',
    evidence,
    remedy: 'correct this; until then the next start fails, and a running daemon keeps its earlier settings',
    isTrouble: true,
  }))

/** What concerns the daemon as a whole. */
export const diagnoseTroubles = (troubles: readonly Trouble[]): readonly Diagnosis[] =>
  troubles.map((one) => ({
    name: 'the daemon',
    evidence: formatTrouble(one),
    remedy: one.remedy,
    isTrouble: true,
  }))

/** What holds updates up, and names that lead elsewhere: as `status` and the page say it. */
export const diagnoseAccounts = (reports: readonly AccountReport[]): readonly Diagnosis[] =>
  reports.flatMap((report) => [...holdUp(report), ...report.hostnames.flatMap(elsewhere)])

function holdUp(report: AccountReport): readonly Diagnosis[] {
  const { outcome, since, remedy } = report
  // An update that is due is no problem yet.
  if (outcome === 'settled' || (outcome === 'unreached' && since === null)) return []
  // biome-ignore format: a table
  const what = {
    addressUnknown: 'no address to send',
    unreached:      'service not reached',
    waiting:        'waiting',
    stopped:        formatStopped(report, 'stopped'),
  }[outcome]
  return [
    {
      name: labelOf(report),
      evidence: `${what}${formatSince(since)}: ${formatCause(report)}`,
      remedy: remedy ?? 'nothing; Holdfast tries again by itself',
      isTrouble: true,
    },
  ]
}

const elsewhere = ({ hostname, published }: HostReport): readonly Diagnosis[] =>
  published?.state === 'stale' || published?.state === 'different'
    ? [
        {
          name: hostname,
          evidence: formatPublication(published),
          remedy: PUBLICATION_ADVICE[published.state],
          isTrouble: true,
        },
      ]
    : []
