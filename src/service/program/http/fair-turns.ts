import { after, formatInstant, milliseconds, minutes } from '../../../shared/base/time.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { nextTurn, steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { InTurn } from '../../api/request/context.ts'
import { type HeavyKey, RoundRobin } from '../../http/round-robin.ts'
import type { ServiceMetrics } from '../service-metrics.ts'
import { LOAD_FACT, type LoadStatus, type Store } from '../../store/store.ts'

/** What is told of the heaviest keys. */
const SHOWN = 10
const STATUS_INTERVAL = minutes(1)
/** Short writes of one key run together on an embedded database: they share a transaction, and so one flush to disk. */
const TOGETHER = 16
/** In milliseconds of one of them. */
const SHORT = 10

/** The lines of `/v1`, and of updates with many targets. Other updates have none: one takes a millisecond. */
export interface FairTurns {
  readonly inTurn: InTurn
  /** A listener accepted a connection. */
  readonly accepted: () => void
  readonly heaviest: () => readonly HeavyKey[]
}

interface FairTurnsParts {
  readonly store: Store
  readonly metrics: ServiceMetrics
  readonly log: Log
  readonly current: () => ServiceSettings
}

/** Reads, writes and updates each have lines: a read need not wait for a disk, and an update not for `/v1`. */
export function fairTurns({ store, metrics, log, current }: FairTurnsParts): FairTurns {
  const common = {
    clock: steadyClock,
    nextTurn,
    maxWait: () => current().apiWait,
    onSlow: (key: string) =>
      log('warn', 'requests wait for others of the same account', {
        fields: { key },
        line: `${key} asks for more than its share; its requests wait for each other`,
      }),
  }
  const turns = {
    // Half of the connections at most: the other accounts need the rest.
    read: new RoundRobin({
      ...common,
      maxRunning: () => (store.isShared ? Math.max(1, Math.floor(current().storeConnections / 2)) : 1),
      isHolding: !store.isShared,
      onWait: (seconds) => metrics.waited('read', seconds),
    }),
    write: new RoundRobin({
      ...common,
      maxRunning: (cost) => (store.isShared || cost >= SHORT ? 1 : TOGETHER),
      isHolding: false,
      onWait: (seconds) => metrics.waited('write', seconds),
    }),
    update: new RoundRobin({
      ...common,
      maxRunning: () => 1,
      isHolding: !store.isShared,
      // Updates have no other limit of their share: two thirds of the event loop stay free for other requests.
      rest: async (cost) => steadyClock.sleep(after(steadyClock.now(), milliseconds(2 * cost))),
      onWait: (seconds) => metrics.waited('update', seconds),
    }),
  }
  const lines = Object.values(turns)
  return {
    inTurn: async ({ kind, key, isGone }, work) => turns[kind].take(key, work, isGone),
    accepted: () => {
      for (const line of lines) line.accepted()
    },
    heaviest: () => heaviestOf(lines.flatMap((line) => line.heaviest(SHOWN))),
  }
}

function heaviestOf(all: readonly HeavyKey[]): readonly HeavyKey[] {
  const byKey = new Map<string, HeavyKey>()
  for (const one of all) {
    const { ms, waiting } = byKey.get(one.key) ?? { ms: 0, waiting: 0 }
    byKey.set(one.key, { key: one.key, ms: ms + one.ms, waiting: waiting + one.waiting })
  }
  return [...byKey.values()].toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN)
}

/** Keeps the heaviest in the store, where `admin` finds them. A store that cannot be written reports it to its requests. */
export async function keepLoad(store: Store, { heaviest }: FairTurns, ending: AbortSignal): Promise<void> {
  for (let last = '[]'; ; ) {
    await steadyClock.sleep(after(steadyClock.now(), STATUS_INTERVAL), ending)
    if (ending.aborted) return
    const status: LoadStatus = { at: formatInstant(systemClock.now()), heaviest: heaviest() }
    const text = JSON.stringify(status.heaviest)
    if (text !== last)
      await store.write(async (w) => w.setFact(LOAD_FACT, JSON.stringify(status))).catch(() => undefined)
    last = text
  }
}
