import { setTimeout as sleep } from 'node:timers/promises'
import type { LoopState } from '../../client/agent/loop-state.ts'
import { answerControl, type ControlContext } from '../../client/control/control-requests.ts'
import { type ControlServer, serveControl } from '../../platform/control.ts'
import type { Log } from '../../ports/log.ts'
import type { ComposedClient } from './compose.ts'
import type { ResolvedSettings } from './settings.ts'
import { socketIn } from './single-instance.ts'

/** What is needed to answer. */
export interface ControlDependencies extends Pick<ControlContext, 'report' | 'reportFromNow' | 'clock'> {
  readonly log: Log
  readonly loopState: () => LoopState | undefined
}

export interface ControlSocket {
  /** Listens again where the socket was deleted. */
  readonly renew: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The control socket of a daemon, for as long as it runs. */
export async function openControlSocket(
  composed: ComposedClient,
  settings: ResolvedSettings,
  desk: ControlDependencies,
): Promise<ControlSocket> {
  let control = await takeOrders(composed, settings, desk)
  return {
    renew: async () => {
      if (control === undefined || (await control.ownsPath())) return
      await control.close()
      control = await takeOrders(composed, settings, desk)
    },
    close: async () => control?.close(),
  }
}

/** A daemon without its socket still keeps hostnames current; it only takes no orders. */
async function takeOrders(
  { agent, detection }: ComposedClient,
  settings: ResolvedSettings,
  { log, loopState, ...reporting }: ControlDependencies,
): Promise<ControlServer | undefined> {
  const path = socketIn(settings)
  try {
    return await serveControl(path, async (request) => {
      // A question in the first moment waits until that has passed.
      while (loopState() === undefined && !agent.end.aborted) await sleep(20)
      const known = loopState()
      if (known === undefined) return { error: 'the daemon has ended' }
      return answerControl(
        {
          inbox: agent.inbox,
          hint: () => detection.hint('poke'),
          loopState: () => loopState() ?? known,
          ...reporting,
        },
        request,
      )
    })
  } catch (error) {
    const because = (error as Error).message
    const line = `there is no control socket at ${path} (${because}); this daemon takes no orders from status, poke, resume and update`
    log('warn', 'there is no control socket', { fields: { path, because }, line })
    return undefined
  }
}
