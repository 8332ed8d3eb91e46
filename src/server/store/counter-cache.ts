/** How one kind of count is kept in the store, and what becomes of it when somebody else counted too. */
export interface CounterTable<T> {
  readonly load: (key: string) => T
  readonly save: (key: string, value: T) => void
  /** What was loaded, what we made of it, and what is there now. */
  readonly merge: (base: T, ours: T, theirs: T) => T
  /** What must not wait for that: it is written down at once. */
  readonly writesThrough: (base: T, ours: T) => boolean
}

/**
 * Counts at hand. They change with every request and are worth some seconds, not a write to disk each: what was counted is
 * written down together, a little later.
 */
export interface CounterCache<T> {
  get(key: string): T
  put(key: string, value: T): void
  /** Saves what of those is not written down yet. */
  flushMatching(isMeant: (key: string) => boolean): void
  /** As if nothing had been counted of those. */
  forget(isMeant: (key: string) => boolean): void
  /** Somebody else has written, or what we saw was taken back: only what we have not written down yet is still ours. */
  invalidate(): void
  /** Puts what is due now in the queue. Gives what tells whether all of that, and what was before it, is written down. */
  beginFlush(): () => boolean
  /** Saves what is first in the queue, no more than `most`; gives how many are done with. */
  flush(most: number): number
  /** Not written down yet. */
  readonly due: number
}

/** What takes one change of a tally back. */
export type Undo = () => void

/** Changed in place: it is looked at with every request, and there are as many of them as there are names. */
interface CachedCounter<T> {
  readonly key: string
  value: T
  /** As the store has it, as far as we know. */
  base: T
  isInvalidated: boolean
  isCached: boolean
  /** Not written down yet. */
  isDue: boolean
}

/** Of what is at hand, so much goes at a time when there is too much: to look for the oldest one by one is slow. */
const EVICTED_SHARE = 1 / 8

/** The cells at hand, in the order in which they came, and which of them are due. */
interface CacheState<T> {
  readonly cells: ReadonlyMap<string, CachedCounter<T>>
  readonly due: ReadonlySet<CachedCounter<T>>
  readonly place: (cell: CachedCounter<T>, isCached: boolean, isDue: boolean) => void
  /** Makes room for one more. What goes comes back when it is asked for; what is due stays. */
  readonly hasRoom: () => boolean
  readonly doubt: () => void
}

function cacheState<T>(most: number): CacheState<T> {
  const cells = new Map<string, CachedCounter<T>>()
  const due = new Set<CachedCounter<T>>()
  const fewer = Math.floor(most * (1 - EVICTED_SHARE))
  const place: CacheState<T>['place'] = (cell, isCached, isDue) => {
    if (isCached !== cell.isCached) {
      if (isCached) cells.set(cell.key, cell)
      else cells.delete(cell.key)
      cell.isCached = isCached
    }
    if (isDue !== cell.isDue) {
      if (isDue) due.add(cell)
      else due.delete(cell)
      cell.isDue = isDue
    }
  }
  return {
    cells,
    due,
    place,
    hasRoom: () => {
      if (cells.size < most) return true
      if (due.size >= fewer) return false
      for (const cell of cells.values()) {
        if (!cell.isDue) place(cell, false, false)
        if (cells.size <= fewer) break
      }
      return true
    },
    doubt: () => {
      for (const cell of cells.values())
        if (cell.isDue) cell.isInvalidated = true
        else place(cell, false, false)
    },
  }
}

const newCell = <T>(key: string, base: T): CachedCounter<T> => ({
  key,
  value: base,
  base,
  isInvalidated: false,
  isCached: false,
  isDue: false,
})

/** What takes back whatever is done to a cell after this. */
function undoOf<T>(cell: CachedCounter<T>, { place }: CacheState<T>): Undo {
  const { value, base, isInvalidated, isCached, isDue } = cell
  return () => {
    Object.assign(cell, { value, base, isInvalidated: isInvalidated })
    place(cell, isCached, isDue)
  }
}

/** What is to be written down, round by round in the order of the keys: neighbours are on one page, and that is written once. */
interface Queue {
  /** Puts these behind what is there already, so that nobody who waits for that waits for more; tells when they are taken. */
  readonly add: (due: Iterable<{ readonly key: string }>) => () => boolean
  readonly take: (most: number) => readonly string[]
}

function queueWith(note: (undo: Undo) => void): Queue {
  let keys: readonly string[] = []
  let taken = 0
  return {
    add: (due) => {
      const queued = new Set(keys)
      const fresh = Array.from(due, ({ key }) => key).filter((key) => !queued.has(key))
      keys = [...keys, ...fresh.toSorted()]
      const end = taken + keys.length
      return () => taken >= end
    },
    take: (most) => {
      const first = keys.slice(0, most)
      keys = keys.slice(most)
      taken += first.length
      note(() => {
        keys = [...first, ...keys]
        taken -= first.length
      })
      return first
    },
  }
}

/** More than `mostAtHand` are not kept once they are written down: each is some hundred bytes. */
export function counterCache<T>(
  { load, save, merge, writesThrough }: CounterTable<T>,
  note: (undo: Undo) => void,
  mostAtHand: number,
): CounterCache<T> {
  const shelf = cacheState<T>(mostAtHand)
  const { cells, due, place, hasRoom, doubt } = shelf
  const queue = queueWith(note)

  const cellOf = (key: string): CachedCounter<T> => {
    const known = cells.get(key)
    if (known === undefined) return newCell(key, load(key))
    if (known.isInvalidated) {
      note(undoOf(known, shelf))
      const base = load(key)
      Object.assign(known, { value: merge(known.base, known.value, base), base, isInvalidated: false })
    }
    return known
  }
  const writeDownOne = (cell: CachedCounter<T>): void => {
    save(cell.key, cell.value)
    note(undoOf(cell, shelf))
    cell.base = cell.value
    place(cell, cells.size <= mostAtHand, false)
  }
  return {
    get: (key) => {
      const cell = cellOf(key)
      if (!cell.isCached && hasRoom()) place(cell, true, false)
      return cell.value
    },
    put: (key, value) => {
      const cell = cellOf(key)
      note(undoOf(cell, shelf))
      cell.value = value
      place(cell, true, true)
      if (writesThrough(cell.base, value)) writeDownOne(cell)
    },
    forget: (isMeant) => {
      for (const cell of [...cells.values()].filter(({ key }) => isMeant(key))) {
        note(undoOf(cell, shelf))
        place(cell, false, false)
      }
    },
    invalidate: doubt,
    beginFlush: () => queue.add(due),
    flush: (most) => {
      const keys = queue.take(most)
      for (const key of keys) if (cells.get(key)?.isDue === true) writeDownOne(cellOf(key))
      return keys.length
    },
    flushMatching: (isMeant) => {
      for (const { key } of [...due].filter((cell) => isMeant(cell.key))) writeDownOne(cellOf(key))
    },
    get due() {
      return due.size
    },
  }
}
