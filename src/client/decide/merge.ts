import { severityOf } from '../../shared/protocol/reply.ts'
import type { Instant } from '../../shared/base/time.ts'
import {
  type AccountState,
  type AccountStatus,
  accountOf,
  type HostState,
  hostOf,
  READY,
  type State,
  type Stop,
} from './state.ts'

/**
 * Merges two states that were saved independently: every stop and every wait stays, but what the user has ended since, and
 * the latest confirmation counts. Returns `ours` itself where the other adds nothing.
 */
export function mergeStates(ours: State, theirs: State): State {
  const changed = Object.entries(theirs.accounts).flatMap(([key, account]) => {
    const known = accountOf(ours, key)
    const merged = mergeAccounts(known, account)
    return JSON.stringify(merged) === JSON.stringify(known) ? [] : [[key, merged] as const]
  })
  return changed.length === 0
    ? ours
    : { ...ours, accounts: { ...ours.accounts, ...Object.fromEntries(changed) } }
}

function mergeAccounts(own: AccountState, other: AccountState): AccountState {
  const resumed = latestOf(own.resumed, other.resumed)
  const [ours, theirs] = [resumedAt(own, resumed), resumedAt(other, resumed)]
  const offlineRefused = ours.offlineRefused ?? theirs.offlineRefused
  const sent = [...(ours.recent ?? []), ...(theirs.recent ?? [])]
  const hosts = Object.entries(theirs.hosts).map(
    ([name, host]) => [name, mergeHosts(hostOf(ours, name), host)] as const,
  )
  return {
    ...ours,
    status: moreSevere(ours.status, theirs.status),
    hosts: { ...ours.hosts, ...Object.fromEntries(hosts) },
    ...(offlineRefused !== undefined && { offlineRefused }),
    ...(resumed !== undefined && { resumed }),
    ...(sent.length > 0 && {
      recent: [...new Map(sent.map((one) => [JSON.stringify(one), one])).values()].toSorted(
        (a, b) => a.at - b.at,
      ),
    }),
  }
}

const latestOf = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a

/** Without what stopped it before the user resumed it: a daemon without a folder that it can lock does not hear of that. */
function resumedAt({ offlineRefused, ...account }: AccountState, at: Instant | undefined): AccountState {
  const isOver = (stop: Stop | undefined): boolean =>
    stop !== undefined && at !== undefined && stop.since < at
  const { status } = account
  return {
    ...account,
    status: status.kind === 'stopped' && isOver(status) ? READY : status,
    hosts: Object.fromEntries(
      Object.entries(account.hosts).map(([name, { stopped, ...host }]) => [
        name,
        { ...host, ...(stopped !== undefined && !isOver(stopped) && { stopped }) },
      ]),
    ),
    ...(offlineRefused !== undefined && !isOver(offlineRefused) && { offlineRefused }),
  }
}

/** A retry delay is not required by the protocol. Of two stops, the word decides, as within one response. */
function severity(status: AccountStatus): readonly [rank: number, within: number] {
  if (status.kind === 'stopped') return [2, severityOf(status.because)]
  return status.kind === 'waiting' ? [1, status.until] : [0, 0]
}

function moreSevere(ours: AccountStatus, theirs: AccountStatus): AccountStatus {
  const [[rank, within], [theirRank, theirWithin]] = [severity(ours), severity(theirs)]
  return theirRank > rank || (theirRank === rank && theirWithin > within) ? theirs : ours
}

function mergeHosts(ours: HostState, theirs: HostState): HostState {
  const latest = (theirs.touched ?? 0) > (ours.touched ?? 0) ? theirs : ours
  const stopped = ours.stopped ?? theirs.stopped
  const unanswered = latest.unanswered ?? ours.unanswered ?? theirs.unanswered
  return {
    ...latest,
    ...(unanswered !== undefined && { unanswered }),
    ...(stopped !== undefined && { stopped }),
  }
}
