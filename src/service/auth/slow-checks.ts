/** Node's pool of worker threads, in which slow hashes run, has four; one stays free for files. */
const CONCURRENT = 3
/** Waiting checks of one share. With some thirty milliseconds each, a longer queue would outlast the patience of clients. */
const MAX_WAITING = 64

interface Waiting {
  readonly start: () => void
}

/** Runs the check when it is the turn of its share; undefined if too many of that share wait already. */
type RunCheck = <T>(share: string, check: () => Promise<T>) => Promise<T | undefined>

/**
 * Slow checks take turns by share, such as a network: a flood from one share delays the others by one check each. Shares are
 * removed when nothing of them waits.
 */
export function slowChecks(): RunCheck {
  const waiting = new Map<string, Waiting[]>()
  let running = 0

  /** The share that has waited longest goes first; then it goes to the end. */
  const startNext = (): void => {
    const [share, queue] = waiting.entries().next().value ?? []
    const next = queue?.shift()
    if (share === undefined || queue === undefined || next === undefined) return
    waiting.delete(share)
    if (queue.length > 0) waiting.set(share, queue)
    running++
    next.start()
  }
  const turn = async (share: string): Promise<boolean> => {
    if (running < CONCURRENT) {
      running++
      return true
    }
    const queue = waiting.get(share) ?? []
    if (queue.length >= MAX_WAITING) return false
    waiting.set(share, queue)
    await new Promise<void>((start) => queue.push({ start }))
    return true
  }
  return async (share, check) => {
    if (!(await turn(share))) return undefined
    try {
      return await check()
    } finally {
      running--
      startNext()
    }
  }
}
