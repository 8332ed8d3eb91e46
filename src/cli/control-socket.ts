import { setTimeout as sleep } from 'node:timers/promises'
import type { Rest } from '../client/agent/run.ts'
import { type Control, serveControl } from '../platform/control.ts'
import type { Log } from '../ports/log.ts'
import { socketIn } from './beside.ts'
import type { Composed } from './client.ts'
import { type Daemon, carryOut } from './orders.ts'
import type { Settings } from './settings.ts'

/** What is needed to answer. */
export interface Desk extends Pick<Daemon, 'report' | 'reportFromNow' | 'when'> {
  readonly log: Log
  readonly rest: () => Rest | undefined
}

export interface KeptControl {
  /** Listens again where the socket was deleted. */
  readonly renew: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The control socket of a daemon, for as long as it runs. */
export async function keepControl(composed: Composed, settings: Settings, desk: Desk): Promise<KeptControl> {
  let control = await takeOrders(composed, settings, desk)
  return {
    renew: async () => {
      if (control === undefined || (await control.isThere())) return
      await control.close()
      control = await takeOrders(composed, settings, desk)
    },
    close: async () => control?.close(),
  }
}

/** A daemon without its socket still keeps hostnames current; it only takes no orders. */
async function takeOrders(
  { agent, lookout }: Composed,
  settings: Settings,
  { log, rest, ...reporting }: Desk,
): Promise<Control | undefined> {
  const path = socketIn(settings)
  try {
    return await serveControl(path, async (request) => {
      // A question in the first moment waits until that has passed.
      while (rest() === undefined && !agent.end.aborted) await sleep(20)
      const known = rest()
      if (known === undefined) return { error: 'the daemon has ended' }
      return carryOut(
        {
          inbox: agent.inbox,
          hint: () => lookout.hint('somebody said so'),
          rest: () => rest() ?? known,
          ...reporting,
        },
        request,
      )
    })
  } catch (error) {
    const because = (error as Error).message
    const line = `there is no control socket at ${path} (${because}); this daemon takes no orders from status, poke, resume and update`
    log('warn', 'there is no control socket', { path, because }, line)
    return undefined
  }
}
