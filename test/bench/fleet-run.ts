import { after, between, type Instant, isBefore, milliseconds } from '../../src/shared/base/time.ts'
import { type Client, isInTrouble, look, settledClient } from './fleet-client.ts'
import { emptyQueue, type Queue } from './fleet-queue.ts'
import { seededRandom } from './fleet-random.ts'
import { AT, CHANGE_EVERY, LOOK_EVERY, type Scenario } from './fleet-scenario.ts'
import { type Service, serviceWith } from './fleet-service.ts'

/** One request, as the service sees it where it is reached. */
export interface Sent {
  readonly client: number
  readonly at: Instant
  /** The one before failed. */
  readonly isRetry: boolean
}

/** The clients to which anything happened; all others are as they were. */
export type Fleet = ReadonlyMap<number, Client>

/** Two seeds, so that the same changes happen with jitter and without. */
const WORLD = 1
const DICE = 2

/** Runs a fleet from start to end, and calls back for every request in the order of time. */
export function simulate(scenario: Scenario, onRequest: (sent: Sent) => void): Fleet {
  const queue = emptyQueue()
  change(queue, scenario)
  renumber(queue, scenario)
  const answer = serviceWith(scenario.outage)
  const random = scenario.hasJitter ? seededRandom(DICE) : () => 0
  const settled = settledClient(AT.start)
  const fleet = new Map<number, Client>()
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    const { at, client, what } = next
    const known = fleet.get(client) ?? settled
    const service: Service = (account, sent, now) => {
      onRequest({ client, at, isRetry: isInTrouble(known) })
      return answer(account, sent, now)
    }
    const then = what === 'change' ? renumbered(known) : look(known, { now: at, random, service })
    fleet.set(client, then)
    if (then.wakes !== known.wakes && isBefore(then.wakes, AT.end))
      queue.put({ at: then.wakes, client, what: 'look' })
  }
  return fleet
}

const renumbered = (client: Client): Client => ({ ...client, changes: client.changes + 1 })

/** The changes of every day: as many as are usual, each at a random moment to a random client, seen at its next look. */
function change(queue: Queue, { clients }: Scenario): void {
  const chance = seededRandom(WORLD)
  const span = between(AT.start, AT.lastChange)
  for (let left = Math.round((clients * span) / CHANGE_EVERY); left > 0; left--) {
    const client = Math.floor(chance() * clients)
    const at = after(AT.start, milliseconds(Math.floor(chance() * span)))
    queue.put({ at, client, what: 'change' })
    queue.put({ at: after(at, milliseconds(Math.floor(chance() * LOOK_EVERY))), client, what: 'look' })
  }
}

/** All together, and noticed immediately: the kernel or the router reports it. */
function renumber(queue: Queue, { clients, share }: Scenario): void {
  for (let client = 0; client < clients * share; client++)
    for (const what of ['change', 'look'] as const) queue.put({ at: AT.renumbering, client, what })
}
