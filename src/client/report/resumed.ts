import { formatInstant, type Instant } from '../../base/time.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { stopOf } from '../decide/next-action.ts'
import { isWordlessWait } from '../decide/reduce.ts'
import { accountOf, type State } from '../decide/state.ts'
import { labelOf } from './account-name.ts'
import { shownTime } from './report-text.ts'

/** What the user's word to go on comes to for one account. */
export interface Resumed {
  readonly account: string
  readonly name: string | null
  /** What it was stopped by, or what it waited for; null where nothing was ended. */
  readonly because: string | null
  readonly stands: StandingWait | null
}

/** A wait that goes on all the same; until is RFC 3339. */
interface StandingWait {
  readonly because: string
  readonly until: string
}

/** Seen before the word is taken: afterwards there is nothing left to tell it by. */
export function resumedIn(
  state: State,
  desiredStates: readonly DesiredState[],
  { now, wallAt }: { readonly now: Instant; readonly wallAt: (at: Instant) => Instant },
): readonly Resumed[] {
  return desiredStates.map((desired) => {
    const account = accountOf(state, desired.account)
    const { status } = account
    const waited: string | null = isWordlessWait(status) ? status.because : null
    const stop =
      stopOf(account, desired) ??
      account.offlineRefused ??
      Object.values(account.hosts).find(({ stopped }) => stopped)?.stopped
    const stands =
      status.kind === 'waiting' && waited === null && status.until > now
        ? { because: status.because, until: formatInstant(wallAt(status.until)) }
        : null
    const because = stop?.because ?? waited
    return { account: desired.account, name: desired.name ?? null, because, stands }
  })
}

export function sayResumed(all: readonly Resumed[]): readonly string[] {
  const ended = all.flatMap((one) =>
    one.because === null ? [] : [`${labelOf(one)}: ${sayEnded(one.because)}`],
  )
  const standing = all.flatMap((one) =>
    one.stands === null
      ? []
      : [`${labelOf(one)}: a wait for ${one.stands.because} stands until ${shownTime(one.stands.until)}`],
  )
  return [...(ended.length === 0 ? ['nothing was stopped, and no wait was ended'] : ended), ...standing]
}

const sayEnded = (because: string): string =>
  because === 'unrecognized-reply'
    ? 'no longer waiting after a reply that was not recognized'
    : because.startsWith('HTTP')
      ? `no longer waiting after ${because}`
      : `no longer stopped by ${because}`
