import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import type { Undo } from './counter-cache.ts'

interface Job {
  readonly work: () => Promise<unknown>
  readonly done: (value: unknown) => void
  readonly failed: (error: unknown) => void
}

export interface GroupCommit {
  /** Runs the work in a transaction; resolves when that is durable. */
  readonly commit: <T>(work: () => Promise<T>) => Promise<T>
  /** Within five seconds, beside whatever else is committed; once, however often it is asked meanwhile. */
  readonly soon: (work: () => Promise<void>) => void
  /** What takes a change outside the database back, should the work under way be taken back. */
  readonly note: (undo: Undo) => void
  readonly stop: () => void
}

/** Who keeps something beside the database hears of it. */
export interface CommitListener {
  readonly begun: () => void
  /** Something that was written, and perhaps read again, was not meant to be. */
  readonly takenBack: () => void
}

const UNHEARD: CommitListener = { begun: () => undefined, takenBack: () => undefined }

const SOON = 5000

/**
 * Requests that arrive in one turn of the event loop share one transaction, and so one flush to disk. Nobody is answered
 * before the commit. Where one of them throws, all is taken back and done again with a savepoint for each, so that only
 * that one's changes are missing: work may run twice, and what it does outside the store must bear that.
 */
export function groupCommit(database: DatabaseSync, heard: CommitListener = UNHEARD): GroupCommit {
  const log: Undo[] = []
  const steps = stepsOf(database, log, heard)
  let waiting: Job[] = []
  let isBusy = false
  let timer: ReturnType<typeof setTimeout> | undefined

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

  return {
    commit: async <T>(work: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, done: (value) => resolve(value as T), failed: reject })
        if (isBusy) return
        isBusy = true
        setImmediate(() => void flush())
      }),
    soon: (work) => {
      timer ??= setTimeout(() => {
        timer = undefined
        // A disk that takes nothing is told to whoever writes next; what is due stays due.
        void work().catch(() => undefined)
      }, SOON).unref()
    },
    note: (undo) => void log.push(undo),
    stop: () => clearTimeout(timer),
  }
}

interface Steps {
  readonly begin: () => void
  readonly commit: () => void
  /** Gives what takes everything since back. */
  readonly save: () => () => void
  readonly release: () => void
  readonly rollback: () => void
}

function stepsOf(database: DatabaseSync, log: Undo[], { begun, takenBack }: CommitListener): Steps {
  const step = (sql: string): (() => void) => {
    const statement = database.prepare(sql)
    return () => void statement.run()
  }
  const [begin, commit, save, release] = ['BEGIN IMMEDIATE', 'COMMIT', 'SAVEPOINT job', 'RELEASE job'].map(
    step,
  )
  const takeBack = (to: number): void => {
    for (const undo of log.splice(to).toReversed()) undo()
    takenBack()
  }
  return {
    begin: () => {
      log.length = 0
      begin?.()
      begun()
    },
    commit: () => commit?.(),
    save: () => {
      save?.()
      const mark = log.length
      return () => {
        database.exec('ROLLBACK TO job; RELEASE job')
        takeBack(mark)
      }
    },
    release: () => release?.(),
    rollback: () => {
      if (database.isTransaction) database.exec('ROLLBACK')
      takeBack(0)
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
    const undo = steps.save()
    try {
      const value = await work()
      steps.release()
      return () => done(value)
    } catch (error) {
      undo()
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
