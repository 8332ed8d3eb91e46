import { after, before, between, days, milliseconds, seconds } from '../../../shared/base/time.ts'
import { steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { SweptPlace } from '../../store/bulk.ts'
import type { Store } from '../../store/store.ts'
import type { TrailPart } from '../../store/account/trail.ts'

/** In milliseconds: the aim for one step, because requests that arrive meanwhile wait for its end. */
const STEP_TIME = { alone: 8, shared: 30 } as const
/** Rows of one step. */
const ROWS = { first: 50, max: 1000 } as const
/** Between two looks of a service. */
const INTERVAL = seconds(1)

/** The time of day, for what is stored; and one that nobody sets, for waits. */
export interface BulkClocks {
  readonly day: Clock
  readonly steady: Clock
}

export const HOST_CLOCKS: BulkClocks = { day: systemClock, steady: steadyClock }

/** Does steps that each take about the time that they may, and pauses as long: others have half of the time at least. */
export class StepPace {
  readonly #aim: number
  readonly #clock: Clock
  #rows: number = ROWS.first

  constructor({ isShared }: Pick<Store, 'isShared'>, clock: Clock) {
    this.#aim = STEP_TIME[isShared ? 'shared' : 'alone']
    this.#clock = clock
  }

  async take<T>(step: (rows: number) => Promise<T>, ...ends: readonly AbortSignal[]): Promise<T> {
    const began = this.#clock.now()
    const value = await step(this.#rows)
    const ended = this.#clock.now()
    const took = Math.max(between(began, ended), 1)
    const wanted = Math.max((this.#rows * this.#aim) / took, this.#rows / 2)
    this.#rows = Math.round(Math.min(Math.max(wanted, 1), ROWS.max))
    await this.#clock.sleep(after(ended, milliseconds(took)), ...ends)
    return value
  }
}

const FIRST_PART: TrailPart = { accountId: -1, isUpdate: false }
/** How long entries of the trail are kept. */
const TRAIL_KEPT = days(400)
/** Between two looks at the trail. */
const PRUNE_INTERVAL = seconds(10)

const prunedAfter = async (store: Store, part: TrailPart): Promise<TrailPart | undefined> =>
  store.write(async (w) => w.pruneTrail(part, before(systemClock.now(), TRAIL_KEPT)))

/** Deletes what is hidden in the store, in steps (decision 0050). */
export async function sweepHidden(
  store: Store,
  ends: readonly AbortSignal[] = [],
  { day, steady }: BulkClocks = HOST_CLOCKS,
): Promise<void> {
  if (!(await store.read(async (r) => r.hasHidden()))) return
  const pace = new StepPace(store, steady)
  let place: SweptPlace | undefined
  do
    place = await pace.take(
      async (rows) => store.write(async (w) => w.sweepHidden(rows, day.now(), place)),
      ...ends,
    )
  while (place !== undefined && !ends.some(({ aborted }) => aborted))
}

/** Does so now and then, while a service runs. */
async function keepSweeping(store: Store, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    // A store that cannot be used reports it to its requests.
    await sweepHidden(store, [ending]).catch(() => undefined)
    await steadyClock.sleep(after(steadyClock.now(), INTERVAL), ending)
  }
}

/** Deletes old entries of the trail, those of one account at a time. */
async function keepPruning(store: Store, ending: AbortSignal): Promise<void> {
  let part: TrailPart | undefined = FIRST_PART
  while (!ending.aborted) {
    part = await prunedAfter(store, part ?? FIRST_PART).catch(() => part)
    await steadyClock.sleep(after(steadyClock.now(), PRUNE_INTERVAL), ending)
  }
}

/** Both, until the signal. */
export const keepSwept = async (store: Store, ending: AbortSignal): Promise<unknown> =>
  Promise.all([keepSweeping(store, ending), keepPruning(store, ending)])
