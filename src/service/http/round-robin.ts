import type { Clock, NextTurn } from '../../shared/ports/clock.ts'

/** In milliseconds of one turn of the event loop: what one line may use, and all of them. */
const SHARE = 2
const BUDGET = 2
/** In milliseconds: a line that used more than its share skips turns for at most so much. */
const MAX_DEBT = 500
/** In milliseconds: connections that keep coming hold up what waits for at most so long. */
const MAX_HOLDUP = 50
/** In milliseconds: a key is logged whose requests wait longer for each other, once a minute. */
const SLOW = 250
const MINUTE = 60_000
/** In milliseconds: what the first request of a line is taken to cost. */
const UNKNOWN_COST = 10
/** In seconds. */
const MAX_RETRY_AFTER = 60

interface Job {
  /** In milliseconds. */
  readonly since: number
  readonly start: () => Promise<void>
  /** Its client has closed the connection. */
  readonly isGone: () => boolean
  /** In seconds. */
  readonly refuse: (retryAfter: number) => void
}

/** The requests of one key that wait, the oldest first. */
interface Line {
  jobs: Job[]
  /** In milliseconds: what it may still use; negative after a long request. */
  credit: number
  running: number
  /** In milliseconds: of its last request. */
  cost: number
}

/** What one key has used in a minute. */
interface Use {
  ms: number
  toldAt: number
}

export interface RoundRobinSettings {
  /** Monotonic. */
  readonly clock: Pick<Clock, 'now'>
  readonly nextTurn: NextTurn
  /** The requests of one key that run at a time, by what one of them takes, in milliseconds. */
  readonly maxRunning: (cost: number) => number
  /** Their work mostly holds the event loop until it ends, as that of an embedded database does. */
  readonly isHolding: boolean
  /** `cost`: what a request took, in milliseconds. Its key begins no other request until this resolves. */
  readonly rest?: (cost: number) => Promise<void>
  /** In milliseconds: a request that waits longer is refused. */
  readonly maxWait: () => number
  readonly onWait: (seconds: number) => void
  /** This key has more requests than its share serves. */
  readonly onSlow: (key: string) => void
}

/** What the work gives; or, where it was not begun, the seconds after which to try again. */
type Taken<T> = { readonly value: T } | { readonly retryAfter: number }

/** A key with what its requests have used, in milliseconds, in this minute and the one before. */
export interface HeavyKey {
  readonly key: string
  readonly ms: number
  readonly waiting: number
}

/**
 * One thread serves all accounts: requests wait in one line for each key, such as an account; the lines are served in turn,
 * by the time that their requests take (deficit round robin). A turn of the event loop that accepted a connection serves
 * none: the loop accepts one connection a turn, so a new client would wait for one request of each connection before it
 * (decision 0049).
 */
export class RoundRobin {
  readonly #settings: RoundRobinSettings
  readonly #lines = new Map<string, Line>()
  #uses = new Map<string, Use>()
  #usesBefore = new Map<string, Use>()
  #minute = 0
  #isServing = false
  #hasAccepted = false

  constructor(settings: RoundRobinSettings) {
    this.#settings = settings
  }

  /** Begins the work when its key has its turn, unless its client is gone by then. */
  async take<T>(key: string, work: () => Promise<T>, isGone = () => false): Promise<Taken<T>> {
    const line = this.#lines.get(key) ?? { jobs: [], credit: 0, running: 0, cost: UNKNOWN_COST }
    this.#lines.set(key, line)
    return new Promise((resolve, reject) => {
      line.jobs.push({
        since: this.#settings.clock.now(),
        start: async () => work().then((value) => resolve({ value }), reject),
        isGone,
        refuse: (retryAfter) => resolve({ retryAfter }),
      })
      this.#serve()
    })
  }

  /** A connection was accepted in this turn of the event loop. */
  accepted(): void {
    this.#hasAccepted = true
  }

  /** Those that used the most. */
  heaviest(count: number): readonly HeavyKey[] {
    this.#turnMinute()
    const keys = new Set([...this.#uses.keys(), ...this.#usesBefore.keys()])
    return Array.from(keys, (key) => ({
      key,
      ms: Math.round((this.#uses.get(key)?.ms ?? 0) + (this.#usesBefore.get(key)?.ms ?? 0)),
      waiting: this.#lines.get(key)?.jobs.length ?? 0,
    }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, count)
  }

  #serve(): void {
    if (this.#isServing) return
    this.#isServing = true
    void this.#untilServed()
  }

  async #untilServed(): Promise<void> {
    const { clock, nextTurn } = this.#settings
    let heldUpSince: number | undefined
    while ([...this.#lines.values()].some((line) => this.#canStart(line))) {
      await nextTurn()
      const now = clock.now()
      heldUpSince = this.#hasAccepted ? (heldUpSince ?? now) : undefined
      this.#hasAccepted = false
      if (heldUpSince !== undefined && now - heldUpSince < MAX_HOLDUP) continue
      heldUpSince = undefined
      await this.#turn(now + BUDGET)
    }
    this.#isServing = false
    // Without waiting requests, a debt has no purpose.
    for (const [key, line] of this.#lines)
      if (line.jobs.length === 0 && line.running === 0) this.#lines.delete(key)
  }

  #canStart({ jobs, running, cost }: Line): boolean {
    return jobs.length > 0 && running < this.#settings.maxRunning(cost)
  }

  /** Serves each line at most once. Lines that it does not reach are the first of the next turn. */
  async #turn(end: number): Promise<void> {
    for (const [key, line] of Array.from(this.#lines)) {
      line.credit = Math.min(line.credit + SHARE, SHARE)
      this.#leaveGone(line)
      await this.#serveLine(key, line, end)
      // To the end. An empty line keeps its debt, or else each request of a key would be its first.
      this.#lines.delete(key)
      if (line.jobs.length > 0 || line.running > 0 || line.credit < SHARE) this.#lines.set(key, line)
      if (this.#settings.clock.now() >= end) return
    }
  }

  /** Clients may close their connection and send the request again: the abandoned requests must not fill the memory. */
  #leaveGone(line: Line): void {
    if (!line.jobs.some(({ isGone }) => isGone())) return
    for (const job of line.jobs.filter(({ isGone }) => isGone())) job.refuse(1)
    line.jobs = line.jobs.filter(({ isGone }) => !isGone())
  }

  async #serveLine(key: string, line: Line, end: number): Promise<void> {
    const { clock, maxWait, isHolding, nextTurn } = this.#settings
    while (line.credit > 0 && this.#canStart(line)) {
      const [job] = line.jobs.splice(0, 1)
      if (job === undefined) return
      const waited = clock.now() - job.since
      this.#settings.onWait(waited / 1000)
      if (waited >= SLOW) this.#tell(key)
      if (waited >= maxWait()) {
        job.refuse(this.#retryAfter(line))
        continue
      }
      const ended = this.#run(key, line, job)
      // What has not ended after a turn of the event loop does not hold it: it waits for another thread.
      if (isHolding) await Promise.race([ended, nextTurn()])
      if (clock.now() >= end) return
    }
  }

  async #run(key: string, line: Line, job: Job): Promise<void> {
    const began = this.#settings.clock.now()
    line.running++
    await job.start()
    // Those that run together share the time that they take.
    line.cost = (this.#settings.clock.now() - began) / line.running
    line.credit = Math.max(line.credit - line.cost, -MAX_DEBT)
    this.#useOf(key).ms += line.cost
    const { rest } = this.#settings
    if (rest !== undefined) await rest(line.cost)
    line.running--
    this.#serve()
  }

  /** In seconds: the time that the requests of this line need while the other lines are served too. */
  #retryAfter({ jobs, cost }: Line): number {
    const seconds = (jobs.length * cost * this.#lines.size) / 1000
    return Math.min(Math.max(Math.ceil(seconds), 1), MAX_RETRY_AFTER)
  }

  /** Only of keys that use much: others may wait because the whole service is busy. */
  #tell(key: string): void {
    const use = this.#useOf(key)
    const now = this.#settings.clock.now()
    const isLight = [...this.#uses.values()].some(({ ms }) => ms > 2 * use.ms)
    if (isLight || now - use.toldAt < MINUTE) return
    use.toldAt = now
    this.#settings.onSlow(key)
  }

  #useOf(key: string): Use {
    this.#turnMinute()
    const known = this.#uses.get(key)
    if (known !== undefined) return known
    const use = { ms: 0, toldAt: this.#usesBefore.get(key)?.toldAt ?? -Infinity }
    this.#uses.set(key, use)
    return use
  }

  #turnMinute(): void {
    const minute = Math.floor(this.#settings.clock.now() / MINUTE)
    if (minute === this.#minute) return
    this.#usesBefore = minute === this.#minute + 1 ? this.#uses : new Map()
    this.#uses = new Map()
    this.#minute = minute
  }
}
