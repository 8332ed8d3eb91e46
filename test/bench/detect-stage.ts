/** What a round of a scenario plays on, and the measuring that all rounds share. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab, Where } from '../lab/lab.ts'
import { stableAddress, WAN_PREFIX } from '../lab/plan.ts'
import { now } from '../lab/run.ts'
import { type Daemon, type Service, startDaemon } from './detect-parties.ts'
import type { Bar } from './detect-statistics.ts'
import type { Truth } from './detect-truth.ts'

export const DEFAULTS = {
  settle: 3000,
  limit: 3000,
  pause: [3500, 5000],
  changes: { full: 20, quick: 2 },
} as const
const FIRST_PUBLICATION = 20_000

export interface Scenario {
  readonly name: string
  /** Changes the lab once, and returns when the daemon noticed. */
  readonly round: Round | 'idle'
  readonly igd: 'all' | 'upnp' | 'none'
  /** Each round starts a daemon of its own, and ends it. */
  readonly isCold?: true
  /** Published are IPv4 and IPv6. */
  readonly isDual?: true
  /** What else is special about the lab; done before the daemon starts. */
  readonly prepare?: (lab: Lab) => Promise<unknown>
  readonly where?: 'host' | 'router'
  /** Addresses that are in use all the time, in addition to the one to publish. */
  readonly others?: readonly string[]
  /** Instead of the usual ones; or those that the client has by itself. */
  readonly sources?: readonly string[] | 'default'
  /** Settings of the daemon. */
  readonly environment?: Readonly<Record<string, string>>
  /** From the first publication on, until the first change, in ms. */
  readonly settle?: number
  /** After this many ms a change counts as missed. */
  readonly limit?: number
  /** The time between two changes, in ms. */
  readonly pause?: readonly [min: number, max: number]
  /** The maximum number of changes in one lab. */
  readonly perLab?: number
  /** A quick bench leaves out what has none. */
  readonly changes?: { readonly full: number; readonly quick: number }
  readonly bar?: Bar
  /** The p95 is at most so many times that of another scenario, which is measured before. */
  readonly against?: { readonly name: string; readonly factor: number }
  /** Each warning comes within this many ms. */
  readonly warnWithin?: number
}

export interface Stage {
  readonly scenario: Scenario
  readonly lab: Lab
  readonly service: Service
  readonly daemons: Daemon[]
  readonly truth: Truth
  readonly node: string | undefined
}

export interface Noticed {
  readonly address: string
  /** Milliseconds; undefined if the daemon did not notice within the limit. */
  readonly took: number | undefined
  readonly at: number
  /** It must be noticed within the limit, but is not what the row is about. */
  readonly isUntimed?: true
  /** The time until the daemon warned of what was wrong with the network, in ms. */
  readonly warnedAfter?: number
  /** What else was not as it must be. */
  readonly fault?: string | undefined
}

export type Round = (stage: Stage, nth: number) => Promise<readonly Noticed[]>

const OUTSIDE = [
  'stun:11.99.0.81',
  'stun:11.99.0.82',
  'dns:myip.opendns.com@11.99.0.53',
  'http://11.99.0.80/',
]
const OUTSIDE_V6 = ['stun:[2a00:db8:99::81]', 'stun:[2a00:db8:99::82]']

/** Nothing where the client chooses them itself. */
export function sourcesFor({ where, isDual, sources }: Scenario): string | undefined {
  if (sources === 'default') return undefined
  const own = where === 'router' ? ['interfaces'] : ['router', 'interfaces']
  return [...own, ...(sources ?? [...OUTSIDE, ...(isDual ? OUTSIDE_V6 : [])])].join(',')
}

/** The IPv6 addresses at which the daemon's machine may be published; a router has one on each side. */
export function ownV6({ where, isDual }: Scenario, { prefix }: Lab): readonly string[] {
  if (where !== 'router') return [stableAddress(prefix)]
  return isDual ? [`${WAN_PREFIX}::2`] : [`${WAN_PREFIX}::2`, `${prefix}::1`]
}

export const between = ([min, max]: readonly [number, number]): number => min + Math.random() * (max - min)

/** An address that the router of this lab has not had. */
export const nthAddress = (nth: number): string => `11.22.${33 + Math.floor(nth / 200)}.${20 + (nth % 200)}`

export const limitOf = ({ scenario }: Stage): number => scenario.limit ?? DEFAULTS.limit

export function launch({ scenario, lab, service, daemons, node }: Stage): Daemon {
  const where: Where = scenario.where ?? 'host'
  const { environment = {} } = scenario
  const daemon = startDaemon(lab, { node, where, sources: sourcesFor(scenario), service, environment })
  daemons.push(daemon)
  return daemon
}

interface Wanted {
  readonly address: string
  /** Time counts from here. */
  readonly at: number
  /** A request may arrive this many ms earlier, because the daemon may notice a change before the bench. */
  readonly early?: number
}

/** Waits for the update request, and returns its time. */
export async function noticed(
  stage: Stage,
  { address, at, early = 0 }: Wanted,
  limit = limitOf(stage),
): Promise<Noticed> {
  const arrival = await stage.service.arrival(address, at - early, limit)
  const took = arrival && Math.max(0, arrival.at - at)
  return { address, at, took: took !== undefined && took <= limit ? took : undefined }
}

/**
 * A daemon that has published where it is, and has had the time to learn what it can rely on. Told is what it
 * did not publish.
 */
export async function settled(stage: Stage): Promise<readonly Noticed[]> {
  const { scenario, lab, truth } = stage
  const at = now()
  launch(stage)
  const first = [lab.wan, ...(scenario.isDual ? truth.current('v6') : [])]
  const all = await Promise.all(
    first.map(async (address) => noticed(stage, { address, at }, FIRST_PUBLICATION)),
  )
  await sleep(scenario.settle ?? DEFAULTS.settle)
  return all.filter(({ took }) => took === undefined).map((one) => ({ ...one, isUntimed: true }))
}
