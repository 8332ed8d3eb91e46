/** How one kind of count is kept in the store, and what becomes of it when somebody else counted too. */
export interface Kept<T> {
  readonly load: (key: string) => T
  readonly save: (key: string, value: T) => void
  /** What was loaded, what we made of it, and what is there now. */
  readonly merge: (base: T, ours: T, theirs: T) => T
  /** What must not wait for that: it is written down at once. */
  readonly isWeighty: (base: T, ours: T) => boolean
}

/**
 * Counts at hand. They change with every request and are worth some seconds, not a write to disk each: what was counted is
 * written down together, a little later.
 */
export interface Tally<T> {
  get(key: string): T
  put(key: string, value: T): void
  /** Saves what of those is not written down yet. */
  writeDownThose(isMeant: (key: string) => boolean): void
  /** As if nothing had been counted of those. */
  forget(isMeant: (key: string) => boolean): void
  /** Somebody else has written: only what we have not written down yet is still ours. */
  doubt(): void
  /** Saves what is not written down yet, no more than `most` at a time; in several calls, everything. */
  writeDown(most: number): void
  /** Not written down yet. */
  readonly due: number
}

/** What takes one change of a tally back. */
export type Undo = () => void

interface Entry<T> {
  readonly value: T
  /** As the store has it, as far as we know. */
  readonly base: T
  readonly isDoubted: boolean
}

/** Makes room for another where the oldest is written down already; it comes back when it is asked for. */
function hasRoom(entries: Map<string, unknown>, due: ReadonlySet<string>, most: number): boolean {
  const [oldest] = entries.size < most ? [] : entries.keys()
  if (oldest !== undefined && !due.has(oldest)) entries.delete(oldest)
  return entries.size < most
}

/** More than `mostAtHand` are not kept once they are written down: each is some hundred bytes. */
export function tally<T>(
  { load, save, merge, isWeighty }: Kept<T>,
  note: (undo: Undo) => void,
  mostAtHand: number,
): Tally<T> {
  const entries = new Map<string, Entry<T>>()
  const due = new Set<string>()
  /** What is written down next, in the order of the keys: neighbours are on one page, and that is written once. */
  let queue: string[] = []

  const entryOf = (key: string): Entry<T> => {
    const known = entries.get(key)
    if (known !== undefined && !known.isDoubted) return known
    const base = load(key)
    const value = known === undefined ? base : merge(known.base, known.value, base)
    const entry = { value, base, isDoubted: false }
    if (known !== undefined || hasRoom(entries, due, mostAtHand)) entries.set(key, entry)
    return entry
  }
  const set = (key: string, entry: Entry<T> | undefined, isDue: boolean): void => {
    const [before, wasDue] = [entries.get(key), due.has(key)]
    note(() => place(key, before, wasDue))
    place(key, entry, isDue)
  }
  const place = (key: string, entry: Entry<T> | undefined, isDue: boolean): void => {
    if (entry === undefined) entries.delete(key)
    else entries.set(key, entry)
    if (isDue) due.add(key)
    else due.delete(key)
  }
  const writeDownOne = (key: string): void => {
    const { value } = entryOf(key)
    save(key, value)
    set(key, entries.size <= mostAtHand ? { value, base: value, isDoubted: false } : undefined, false)
  }
  return {
    get: (key) => entryOf(key).value,
    put: (key, value) => {
      const { base } = entryOf(key)
      set(key, { value, base, isDoubted: false }, true)
      if (isWeighty(base, value)) writeDownOne(key)
    },
    forget: (isMeant) => {
      for (const key of [...entries.keys()].filter(isMeant)) set(key, undefined, false)
    },
    doubt: () => {
      for (const [key, entry] of entries)
        if (due.has(key)) entries.set(key, { ...entry, isDoubted: true })
        else entries.delete(key)
    },
    writeDown: (most) => {
      if (queue.length === 0) queue = [...due].toSorted()
      for (const key of queue.splice(0, most)) if (due.has(key)) writeDownOne(key)
    },
    writeDownThose: (isMeant) => {
      for (const key of [...due].filter(isMeant)) writeDownOne(key)
    },
    get due() {
      return due.size
    },
  }
}
