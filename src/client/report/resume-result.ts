import { formatInstant } from '../../shared/base/time.ts'
import { isReplyWord } from '../../shared/protocol/reply.ts'
import { waitCauseName } from '../agent/wording.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { stopOf } from '../decide/next-action.ts'
import { isWordlessWait } from '../decide/step.ts'
import { accountOf, type State, type WaitCause } from '../decide/state.ts'
import { labelOf } from './account-name.ts'
import type { ClockView } from './report.ts'
import { formatTime } from './report-text.ts'

/** The effect of `resume` on one account. */
export interface ResumeResult {
  readonly account: string
  readonly name: string | null
  /** The cause of the stop or the wait that ended; null where none did. */
  readonly because: WaitCause | null
  /** The wait that continues; `until` is RFC 3339. */
  readonly wait: { readonly because: WaitCause; readonly until: string } | null
}

/** What `resume` changes in this state. To be called before the change. */
export const resumeResults = (
  state: State,
  desiredStates: readonly DesiredState[],
  clock: ClockView,
): readonly ResumeResult[] => desiredStates.map((desired) => resumeResult(state, desired, clock))

function resumeResult(state: State, desired: DesiredState, { now, wallAt }: ClockView): ResumeResult {
  const account = accountOf(state, desired.account)
  const { status } = account
  const ended = isWordlessWait(status) ? status.because : null
  const stop =
    stopOf(account, desired) ??
    account.offlineRefused ??
    Object.values(account.hosts).find(({ stopped }) => stopped)?.stopped
  const wait =
    status.kind === 'waiting' && ended === null && status.until > now
      ? { because: status.because, until: formatInstant(wallAt(status.until)) }
      : null
  return { account: desired.account, name: desired.name ?? null, because: stop?.because ?? ended, wait }
}

export function formatResumeResults(results: readonly ResumeResult[]): readonly string[] {
  const ended = results.flatMap((result) =>
    result.because === null ? [] : [`${labelOf(result)}: ${formatEnd(result.because)}`],
  )
  const waiting = results.flatMap((result) =>
    result.wait === null
      ? []
      : [
          `${labelOf(result)}: still waiting after ${result.wait.because} until ` +
            `${formatTime(result.wait.until)}; resume does not end this wait`,
        ],
  )
  const none = 'nothing to resume: no account is stopped, and no wait was ended'
  return [...(ended.length === 0 ? [none] : ended), ...waiting]
}

const formatEnd = (because: WaitCause): string =>
  isReplyWord(because)
    ? `the stop after ${because} is cleared`
    : `the wait after ${waitCauseName(because)} is ended`
