import type { Files } from '../../src/ports/files.ts'
import type { ControlHandler } from '../../src/ports/control.ts'
import type { LockOutcome, LockOwner } from '../../src/ports/lock.ts'
import { Owner, type Scheduler } from './scheduler.ts'

/** One running client. */
export class Run extends Owner {
  readonly nth: number
  /** Steady time that did not pass while the machine slept, in milliseconds. */
  constructor(nth: number) {
    super()
    this.nth = nth
  }
}

/** The host: its clocks, its disk, its locks and sockets, and the run of the client on it. */
export class Machine {
  /** In milliseconds: by how much the wall clock is wrong. */
  clockOffset = 0
  boot = 1
  bootedAt = 0
  /** How long it has slept since its boot, in milliseconds. */
  slept = 0
  /** What each write answers, while the disk has a fault. */
  diskFault: string | undefined
  run: Run | undefined
  readonly files = new Map<string, string>()
  readonly locks = new Map<string, { readonly owner: LockOwner; readonly run: Run }>()
  readonly sockets = new Map<string, { readonly handle: ControlHandler; readonly run: Run }>()
  readonly #scheduler: Scheduler
  #runs = 0

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  newRun(): Run {
    this.run = new Run(++this.#runs)
    return this.run
  }

  /** Everything that the run had is gone: its timers, its locks and its sockets. */
  end(): void {
    const { run } = this
    this.run = undefined
    if (run === undefined) return
    run.isAlive = false
    for (const [path, { run: owner }] of this.sockets) if (owner === run) this.sockets.delete(path)
  }

  freeze(span: number): void {
    if (this.run !== undefined) this.run.frozenUntil = this.#scheduler.now + span
  }

  /** The process and the steady clock stop; the boot clock goes on. */
  sleep(span: number): void {
    this.freeze(span)
    this.#scheduler.after(span, this.#scheduler.world, () => (this.slept += span))
  }

  cutPower(): void {
    this.end()
    this.boot++
  }

  start(): void {
    this.bootedAt = this.#scheduler.now
    this.slept = 0
  }

  /** The files as a run sees them: each call takes a moment, and fails while the disk has a fault. */
  filesOf(run: Run, moment: () => number): Files {
    const call = async <T>(work: () => T): Promise<T> => {
      await this.#scheduler.pause(moment(), run)
      return work()
    }
    const write = async (work: () => void): Promise<void> =>
      call(() => {
        if (this.diskFault !== undefined)
          throw Object.assign(new Error(`${this.diskFault}: no write`), { code: this.diskFault })
        work()
      })
    return {
      read: async (path) => call(() => this.files.get(path)),
      replace: async (path, text) => write(() => void this.files.set(path, text)),
      rename: async (from, to) =>
        write(() => {
          const text = this.files.get(from)
          if (text === undefined) throw Object.assign(new Error('ENOENT: no file'), { code: 'ENOENT' })
          this.files.delete(from)
          this.files.set(to, text)
        }),
      makeFolder: async () => write(() => undefined),
      makePrivateFolder: async () => write(() => undefined),
      isPrivateFolder: async () => call(() => true),
      remove: async (path) => write(() => void this.files.delete(path)),
    }
  }

  acquire(run: Run, folder: string, socket: string | undefined, file = 'owner.lock'): LockOutcome {
    const path = `${folder}/${file}`
    const held = this.locks.get(path)
    if (held?.run.isAlive === true && held.run !== run) return { kind: 'held', owner: held.owner }
    this.locks.set(path, { owner: { pid: run.nth, ...(socket !== undefined && { socket }) }, run })
    return {
      kind: 'acquired',
      path,
      renew: () => Promise.resolve({ kind: 'kept' }),
      release: () => Promise.resolve(void this.locks.delete(path)),
    }
  }
}
