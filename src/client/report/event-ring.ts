import type { Level } from '../../shared/base/level.ts'
import { formatInstant, type Instant } from '../../shared/base/time.ts'
import type { AgentEvent } from '../agent/events.ts'
import { type EventFormat, wordingOf } from '../agent/wording.ts'

/** One thing that happened, in words. */
export interface RecordedEvent {
  /** Its number since the start. */
  readonly nth: number
  /** RFC 3339. */
  readonly at: string
  readonly level: Level
  readonly text: string
  /** How often it happened in a row. */
  readonly times: number
}

const MAX_EVENTS = 50

/** Events of each look and of each request say what others say too. */
const LEFT_OUT: ReadonlySet<AgentEvent['kind']> = new Set([
  'looked',
  'sending',
  'hinted',
  'sleeping',
  'refused',
  'keyInClear',
])

/** The last events since the start, newest first. */
export class EventRing {
  #events: readonly RecordedEvent[] = []
  #count = 0

  record(event: AgentEvent, now: Instant, format: EventFormat): boolean {
    if (LEFT_OUT.has(event.kind)) return false
    const { level, line } = wordingOf(event)
    const text = line(event, format)
    const [newest, ...older] = this.#events
    const at = formatInstant(now)
    const isSame = newest?.text === text
    this.#events = isSame
      ? [{ ...newest, at, level, times: newest.times + 1 }, ...older]
      : [{ nth: ++this.#count, at, level, text, times: 1 }, ...this.#events].slice(0, MAX_EVENTS)
    return true
  }

  get newestFirst(): readonly RecordedEvent[] {
    return this.#events
  }
}
