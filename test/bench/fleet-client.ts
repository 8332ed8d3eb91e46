import { PLAIN_FORM } from '../../src/shared/protocol/request.ts'
import { before, days, type Instant, instant } from '../../src/shared/base/time.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import type { WorldView } from '../../src/client/decide/next-action.ts'
import { accountOf, hostOf, NEW_STATE, type State } from '../../src/client/decide/state.ts'
import { step } from '../../src/client/decide/step.ts'
import { type Address, parseAddress } from '../../src/shared/base/address.ts'
import type { Sighting } from '../../src/shared/base/sighting.ts'
import type { Random } from './fleet-random.ts'
import { type Service, upService } from './fleet-service.ts'

/** One account with one hostname and one IPv4 address. */
export interface Client {
  readonly state: State
  /** How often its provider has given it another address. */
  readonly changes: number
  /** When it looks next, whether or not its address changes. */
  readonly wakes: Instant
}

const HOSTNAME = 'home.example.test'
/** All clients use the same names; each has a separate state. */
const PLAN: DesiredState = {
  account: 'key@service.test',
  hostnames: [HOSTNAME],
  families: ['v4'],
  reliesOnConnection: false,
  isOffline: false,
  nohostStops: 'account',
  refreshAfter: days(28),
  endpointCount: 1,
  form: PLAIN_FORM,
  pace: 25,
  fingerprints: { credentials: '', agent: '', settings: '' },
}

/** What a client meets. */
export interface Surroundings {
  readonly now: Instant
  readonly random: Random
  readonly service: Service
}

/** The looks of the schedule are left out: one that sees what is confirmed already changes nothing. */
const NO_MORE_LOOKS = instant(8_640_000_000_000_000)

/** What the agent's loop does from a look on, until nothing is left but to wait. Answers take no time. */
export function look(client: Client, { now, random, service }: Surroundings): Client {
  const sightings = { [PLAN.account]: { [HOSTNAME]: { v4: sightingOf(client) } } }
  const world: WorldView = { sightings, nextLook: NO_MORE_LOOKS }
  const context = () => ({ desiredStates: [PLAN], world, now, random: random() })
  let { state, action } = step(client.state, { kind: 'sighted' }, context())
  if (action.kind === 'send') {
    ;({ state } = step(state, { ...action, kind: 'sending' }, context()))
    const seen = service(action.account, action.request, now)
    ;({ state, action } = step(state, seen, context()))
  }
  if (action.kind !== 'look')
    throw new Error(`after one answer about its one name a client must wait, not ${action.kind}`)
  return { ...client, state, wakes: action.at }
}

/** Whether its last request failed. */
export const isInTrouble = ({ state }: Client): boolean =>
  accountOf(state, PLAN.account).status.kind !== 'ready'

/** Whether the service holds the address that it has. */
export const isConfirmed = (client: Client): boolean =>
  hostOf(accountOf(client.state, PLAN.account), HOSTNAME).confirmed.v4 === addressOf(client)

/** RFC 5737; a client that has had them all begins again. */
const ADDRESSES = Array.from({ length: 256 }, (_, last) => parseAddress(`203.0.113.${last}`))
const addressOf = ({ changes }: Client): Address | undefined => ADDRESSES[changes % ADDRESSES.length]

function sightingOf(client: Client): Sighting {
  const address = addressOf(client)
  return address === undefined ? { kind: 'none' } : { kind: 'seen', address, by: 'provider' }
}

/** One that was confirmed a day before. */
export const settledClient = (now: Instant): Client =>
  look(
    { state: NEW_STATE, changes: 0, wakes: now },
    { now: before(now, days(1)), random: () => 0.5, service: upService },
  )
