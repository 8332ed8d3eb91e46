import { desiredStatesOf } from '../../src/client/program/jobs.ts'
import { updateOnce } from '../../src/client/program/one-shot.ts'
import { takeDaemonLocks } from '../../src/client/program/run/locks.ts'
import type { ResolvedSettings } from '../../src/client/settings/settings.ts'
import { asSingleInstance } from '../../src/client/program/state/single-instance.ts'
import { ChangeNotSaved } from '../../src/client/program/state/saved-state.ts'
import { statusReport } from '../../src/client/program/status/status-report.ts'
import { accountUpdate } from '../../src/client/report/control-requests.ts'
import { StateNotSaved, StateUnreadable } from '../../src/client/agent/memory/memory.ts'
import type { StatusReport } from '../../src/client/report/status.ts'
import type { SystemPorts } from '../../src/shared/ports/system.ts'
import type { Run } from './machine.ts'
import { portsOf, type WorldParts } from './ports.ts'
import { resumeWithoutDaemon } from '../../src/client/program/state/resume-without-daemon.ts'

interface UserContext {
  readonly parts: WorldParts
  /** As they are in the file now. */
  readonly settings: () => ResolvedSettings
  readonly note: (line: string) => void
  readonly later: (span: number, work: () => void) => void
  readonly alarm: (rule: string, because: string) => void
}

/** The commands that the user types while the daemon runs or does not run. Each is a process of its own. */
export class User {
  readonly #context: UserContext

  constructor(context: UserContext) {
    this.#context = context
  }

  /** `holdfast update`. */
  oneShot(): void {
    this.#command('update', async (system) => {
      const settings = this.#context.settings()
      const updates = desiredStatesOf(settings).map((desired) => accountUpdate(desired, undefined))
      const instance = await asSingleInstance(settings, { do: 'update', updates, force: false }, system)
      if (instance.kind === 'answered') return instance.answer.error ?? 'the daemon has done it'
      if (instance.kind === 'busy') return 'busy'
      try {
        const { reports } = await updateOnce(settings, {
          system,
          log: NO_LOG,
          isForced: false,
          onStop: () => NO_LOG,
        })
        return reports.map(({ outcome }) => outcome).join()
      } finally {
        await instance.release()
      }
    })
  }

  /** `holdfast resume`, again each minute while it fails. */
  resume(onDone: () => void): void {
    if (!this.#context.parts.machine.isOn) return this.#context.later(MINUTE, () => this.resume(onDone))
    this.#command('resume', async (system) => {
      const settings = this.#context.settings()
      const accounts = desiredStatesOf(settings).map(({ account }) => account)
      const instance = await asSingleInstance(settings, { do: 'resume', accounts }, system)
      if (instance.kind === 'alone') {
        try {
          await resumeWithoutDaemon(settings, accounts, system)
        } finally {
          await instance.release()
        }
        onDone()
        return 'done without the daemon'
      }
      const isDone = instance.kind === 'answered' && instance.answer.error === undefined
      if (isDone) onDone()
      else this.#context.later(MINUTE, () => this.resume(onDone))
      return isDone ? 'done' : 'not done'
    })
  }

  /** `holdfast run`, a second time. With a daemon that has its locks, it must not start. */
  secondDaemon(mustBeRefused: () => boolean): void {
    this.#command('run', async (system) => {
      const locks = await takeDaemonLocks(this.#context.settings(), system)
      if (!locks.ok) return locks.error.messages.join()
      if (mustBeRefused()) this.#context.alarm('S6', 'a second daemon starts')
      await locks.value.release()
      return 'it starts'
    })
  }

  /** `holdfast status`. */
  status(tell: (report: StatusReport) => void): void {
    this.#command('status', async (system) => {
      const report = await statusReport(this.#context.settings(), system)
      tell(report)
      return report.accounts.map(({ outcome, nextAttempt }) => `${outcome} ${nextAttempt ?? '-'}`).join()
    })
  }

  #command(name: string, work: (system: SystemPorts) => Promise<string>): void {
    const { parts } = this.#context
    if (!parts.machine.isOn) return
    const run = parts.machine.newRun()
    parts.scheduler.after(0, run, () => void this.#carryOut(run, name, work))
  }

  async #carryOut(run: Run, name: string, work: (system: SystemPorts) => Promise<string>): Promise<void> {
    const { parts, note, alarm } = this.#context
    try {
      note(`${name} ${run.nth}: ${await work(portsOf(parts, run))}`)
    } catch (error) {
      if (EXPECTED.some((kind) => error instanceof kind))
        note(`${name} ${run.nth}: ${(error as Error).message}`)
      else alarm('S6', `holdfast ${name} fails: ${(error as Error).stack}`)
    }
    parts.machine.end(run)
  }
}

/** What a full or broken disk causes, and the commands tell. */
const EXPECTED = [StateNotSaved, StateUnreadable, ChangeNotSaved]
const MINUTE = 60_000
const NO_LOG = (): void => undefined
