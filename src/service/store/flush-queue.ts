import type { Undo } from './undo.ts'

/**
 * The keys of counters to store, round by round in the order of the keys: adjacent rows share a page, which is written
 * once.
 */
export class FlushQueue {
  #keys: readonly string[] = []
  #taken = 0
  readonly #recordUndo: (undo: Undo) => void

  constructor(recordUndo: (undo: Undo) => void) {
    this.#recordUndo = recordUndo
  }

  /**
   * Appends these keys, so that earlier rounds do not wait for them. The function it returns reports whether all of
   * the queue up to here is taken.
   */
  add(counters: Iterable<{ readonly key: string }>): () => boolean {
    const queued = new Set(this.#keys)
    const added = Array.from(counters, ({ key }) => key).filter((key) => !queued.has(key))
    this.#keys = [...this.#keys, ...added.toSorted()]
    const end = this.#taken + this.#keys.length
    return () => this.#taken >= end
  }

  take(max: number): readonly string[] {
    const first = this.#keys.slice(0, max)
    this.#keys = this.#keys.slice(max)
    this.#taken += first.length
    this.#recordUndo(() => {
      this.#keys = [...first, ...this.#keys]
      this.#taken -= first.length
    })
    return first
  }
}
