import { type Instant, milliseconds } from '../../shared/base/time.ts'
import { steadyClock, systemClock } from '../../shared/platform/clock/clock.ts'
import { later } from '../../shared/platform/clock/timer.ts'
import type { NameFault } from './batch.ts'
import { flush, MAX_FLUSHED } from './flush.ts'
import type { PublishSettings } from './settings.ts'
import { UNRENDERED_FACT } from '../store/bulk.ts'
import type { PublishedZone } from '../store/published.ts'
import type { Store } from '../store/store.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

/**
 * In milliseconds, between two flushes. `usual`: changes are collected, and flushes take at most a ninth of the time.
 * `backlog`: many names wait, as after an import, and flushes take at most two thirds.
 */
const GAPS = { usual: { min: 20, perFlush: 8 }, backlog: { min: 5, perFlush: 0.5 } } as const
const MAX_GAP = 1000
/** In milliseconds: the aim for one flush, because updates that arrive meanwhile wait for its end. */
const FLUSH_TIME = 20
const MIN_FLUSHED = 400
/** After a flush that left names to the next one. */
const MIN_LEFT = 10
/** In milliseconds: after a flush that failed, such as on a full disk. */
const RETRY_GAP = 1000
/** In milliseconds: names that cannot be rendered are tried again, because a name that they depend on may have changed. */
const STUCK_INTERVAL = 60_000
/** Other processes change names too, such as holdfast admin. */
const POLL_INTERVAL = milliseconds(250)

export interface FlusherParts {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly onFlushed: (zones: readonly PublishedZone[]) => void
  readonly onNameFault: (fault: NameFault) => void
  readonly onError: (error: unknown) => void
  readonly onDuration?: (seconds: number) => void
  /** Every serial was raised: another copy of the database has taken over. */
  readonly onTakenOver?: () => void
}

export interface Flusher {
  /** Something may have changed. */
  readonly wake: () => void
  /** Ends after the flush in progress. */
  readonly stop: () => Promise<void>
}

/** Publishes changes soon after they are made, one flush at a time. */
export function startFlusher(parts: FlusherParts): Flusher {
  const flusher = new FlushLoop(parts)
  return { wake: () => flusher.wake(), stop: async () => flusher.stop() }
}

/**
 * Publishes what waits, before anything is answered, if a zone was replaced while no service ran: name servers get
 * all of its names at one moment then too. Rejects if the store takes no writes: half of a zone is never answered.
 */
export async function renderFirst(store: Store, settings: () => PublishSettings): Promise<void> {
  if ((await store.read(async (r) => r.fact(UNRENDERED_FACT))) === undefined) return
  for (let count = 1; count > 0; ) {
    const context = { settings: settings(), now: now(), maxNames: MAX_FLUSHED, onNameFault: () => undefined }
    count = (await store.write(async (w) => flush(w, context))).count
  }
  await store.write(async (w) => w.removeFact(UNRENDERED_FACT))
}

type Cancel = () => void

class FlushLoop {
  readonly #parts: FlusherParts
  readonly #ending = new AbortController()
  /** Until the next flush. */
  #timer: Cancel | undefined
  /** Until stuck names are tried again. */
  #retry: Cancel | undefined
  #running: Promise<void> | undefined
  /** Something changed after the flush in progress began. */
  #isWanted = false
  #notBefore = 0
  #maxNames = MAX_FLUSHED
  /** The last serial of each zone, by its id. */
  readonly #published = new Map<number, number>()

  constructor(parts: FlusherParts) {
    this.#parts = parts
    void repeat(POLL_INTERVAL, this.#ending.signal, async () => this.#look())
    // Those of an earlier run, perhaps of a version that could not render them.
    void this.#retryStuck()
  }

  wake(): void {
    this.#isWanted = true
    if (this.#timer !== undefined || this.#running !== undefined || this.#ending.signal.aborted) return
    this.#timer = later(Math.max(0, this.#notBefore - steadyClock.now()), () => {
      this.#timer = undefined
      this.#isWanted = false
      this.#running = this.#flush()
    })
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    this.#timer?.()
    this.#retry?.()
    await this.#running
  }

  async #flush(): Promise<void> {
    const onNameFault = (fault: NameFault): void => {
      this.#retryLater()
      this.#parts.onNameFault(fault)
    }
    const maxNames = this.#maxNames
    const {
      gap,
      isMore,
      next = maxNames,
    } = await flushOnce({ ...this.#parts, onNameFault, maxNames, published: this.#published })
    this.#maxNames = next
    this.#notBefore = steadyClock.now() + gap
    this.#running = undefined
    if (isMore || this.#isWanted) this.wake()
  }

  #retryLater(): void {
    if (!this.#ending.signal.aborted) this.#retry ??= later(STUCK_INTERVAL, () => void this.#retryStuck())
  }

  async #retryStuck(): Promise<void> {
    this.#retry = undefined
    // A store that cannot be written reports it to its requests.
    await this.#parts.store.write(async (w) => w.retryStuck()).catch(() => this.#retryLater())
    this.wake()
  }

  /** A store that says nothing is not asked again and again. */
  async #look(): Promise<void> {
    if (this.#running === undefined && (await hasDirtyNames(this.#parts.store))) this.wake()
  }
}

const hasDirtyNames = async (store: Store): Promise<boolean> =>
  store.read(async (r) => r.hasDirtyNames()).catch(() => false)

interface FlushOutcome {
  /** In milliseconds, until another flush. */
  readonly gap: number
  readonly isMore: boolean
  /** The maximum number of names of the next flush; undefined for no change. */
  readonly next?: number
}

interface FlushParts extends FlusherParts {
  readonly maxNames: number
  readonly published: Map<number, number>
}

async function flushOnce(parts: FlushParts): Promise<FlushOutcome> {
  const { store, settings, maxNames, onNameFault, published } = parts
  if (!(await hasDirtyNames(store))) return { gap: GAPS.usual.min, isMore: false }
  const began = steadyClock.now()
  // Reported only when the flush is durable: if the store is lost in the middle, every name fails.
  const faults: NameFault[] = []
  try {
    const { zones, count, taken, isTakenOver } = await store.write(async (w) => {
      faults.length = 0
      const onFault = (one: NameFault): void => void faults.push(one)
      return flush(w, { settings: settings(), now: now(), maxNames, onNameFault: onFault, published })
    })
    if (isTakenOver) {
      published.clear()
      parts.onTakenOver?.()
    }
    for (const { id, serial } of zones) published.set(id, serial)
    faults.forEach(onNameFault)
    const took = steadyClock.now() - began
    parts.onDuration?.(took / 1000)
    if (zones.length > 0) parts.onFlushed(zones)
    const isMore = count >= maxNames
    const { min, perFlush } = GAPS[isMore ? 'backlog' : 'usual']
    const gap = Math.min(Math.max(min, perFlush * took), MAX_GAP)
    return { gap, isMore, ...(isMore && { next: sizeAfter(taken ?? maxNames, took) }) }
  } catch (error) {
    parts.onError(error)
    return { gap: RETRY_GAP, isMore: true }
  }
}

/** The number of names that would have taken FLUSH_TIME; fewer than `MIN_FLUSHED` where names have many records. */
const sizeAfter = (size: number, took: number): number =>
  Math.min(
    MAX_FLUSHED,
    Math.max(Math.min(MIN_FLUSHED, Math.max(size, MIN_LEFT)), Math.round((size * FLUSH_TIME) / took)),
  )

const now = (): Instant => systemClock.now()
