/** Runs work when its turn comes. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

/** Runs some at a time; the others wait in their order. */
export function limitConcurrency(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let free = max
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

/** The values of all; rejects after each has ended. */
export async function allEnded<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** The reason of an abort that ends a wait. Without one, each call of `abort()` makes an exception with its stack. */
export const WAIT_ENDED = new Error('ended')
