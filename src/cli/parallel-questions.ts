import { isatty } from 'node:tty'
import { writeError } from '../app/streams.ts'

/** For all questions together; a little longer than any source has for itself. What comes later counts as no answer. */
const TIMEOUT = 10_500
const REDRAW = 1000
const STDERR = 2

/** Questions that are asked side by side. */
export interface ParallelQuestions {
  /** The answer, or what stands for it when time is up. */
  readonly ask: <T>(of: string, answer: Promise<T>, otherwise: () => T) => Promise<T>
}

/** Ends within the time for all questions; on a terminal, a line tells how far it has come. */
export async function askInParallel<T>(
  asJson: boolean,
  work: (questions: ParallelQuestions) => Promise<T>,
): Promise<T> {
  boundLookups()
  const progress = asJson || !isatty(STDERR) ? undefined : progressLine()
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>((done) => (timer = setTimeout(done, TIMEOUT)))
  try {
    return await work({
      ask: async (of, answer, otherwise) => {
        const answered = progress?.asked(of)
        return Promise.race([answer, timeUp.then(otherwise)]).finally(answered)
      },
    })
  } finally {
    clearTimeout(timer)
    progress?.end()
  }
}

/**
 * A look-up by getaddrinfo(3) cannot be called off, and no process ends before those that are under way: resolver(5)
 * is told to give up soon. What the user says there comes last, and so wins.
 */
function boundLookups(): void {
  const given = process.env['RES_OPTIONS'] ?? ''
  if (!given.startsWith(BOUND)) process.env['RES_OPTIONS'] = `${BOUND} ${given}`.trim()
}
const BOUND = 'timeout:1 attempts:1'

/** Some terminals do not tell, or say 0. */
const UNKNOWN_WIDTH = 80
const CLEAR = '\r\u001B[K'

/** One line, drawn again in place. */
function progressLine() {
  const waiting: string[] = []
  let total = 0
  let isDue = false
  const draw = (): void => {
    isDue = false
    if (waiting.length > 0)
      writeError(`${CLEAR}${sayProgress(waiting, total, process.stderr.columns || UNKNOWN_WIDTH)}`)
  }
  // Dozens are asked in one moment.
  const drawSoon = (): void => {
    if (!isDue) setImmediate(draw)
    isDue = true
  }
  const timer = setInterval(draw, REDRAW)
  return {
    asked: (of: string): (() => void) => {
      waiting.push(of)
      total++
      drawSoon()
      return () => {
        waiting.splice(waiting.indexOf(of), 1)
        drawSoon()
      }
    },
    end: (): void => {
      clearInterval(timer)
      waiting.length = 0
      writeError(CLEAR)
    },
  }
}

/** Who is still waited for, as far as it fits into a line. */
export function sayProgress(waiting: readonly string[], total: number, columns: number): string {
  const names = [...new Set(waiting)]
  const count = `${total - waiting.length} of ${total} have answered; asking `
  const more = names.length > 1 ? ` and ${names.length - 1} more` : ''
  return `${count}${names[0] ?? ''}${more}`.slice(0, columns - 1)
}
