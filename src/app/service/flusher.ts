import { type Instant, instant } from '../../base/time.ts'
import { flush, MAX_FLUSHED, type NameFault } from '../../server/publish/flush.ts'
import type { PublishSettings } from '../../server/publish/settings.ts'
import type { PublishedZone } from '../../server/store/published.ts'
import type { Store } from '../../server/store/store.ts'

/** In milliseconds: changes are collected for at least this; flushes take at most a sixth of the time, so that updates keep theirs, and a third where many names wait, as after an import. */
const MIN_GAP = 20
const MAX_GAP = 1000
const GAPS_PER_FLUSH = { usual: 5, backlog: 2 } as const
/** In milliseconds: after a flush that failed, such as on a full disk. */
const RETRY_GAP = 1000
/** In milliseconds: names that cannot be rendered are tried again, since what they depend on may be other then. */
const STUCK_INTERVAL = 60_000
/** In milliseconds: other processes change names too, such as holdfast admin. */
const POLL_INTERVAL = 250

export interface FlusherParts {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly onFlushed: (zones: readonly PublishedZone[]) => void
  readonly onNameFault: (fault: NameFault) => void
  readonly onError: (error: unknown) => void
  readonly onDuration?: (seconds: number) => void
}

export interface Flusher {
  /** Something may have changed. */
  readonly wake: () => void
  /** Ends after the flush in progress. */
  readonly stop: () => Promise<void>
}

/** Publishes changes soon after they are made, one flush at a time. */
export function startFlusher(parts: FlusherParts): Flusher {
  let timer: ReturnType<typeof setTimeout> | undefined
  let notBefore = 0
  let isEnding = false
  let running: Promise<void> | undefined
  let isWanted = false
  const wake = (): void => {
    isWanted = true
    if (timer !== undefined || running !== undefined || isEnding) return
    timer = setTimeout(start, Math.max(0, notBefore - performance.now()))
  }
  const start = (): void => {
    timer = undefined
    isWanted = false
    running = run()
  }
  let retrying: ReturnType<typeof setTimeout> | undefined
  const retryLater = (): void => {
    if (!isEnding) retrying ??= setTimeout(() => void retryStuck(), STUCK_INTERVAL).unref()
  }
  const retryStuck = async (): Promise<void> => {
    retrying = undefined
    // A store that cannot be written reports it to its requests.
    await parts.store.write(async (w) => w.retryStuck()).catch(retryLater)
    wake()
  }
  const onNameFault = (fault: NameFault): void => {
    retryLater()
    parts.onNameFault(fault)
  }
  const run = async (): Promise<void> => {
    const { gap, isMore } = await flushOnce({ ...parts, onNameFault })
    notBefore = performance.now() + gap
    running = undefined
    if (isMore || isWanted) wake()
  }
  const poll = setInterval(() => {
    if (running === undefined)
      void hasDirtyNames(parts.store).then((isDirty) => (isDirty ? wake() : undefined))
  }, POLL_INTERVAL).unref()
  // Those of an earlier run, perhaps of a version that could not render them.
  void retryStuck()
  return {
    wake,
    stop: async () => {
      isEnding = true
      clearInterval(poll)
      clearTimeout(timer)
      clearTimeout(retrying)
      await running
    },
  }
}

const hasDirtyNames = async (store: Store): Promise<boolean> =>
  store.read(async (r) => r.hasDirtyNames()).catch(() => false)

async function flushOnce(parts: FlusherParts): Promise<{ readonly gap: number; readonly isMore: boolean }> {
  const { store, settings, onNameFault } = parts
  if (!(await hasDirtyNames(store))) return { gap: MIN_GAP, isMore: false }
  const began = performance.now()
  try {
    const { zones, count } = await store.write(async (w) =>
      flush(w, { settings: settings(), now: now(), maxNames: MAX_FLUSHED, onNameFault }),
    )
    const took = performance.now() - began
    parts.onDuration?.(took / 1000)
    if (zones.length > 0) parts.onFlushed(zones)
    const isMore = count === MAX_FLUSHED
    const gap = GAPS_PER_FLUSH[isMore ? 'backlog' : 'usual'] * took
    return { gap: Math.min(Math.max(MIN_GAP, gap), MAX_GAP), isMore }
  } catch (error) {
    parts.onError(error)
    return { gap: RETRY_GAP, isMore: true }
  }
}

const now = (): Instant => instant(Date.now())
