import { after, seconds } from '../../shared/base/time.ts'
import { WAIT_ENDED } from '../../shared/base/wait-ended.ts'
import type { Observation } from '../decide/observation.ts'
import type { Agent } from './agent.ts'

/** An answer that was already on its way arrives within this time. */
const ANSWER_TIMEOUT = seconds(3)
const NETWORK_CHANGED = 'exchange: the network changed before the answer arrived'

/** Runs an exchange with a signal that aborts when its answer can no longer arrive, or with `abandon`. */
type AnswerTimeout = (
  abandon: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<Observation>,
) => Promise<Observation>

/**
 * When this host's address changes, the answer to the old address is lost, and waiting for it delays the update to the new
 * one: an exchange ends three seconds after a change of the network. The next exchange is not limited, because a reported
 * change can be false and a service can be slow.
 */
export function answerTimeout({ clock, inbox }: Pick<Agent, 'clock' | 'inbox'>): AnswerTimeout {
  let wasAborted = false
  return async (abandon, exchange) => {
    const abort = new AbortController()
    const finished = new AbortController()
    const abortLater = async (): Promise<void> => {
      await clock.sleep(after(clock.now(), ANSWER_TIMEOUT), finished.signal)
      if (!finished.signal.aborted) abort.abort(WAIT_ENDED)
    }
    const onChange = (): void => void abortLater()
    const networkChange = inbox.networkChange()
    if (!wasAborted && networkChange.aborted) onChange()
    else if (!wasAborted) networkChange.addEventListener('abort', onChange, { once: true })
    const observation = await exchange(AbortSignal.any([abandon, abort.signal]))
    networkChange.removeEventListener('abort', onChange)
    finished.abort(WAIT_ENDED)
    wasAborted = abort.signal.aborted
    return wasAborted && observation.kind === 'unreached'
      ? { ...observation, because: NETWORK_CHANGED }
      : observation
  }
}
