import type { LoopState } from '../../agent/agent.ts'
import { answerControl, CONTROL_VERSION, type ControlContext } from '../../report/control-requests.ts'
import type { ControlServer } from '../../../shared/ports/control.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { clockView } from '../../report/report.ts'
import type { ComposedClient } from '../compose.ts'
import { pause } from '../../../shared/ports/clock.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'
import { socketIn } from '../state/single-instance.ts'

interface ControlDependencies
  extends Pick<ControlContext, 'report' | 'reportFromNow' | 'troubles' | 'recovered'> {
  readonly log: Log
  readonly system: Pick<SystemPorts, 'serveControl' | 'steady'>
  /** Undefined before the first decision of the loop. */
  readonly loopState: () => LoopState | undefined
  /** Reads the settings again, with the passwords; returns the mistakes in them. */
  readonly reread: () => Promise<readonly string[]>
}

interface ControlSocket {
  /** Listens again if the socket file was deleted. */
  readonly renew: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Milliseconds between two checks whether the loop has started. */
const START_POLL_INTERVAL = 20

/** The control socket of a daemon, open until it is closed. */
export async function openControlSocket(
  composed: ComposedClient,
  settings: ResolvedSettings,
  dependencies: ControlDependencies,
): Promise<ControlSocket> {
  let control = await listen(composed, settings, dependencies)
  return {
    renew: async () => {
      if (control === undefined || control.ownsPath()) return
      await control.close()
      control = await listen(composed, settings, dependencies)
    },
    close: async () => control?.close(),
  }
}

/** Undefined where the socket cannot be made: the daemon then updates hostnames without it. */
async function listen(
  { agent, detection, clientTime }: ComposedClient,
  settings: ResolvedSettings,
  { log, system, loopState, reread, ...reports }: ControlDependencies,
): Promise<ControlServer | undefined> {
  const path = socketIn(settings)
  try {
    return await system.serveControl(path, async (request) => {
      // Requests that arrive before the first decision wait for it.
      while (loopState() === undefined && !agent.end.aborted) await pause(system.steady, START_POLL_INTERVAL)
      const first = loopState()
      if (first === undefined)
        return { version: CONTROL_VERSION, error: 'the daemon has ended; start it and try again' }
      const context = {
        inbox: agent.inbox,
        hint: () => detection.hint('poke'),
        clock: () => clockView(clientTime),
        reread,
      }
      return answerControl({ ...context, ...reports, loopState: () => loopState() ?? first }, request)
    })
  } catch (error) {
    const because = (error as Error).message
    const line =
      `there is no control socket at ${path} (${because}); status, poke, ` +
      'resume and update cannot reach this daemon; give it another --runtime-dir'
    log('warn', 'there is no control socket', { fields: { path, because }, line })
    return undefined
  }
}
