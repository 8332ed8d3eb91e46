import { setImmediate } from 'node:timers'
import type { DatabaseSync } from 'node:sqlite'

interface Job {
  readonly work: () => Promise<unknown>
  readonly done: (value: unknown) => void
  readonly failed: (error: unknown) => void
}

/**
 * Requests that arrive in one turn of the event loop share one transaction, and so one flush to disk. Nobody is answered
 * before the commit. Where one of them throws, all is taken back and done again with a savepoint for each, so that only
 * that one's changes are missing: work may run twice, and what it does outside the store must bear that.
 */
export function groupCommit(database: DatabaseSync): <T>(work: () => Promise<T>) => Promise<T> {
  const steps = stepsOf(database)
  let waiting: Job[] = []
  let isBusy = false

  const flush = async (): Promise<void> => {
    const jobs = waiting
    waiting = []
    try {
      const answers = await together(steps, jobs).catch(async () => apart(steps, jobs))
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

interface Steps {
  readonly begin: () => void
  readonly commit: () => void
  readonly save: () => void
  readonly release: () => void
  /** To the last savepoint, which goes with it. */
  readonly undo: () => void
  readonly rollback: () => void
}

function stepsOf(database: DatabaseSync): Steps {
  const step = (sql: string): (() => void) => {
    const statement = database.prepare(sql)
    return () => void statement.run()
  }
  return {
    begin: step('BEGIN IMMEDIATE'),
    commit: step('COMMIT'),
    save: step('SAVEPOINT job'),
    release: step('RELEASE job'),
    undo: () => database.exec('ROLLBACK TO job; RELEASE job'),
    rollback: () => {
      if (database.isTransaction) database.exec('ROLLBACK')
    },
  }
}

/** What to tell each job, once the commit that it is part of is durable. */
type Answers = readonly (() => void)[]

/** Runs the jobs one after the other in one transaction; throws, with nothing changed, where any of them does. */
const together = async (steps: Steps, jobs: readonly Job[]): Promise<Answers> =>
  inTransaction(steps, jobs, async ({ work, done }) => {
    const value = await work()
    return () => done(value)
  })

/** The same, where what throws takes back only its own changes. */
const apart = async (steps: Steps, jobs: readonly Job[]): Promise<Answers> =>
  inTransaction(steps, jobs, async ({ work, done, failed }) => {
    steps.save()
    try {
      const value = await work()
      steps.release()
      return () => done(value)
    } catch (error) {
      steps.undo()
      return () => failed(error)
    }
  })

async function inTransaction(
  { begin, commit, rollback }: Steps,
  jobs: readonly Job[],
  run: (job: Job) => Promise<() => void>,
): Promise<Answers> {
  begin()
  try {
    const answers: (() => void)[] = []
    for (const job of jobs) answers.push(await run(job))
    commit()
    return answers
  } catch (error) {
    rollback()
    throw error
  }
}
