import { createHash } from 'node:crypto'

/** A running program, or the whole machine: its entries wait while it is frozen, and are dropped when it ends. */
export class Owner {
  isAlive = true
  /** Undefined while it runs; its entries run again after this moment. */
  frozenUntil: number | undefined
}

interface Entry {
  at: number
  readonly nth: number
  readonly owner: Owner
  readonly work: () => void
  isCancelled: boolean
}

/** Runs one entry after the other in virtual time, each with everything that follows from it at the same moment. */
export class Scheduler {
  /** In milliseconds since the start. */
  now = 0
  steps = 0
  readonly world = new Owner()
  readonly #heap: Entry[] = []
  readonly #hash = createHash('sha256')
  #nth = 0

  /** Returns what cancels it. */
  at(time: number, owner: Owner, work: () => void): () => void {
    const entry: Entry = { at: Math.max(time, this.now), nth: this.#nth++, owner, work, isCancelled: false }
    this.#push(entry)
    return () => void (entry.isCancelled = true)
  }

  after(span: number, owner: Owner, work: () => void): () => void {
    return this.at(this.now + span, owner, work)
  }

  /** Resolves in the owner's time, and never where it has ended by then. */
  async pause(span: number, owner: Owner): Promise<void> {
    return new Promise((resolve) => void this.after(span, owner, resolve))
  }

  /** How many entries of an owner wait: timers, and answers on their way. */
  waitingFor(owner: Owner): number {
    return this.#heap.filter((entry) => entry.owner === owner && !entry.isCancelled).length
  }

  /** A line that two runs of one seed must share. */
  note(line: string): void {
    this.#hash.update(`${this.now.toFixed(3)} ${line}\n`)
  }

  hash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }

  async runUntil(end: number): Promise<void> {
    while (!(await this.#runSome(end)));
    this.now = end
  }

  /** Many entries in one turn of the real event loop, which is slower than an entry. Resolves to whether all are done. */
  async #runSome(end: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      REAL.setImmediate(() => {
        try {
          for (let left = 2000; left > 0; left--) {
            const entry = this.#pop(end)
            if (entry === undefined) return resolve(true)
            if (this.#run(entry)) runMicrotasks()
          }
          resolve(false)
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #run(entry: Entry): boolean {
    const { owner } = entry
    if (entry.isCancelled || !owner.isAlive) return false
    if (owner.frozenUntil !== undefined && owner.frozenUntil > entry.at) {
      entry.at = owner.frozenUntil
      this.#push(entry)
      return false
    }
    this.now = Math.max(this.now, entry.at)
    this.steps++
    entry.work()
    return true
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    for (let up = (at - 1) >> 1; at > 0 && isBefore(entry, heap[up]); up = (at - 1) >> 1) {
      heap[at] = heap[up] as Entry
      at = up
    }
    heap[at] = entry
  }

  #pop(end: number): Entry | undefined {
    const heap = this.#heap
    const [first] = heap
    if (first === undefined || first.at > end) return undefined
    const last = heap.pop() as Entry
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      if (down >= heap.length) break
      if (isBefore(heap[down + 1], heap[down])) down++
      const below = heap[down] as Entry
      if (!isBefore(below, last)) break
      heap[at] = below
      at = down
    }
    heap[at] = last
    return first
  }
}

const isBefore = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.nth < b.nth))

/** All that follows from an entry, before the next one. Outside a callback of the event loop it would do nothing. */
const { _tickCallback: runMicrotasks } = process as unknown as { readonly _tickCallback: () => void }

const REAL = { setImmediate, setTimeout, Date, random: Math.random, now: performance.now.bind(performance) }

/** Of the real machine, for budgets. */
export const realNow = (): number => REAL.now()

/** From here on, an effect that no port carries is an error: a run could not be repeated. */
export function forbidEffects(): void {
  const forbidden = (name: string) => (): never => {
    throw new Error(`${name} in a simulation: an effect that no port carries`)
  }
  const timers = ['setTimeout', 'setInterval', 'setImmediate'] as const
  for (const name of timers) Object.defineProperty(globalThis, name, { value: forbidden(name) })
  Math.random = forbidden('Math.random')
  Date.now = forbidden('Date.now')
  performance.now = forbidden('performance.now')
}
