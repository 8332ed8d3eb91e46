import type { PublishedZone } from '../published.ts'

/** Names that are kept, also those that are no zone. */
const MAX_KEPT = 10_000

type Load = (apex: string) => Promise<PublishedZone | undefined>

/** The published zones by their names, until the next commit: each question asks for those above its name. */
export class PublishedZones {
  readonly #load: Load
  readonly #kept = new Map<string, PublishedZone | undefined>()
  #commits = 0

  constructor(load: Load) {
    this.#load = load
  }

  async get(apex: string): Promise<PublishedZone | undefined> {
    if (this.#kept.has(apex)) return this.#kept.get(apex)
    const commits = this.#commits
    const zone = await this.#load(apex)
    // What was read before a commit may be old.
    if (commits !== this.#commits) return zone
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(apex, zone)
    return zone
  }

  /** Something was committed. */
  clear(): void {
    this.#commits++
    this.#kept.clear()
  }
}
