import { setImmediate } from 'node:timers'
import type { DatabaseSync } from 'node:sqlite'

interface Job {
  readonly work: () => Promise<unknown>
  readonly done: (value: unknown) => void
  readonly failed: (error: unknown) => void
}

/**
 * Requests that arrive in one turn of the event loop share one transaction, and so one flush to disk; each has a
 * savepoint of its own, so that one that throws takes back only its own changes. Nobody is answered before the commit.
 */
export function groupCommit(database: DatabaseSync): <T>(work: () => Promise<T>) => Promise<T> {
  let waiting: Job[] = []
  let isBusy = false

  const flush = async (): Promise<void> => {
    const jobs = waiting
    waiting = []
    try {
      const answers = await inOneTransaction(database, jobs)
      for (const answer of answers) answer()
    } catch (error) {
      for (const job of jobs) job.failed(error)
    }
    isBusy = waiting.length > 0
    if (isBusy) setImmediate(() => void flush())
  }

  return async <T>(work: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, done: (value) => resolve(value as T), failed: reject })
      if (isBusy) return
      isBusy = true
      setImmediate(() => void flush())
    })
}

/** Runs the jobs one after the other; gives what to tell each of them once the commit is durable. */
async function inOneTransaction(
  database: DatabaseSync,
  jobs: readonly Job[],
): Promise<readonly (() => void)[]> {
  database.exec('BEGIN IMMEDIATE')
  try {
    const answers: (() => void)[] = []
    for (const job of jobs) answers.push(await inSavepoint(database, job))
    database.exec('COMMIT')
    return answers
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

async function inSavepoint(database: DatabaseSync, { work, done, failed }: Job): Promise<() => void> {
  database.exec('SAVEPOINT job')
  try {
    const value = await work()
    database.exec('RELEASE job')
    return () => done(value)
  } catch (error) {
    database.exec('ROLLBACK TO job; RELEASE job')
    return () => failed(error)
  }
}
