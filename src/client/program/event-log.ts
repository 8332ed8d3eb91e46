import { formatInstant, formatLocal, instant } from '../../shared/base/time.ts'
import type { AgentEvent } from '../agent/events.ts'
import { type EventFormat, wordingOf } from '../agent/wording.ts'
import type { ClientTime } from '../agent/memory/client-time.ts'
import { labelOf } from '../report/account-name.ts'
import { accountKey } from '../settings/client-checks.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { ResolvedSettings } from '../settings/settings.ts'

/** Events that the report at the end of a one-shot command repeats. */
export const REPORTED_AT_END: ReadonlySet<AgentEvent['kind']> = new Set([
  'waiting',
  'stopped',
  'offlineRefused',
  'unreached',
  'retrying',
  'paced',
  'addressUnknown',
  'notUnderstood',
  'settled',
])

export interface EventOutputs {
  readonly log: Log
  readonly onEvent: (event: AgentEvent) => void
  /** Kinds of events that are not logged. */
  readonly unlogged: ReadonlySet<AgentEvent['kind']>
}

/** Logs each event, and passes it on. */
export function eventLog(
  { accounts }: Pick<ResolvedSettings, 'accounts'>,
  time: ClientTime,
  { log, onEvent, unlogged }: EventOutputs,
): (event: AgentEvent) => void {
  const warned = new Set<string>()
  const labels = new Map(
    accounts.map((account) => {
      const key = accountKey(account)
      return [key, labelOf({ account: key, name: account.name })]
    }),
  )
  const format: EventFormat = {
    account: (key) => labels.get(key) ?? key,
    time: (at) => formatLocal(time.wallAt(at)),
  }
  return (event) => {
    // One warning for each account is enough.
    if (event.kind === 'keyInClear' || event.kind === 'movedToHttps') {
      const warning = `${event.kind} ${event.account}`
      if (warned.has(warning)) return
      warned.add(warning)
    }
    const { kind, ...facts } = event
    if (!unlogged.has(kind)) {
      const { level, msg, line } = wordingOf(event)
      log(level, msg, { fields: withWallTimes(facts, time), line: line(event, format) })
    }
    onEvent(event)
  }
}

/** The facts with their moments of client time as RFC 3339 text by the wall clock. */
const withWallTimes = (facts: Readonly<Record<string, unknown>>, time: ClientTime): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) =>
      (key === 'until' || key === 'since') && typeof value === 'number'
        ? [key, formatInstant(time.wallAt(instant(value)))]
        : [key, value],
    ),
  )
