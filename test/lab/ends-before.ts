import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Whether work of this process ends before timers of this process that start with it, one after the other (in milliseconds).
 * Where the machine is busy, both are late, and in the same order.
 */
export async function endsBefore(spans: readonly number[], work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const timers = async (): Promise<boolean> => {
    for (const span of spans) await sleep(span, undefined, { signal: over.signal })
    return false
  }
  const isOver = async (): Promise<boolean> => true
  const isFirst = await Promise.race([work.then(isOver, isOver), timers()])
  over.abort()
  return isFirst
}
