import { after, seconds } from '../../base/time.ts'
import type { Observation } from '../decide/observation.ts'
import type { Agent } from './agent.ts'

/** An answer that is on its way comes within this. */
const GRACE = seconds(3)
const NETWORK_CHANGED = 'exchange: the network changed while the answer was waited for'

/** Sends, and gives up what can no longer be answered. */
export type AnswerTimeout = (
  abandon: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Observation>,
) => Promise<Observation>

/**
 * The answer to an address that this host had is lost with that address, and waiting for it holds up the new one: a change of
 * the network leaves it a few seconds. Changes may be made up, and a service slow, so that the request after one that was given
 * up has its whole time.
 */
export function answerTimeout({ clock, inbox }: Pick<Agent, 'clock' | 'inbox'>): AnswerTimeout {
  let waitsOut = false
  return async (abandon, ask) => {
    const [given, over] = [new AbortController(), new AbortController()]
    const giveUp = async (): Promise<void> => {
      await clock.sleep(after(clock.now(), GRACE), over.signal)
      if (!over.signal.aborted) given.abort()
    }
    const poked = inbox.poked()
    const begin = (): void => void giveUp()
    if (!waitsOut && poked.aborted) begin()
    else if (!waitsOut) poked.addEventListener('abort', begin, { once: true })
    const seen = await ask(AbortSignal.any([abandon, given.signal]))
    poked.removeEventListener('abort', begin)
    over.abort()
    waitsOut = given.signal.aborted
    return waitsOut && seen.kind === 'unreached' ? { ...seen, because: NETWORK_CHANGED } : seen
  }
}
