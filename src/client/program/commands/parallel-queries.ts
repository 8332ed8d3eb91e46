import { isatty } from 'node:tty'
import { pause } from '../../../shared/ports/clock.ts'
import { steadyClock } from '../../../shared/platform/clock/clock.ts'
import { writeError } from '../../../shared/program/streams.ts'

/** In milliseconds, for all queries together; a little longer than the timeout of any single source. */
const TIMEOUT = 10_500
const REDRAW_INTERVAL = 1000
const STDERR = 2

interface ParallelQueries {
  /** The answer, or the value of `otherwise` after the timeout. `name` appears on the progress line. */
  readonly ask: <T>(name: string, answer: Promise<T>, otherwise: () => T) => Promise<T>
}

/** Runs work whose queries share one timeout. A terminal shows a progress line meanwhile. */
export async function queryInParallel<T>(
  asJson: boolean,
  work: (queries: ParallelQueries) => Promise<T>,
): Promise<T> {
  limitLookups()
  const progress = asJson || !isatty(STDERR) ? undefined : progressLine()
  const ended = new AbortController()
  const timeout = pause(steadyClock, TIMEOUT, ended.signal)
  try {
    return await work({
      ask: async (name, answer, otherwise) => {
        const done = progress?.start(name)
        return Promise.race([answer, timeout.then(otherwise)]).finally(done)
      },
    })
  } finally {
    ended.abort()
    progress?.end()
  }
}

/**
 * A getaddrinfo(3) call cannot be cancelled, and the process cannot end before it returns: resolver(5) options shorten
 * it. The user's own options follow ours, because the last one wins.
 */
function limitLookups(): void {
  const options = process.env['RES_OPTIONS'] ?? ''
  if (!options.startsWith(RESOLVER_OPTIONS))
    process.env['RES_OPTIONS'] = `${RESOLVER_OPTIONS} ${options}`.trim()
}
const RESOLVER_OPTIONS = 'timeout:1 attempts:1'

/** Some terminals report no width, or 0. */
const DEFAULT_COLUMNS = 80
const CLEAR_LINE = '\r\u001B[K'

/** One line on standard error, redrawn in place. */
function progressLine() {
  const waiting: string[] = []
  let total = 0
  let isScheduled = false
  const draw = (): void => {
    isScheduled = false
    if (waiting.length > 0)
      writeError(`${CLEAR_LINE}${formatProgress(waiting, total, process.stderr.columns || DEFAULT_COLUMNS)}`)
  }
  // Dozens of queries start in the same tick; one drawing is enough for them.
  const scheduleDraw = (): void => {
    if (!isScheduled) void Promise.resolve().then(draw)
    isScheduled = true
  }
  const ended = new AbortController()
  void redraw(draw, ended.signal)
  return {
    start: (name: string): (() => void) => {
      waiting.push(name)
      total++
      scheduleDraw()
      return () => {
        waiting.splice(waiting.indexOf(name), 1)
        scheduleDraw()
      }
    },
    end: (): void => {
      ended.abort()
      waiting.length = 0
      writeError(CLEAR_LINE)
    },
  }
}

async function redraw(draw: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    draw()
    await pause(steadyClock, REDRAW_INTERVAL, signal)
  }
}

/** How many queries are answered, and which are not, cut to the width of the terminal. */
function formatProgress(waiting: readonly string[], total: number, columns: number): string {
  const names = [...new Set(waiting)]
  const count = `${total - waiting.length} of ${total} answered; waiting for `
  const more = names.length > 1 ? ` and ${names.length - 1} more` : ''
  return `${count}${names[0] ?? ''}${more}`.slice(0, columns - 1)
}
