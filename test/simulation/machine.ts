import { dirname } from 'node:path'
import type { Files } from '../../src/shared/ports/files.ts'
import type { ControlHandler } from '../../src/shared/ports/control.ts'
import type { LockOutcome, LockOwner } from '../../src/shared/ports/lock.ts'
import type { Stream } from './random.ts'
import { Owner, type Scheduler } from './scheduler.ts'

/** One running process: the daemon, or a command. */
export class Run extends Owner {
  readonly nth: number
  /** What others do when it ends, such as those whose connection it closes. */
  readonly onEnd = new Set<() => void>()
  constructor(nth: number) {
    super()
    this.nth = nth
  }
}

export const STATE_FOLDERS = ['/state', '/fallback'] as const

/** In milliseconds: ext4 writes its journal at least so often. */
const COMMIT_INTERVAL = 5000

/** A write under way: whether it is on the disk is known when its call has ended. */
interface Write {
  readonly run: Run
  readonly work: () => void
}

interface Rename {
  readonly at: number
  readonly from: string
  readonly undo: () => void
}

/** The host: its clocks, its disk, its locks and sockets, and the processes on it. */
export class Machine {
  /** In milliseconds: by how much the wall clock is wrong. */
  clockOffset = 0
  boot = 1
  bootedAt = 0
  /** How long it has slept since its boot, in milliseconds. */
  slept = 0
  /** What each write answers, while the disk has a fault; in the state folder alone, or everywhere. */
  diskFault: { readonly code: string; readonly isEverywhere: boolean } | undefined
  /** The daemon. */
  run: Run | undefined
  readonly files = new Map<string, string>()
  readonly locks = new Map<string, { readonly owner: LockOwner; readonly run: Run }>()
  readonly sockets = new Map<string, { readonly handle: ControlHandler; readonly run: Run }>()
  readonly #scheduler: Scheduler
  readonly #draw: Stream
  readonly #processes = new Set<Run>()
  readonly #writes = new Set<Write>()
  #renames: readonly Rename[] = []
  #runs = 0
  /** Overlapping power cuts: the machine is on while there is none. */
  #cuts = 0
  #asleepUntil = 0

  constructor(scheduler: Scheduler, draw: Stream) {
    this.#scheduler = scheduler
    this.#draw = draw
  }

  newRun(): Run {
    const run = new Run(++this.#runs)
    this.freeze(run, this.#asleepUntil - this.#scheduler.now)
    this.#processes.add(run)
    return run
  }

  /** Everything that the process had is gone: its timers, its locks and its sockets. A write under way is done or not. */
  end(run: Run): void {
    if (this.run === run) this.run = undefined
    this.#processes.delete(run)
    run.isAlive = false
    for (const write of this.#writes)
      if (write.run === run) {
        this.#writes.delete(write)
        if (this.#draw() < 0.5) write.work()
      }
    for (const [path, { run: owner }] of this.sockets) if (owner === run) this.sockets.delete(path)
    for (const tell of run.onEnd) tell()
  }

  freeze(run: Run, span: number): void {
    run.frozenUntil = Math.max(run.frozenUntil ?? 0, this.#scheduler.now + span)
  }

  /** The processes and the steady clock stop; the boot clock goes on. */
  sleep(span: number): void {
    const { now } = this.#scheduler
    const longer = now + span - Math.max(now, this.#asleepUntil)
    if (longer <= 0) return
    this.#asleepUntil = now + span
    for (const run of this.#processes) this.freeze(run, span)
    // No process reads a clock until then.
    this.slept += longer
  }

  /** Renames of the last seconds may be lost, and a disk that lies may have half of the state. */
  cutPower(isTorn: boolean): void {
    for (const run of this.#processes) this.end(run)
    this.boot++
    this.#cuts++
    this.#asleepUntil = 0
    for (const { at, undo } of this.#renames.toReversed())
      if (at > this.#scheduler.now - COMMIT_INTERVAL && this.#draw() < 0.5) undo()
    this.#renames = []
    // In memory.
    for (const path of this.files.keys()) if (path.startsWith('/run/')) this.files.delete(path)
    for (const [path, text] of isTorn ? this.files : [])
      this.files.set(path, text.slice(0, Math.floor(text.length * this.#draw())))
  }

  get isOn(): boolean {
    return this.#cuts === 0
  }

  /** The power is back, unless it was cut again. */
  start(): void {
    this.#cuts--
    this.bootedAt = this.#scheduler.now
    this.slept = 0
  }

  /** The files as a run sees them: each call takes a moment, and fails while the disk has a fault. */
  filesOf(run: Run, moment: () => number): Files {
    const call = async <T>(work: () => T): Promise<T> => {
      await this.#scheduler.pause(moment(), run)
      return work()
    }
    const write = async (path: string, work: () => void): Promise<void> => {
      const one = { run, work }
      const code = this.faultAt(path)
      if (code === undefined) this.#writes.add(one)
      await this.#scheduler.pause(moment(), run)
      if (code !== undefined) throw Object.assign(new Error(`${code}: no write`), { code })
      this.#writes.delete(one)
      work()
    }
    return {
      read: async (path) => call(() => this.files.get(path)),
      replace: async (path, text) => write(path, () => this.#replace(path, text)),
      jot: (path, text) => this.#jot(path, text),
      rename: async (from, to) => write(from, () => this.#rename(from, to)),
      makeFolder: async (path) => write(path, () => undefined),
      makePrivateFolder: async (path) => write(path, () => undefined),
      isPrivateFolder: async () => call(() => true),
      remove: async (path) => write(path, () => this.#rename(path, undefined)),
    }
  }

  faultAt(path: string): string | undefined {
    const { diskFault } = this
    if (diskFault === undefined) return undefined
    return diskFault.isEverywhere || path.startsWith(STATE_FOLDERS[0]) ? diskFault.code : undefined
  }

  /** With an fsync of the folder, so that no rename in it is lost any more. */
  #replace(path: string, text: string): void {
    this.files.set(path, text)
    this.#renames = this.#renames.filter(({ from }) => dirname(from) !== dirname(path))
  }

  /** Immediate, without an fsync: a power cut undoes it. */
  #jot(path: string, text: string): boolean {
    if (this.faultAt(path) !== undefined) return false
    this.files.set(path, text)
    this.#renames = [
      ...this.#renames,
      { at: this.#scheduler.now, from: path, undo: () => this.files.delete(path) },
    ]
    return true
  }

  /** Removes the file, or gives it another name. No fsync of the folder follows, so that a power cut may undo it. */
  #rename(from: string, to: string | undefined): void {
    const text = this.files.get(from)
    if (text === undefined) return
    this.files.delete(from)
    if (to !== undefined) this.files.set(to, text)
    const undo = (): void => {
      if (to !== undefined) this.files.delete(to)
      if (!this.files.has(from)) this.files.set(from, text)
    }
    this.#renames = [...this.#renames, { at: this.#scheduler.now, from, undo }]
  }

  acquire(run: Run, folder: string, socket: string | undefined, file = 'owner.lock'): LockOutcome {
    const path = `${folder}/${file}`
    const held = this.locks.get(path)
    if (held?.run.isAlive === true && held.run !== run) return { kind: 'held', owner: held.owner }
    if (this.faultAt(path) !== undefined) return { kind: 'unavailable' }
    this.locks.set(path, { owner: { pid: run.nth, ...(socket !== undefined && { socket }) }, run })
    return {
      kind: 'acquired',
      path,
      renew: () => Promise.resolve({ kind: 'kept' }),
      release: () => {
        if (this.locks.get(path)?.run === run) this.locks.delete(path)
        return Promise.resolve()
      },
    }
  }
}
