import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { FromWorker, Job } from './job.ts'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
export const WORKERS = Math.min(4, availableParallelism())

export interface Ended {
  /** The task of a process that was killed. */
  readonly brokenOffAt?: number
}

/**
 * Runs a job in a separate process, and kills it if it sends no message for `patience` milliseconds: a mutant can loop
 * forever, and the process itself cannot detect that.
 */
export async function work(job: Job, patience: number, hear: (message: FromWorker) => void): Promise<Ended> {
  const child = fork(WORKER, [], {
    cwd: job.root,
    env: { ...process.env, TZ: 'UTC' },
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let at: number | undefined
  let isDone = false
  const end = (): void => void child.kill('SIGKILL')
  let timer = setTimeout(end, patience)
  child.on('message', (message: FromWorker) => {
    clearTimeout(timer)
    timer = setTimeout(end, patience)
    if (message.kind === 'at') at = message.id
    if (message.kind === 'done') isDone = true
    else hear(message)
  })
  child.send(job)
  await new Promise((done) => child.once('close', done))
  clearTimeout(timer)
  return isDone || at === undefined ? {} : { brokenOffAt: at }
}
