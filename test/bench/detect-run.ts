import { setTimeout as sleep } from 'node:timers/promises'
import { type Change, type Lab, lab as buildLab } from '../lab/lab.ts'
import { stableAddress, WAN_PREFIX } from '../lab/plan.ts'
import { now } from '../lab/run.ts'
import { idleCost } from './detect-idle.ts'
import { type Daemon, keepLogs, type Service, startDaemon, startService } from './detect-parties.ts'
import { DEFAULTS, type Scenario, sourcesFor } from './detect-scenarios.ts'
import { watchForNetwork } from './detect-start.ts'
import type { Row } from './detect-statistics.ts'
import { Truth } from './detect-truth.ts'

/** How long the outside services take to answer. */
const DELAY = 50
const FLAP = 2000
const FIRST_PUBLICATION = 20_000
/** The kernel keeps 16 addresses for an interface; a prefix brings two. */
const MOST_PREFIXES = 6

export interface RunOptions {
  readonly changes: number
  /** How long the idle daemon is watched. */
  readonly idle?: number
  /** A folder that gets what the programs logged. */
  readonly logs?: string | undefined
}

interface Stage {
  readonly scenario: Scenario
  readonly lab: Lab
  readonly service: Service
  readonly daemons: Daemon[]
  readonly truth: Truth
}

interface Noticed {
  readonly address: string
  /** Milliseconds; undefined if the daemon did not notice within the limit. */
  readonly took: number | undefined
  readonly at: number
}

const between = ([least, most]: readonly [number, number]): number => least + Math.random() * (most - least)
const clockOf = (at: number): string => new Date(at).toISOString().slice(11, 23)

/** An address that the router of this lab has not had. */
const nthAddress = (nth: number): string => `11.22.${33 + Math.floor(nth / 200)}.${20 + (nth % 200)}`

/** The IPv6 addresses at which the daemon's machine may be published; a router has one on each side. */
const ownV6 = ({ where }: Scenario, { prefix }: Lab): readonly string[] =>
  where === 'router' ? [`${WAN_PREFIX}::2`, `${prefix}::1`] : [stableAddress(prefix)]

function launch({ scenario, lab, service, daemons }: Stage): Daemon {
  const where = scenario.where ?? 'host'
  const daemon = startDaemon(lab, { where, sources: sourcesFor(scenario), service })
  daemons.push(daemon)
  return daemon
}

/** A daemon that has published where it is, and has had the time to learn what it can rely on. */
async function settled(stage: Stage): Promise<Daemon> {
  const { scenario, lab, service } = stage
  const start = now()
  const daemon = launch(stage)
  const first = [lab.wan, ...(scenario.does === 'prefix' ? [stableAddress(lab.prefix)] : [])]
  for (const address of first)
    if ((await service.arrival(address, start, FIRST_PUBLICATION)) === undefined)
      throw new Error(`${address} was never published; ${daemon.lines.slice(-3).join('\n')}`)
  await sleep(scenario.settle ?? DEFAULTS.settle)
  return daemon
}

async function changed({ scenario, lab, truth }: Stage, nth: number): Promise<Change> {
  if (scenario.does === 'prefix') {
    const change = await lab.changePrefix(`2a00:db8:100:${(nth + 2).toString(16)}`)
    const usable = await lab.usableAt(change.now)
    truth.moved(change.now, change.at, usable)
    return { ...change, at: usable }
  }
  if (scenario.does === 'cgnat') {
    const change = await lab.cgnat(nth % 2 === 0)
    truth.moved(change.now, change.at)
    return change
  }
  const mode = scenario.does === 'replace' || scenario.does === 'flap' ? scenario.does : 'swap'
  const change = await lab.changeWan(nthAddress(nth), mode, FLAP)
  truth.moved(change.now, change.at, mode === 'flap' ? change.at - FLAP : change.at)
  return change
}

async function afterChanges(stage: Stage, changes: number): Promise<readonly Noticed[]> {
  const { limit = DEFAULTS.limit, pause = DEFAULTS.pause, does } = stage.scenario
  await settled(stage)
  const all: Noticed[] = []
  for (let nth = 0; nth < changes; nth++) {
    const change = await changed(stage, nth)
    // The kernel's table is read each two milliseconds, so the daemon may well know before we do.
    const from = does === 'prefix' ? change.at - 1000 : change.at
    const [arrival] = await Promise.all([
      stage.service.arrival(change.now, from, limit),
      sleep(between(pause)),
    ])
    const took = arrival === undefined ? undefined : Math.max(0, arrival.at - change.at)
    all.push({
      address: change.now,
      took: took !== undefined && took <= limit ? took : undefined,
      at: change.at,
    })
  }
  return all
}

/** A daemon that is there before the network is. */
async function afterStarts(stage: Stage, starts: number): Promise<readonly Noticed[]> {
  const { lab, service, truth, scenario } = stage
  const all: Noticed[] = []
  for (let nth = 0; nth < starts; nth++) {
    await lab.hostLink('down')
    const { at, now: address } = await lab.changeWan(nthAddress(nth))
    truth.moved(address, at)
    const daemon = launch(stage)
    const [{ usableAt }] = await Promise.all([watchForNetwork(lab), sleep(between([3000, 6000]))])
    await lab.hostLink('up')
    const usable = await usableAt
    const arrival = await service.arrival(address, at, scenario.limit ?? DEFAULTS.limit)
    all.push({ address, took: arrival && Math.max(0, arrival.at - usable), at: usable })
    await daemon.stop()
  }
  return all
}

/** What was missed and what was wrong, each with the moment at which to look into the logs. */
function judged({ service, truth }: Stage, noticed: readonly Noticed[]): Omit<Row, 'name' | 'bar'> {
  const missed = noticed.filter(({ took }) => took === undefined)
  const wrong = service.arrivals.filter(({ addresses, at }) => truth.lies(addresses, at).length > 0)
  const refused = service.arrivals.filter(({ addresses }) => addresses.length === 0)
  const later = ({ address, at }: Noticed): string => {
    const late = service.arrivals.find((one) => one.at >= at && one.addresses.includes(address))
    return late === undefined ? 'never came' : `came after ${(late.at - at).toFixed(0)} ms`
  }
  return {
    changes: noticed.length,
    times: noticed.flatMap(({ took }) => took ?? []),
    missed: missed.length,
    wrong: wrong.length,
    notes: [
      ...missed.map((one) => `missed: ${one.address} of ${clockOf(one.at)} ${later(one)}`),
      ...wrong.map(({ at, reply }) => `wrong: "${reply}" at ${clockOf(at)}`),
      ...refused.map(({ at, reply }) => `refused: "${reply}" at ${clockOf(at)}`),
    ],
  }
}

async function play(
  stage: Stage,
  { changes, idle = 60_000 }: RunOptions,
): Promise<Omit<Row, 'name' | 'bar'>> {
  const { scenario, lab } = stage
  if (scenario.does === 'start') return judged(stage, await afterStarts(stage, changes))
  if (scenario.does !== 'idle') return judged(stage, await afterChanges(stage, changes))
  const daemon = await settled(stage)
  const { said, broken } = await idleCost(lab, daemon.pid, idle)
  const row = judged(stage, [])
  return { ...row, instead: said, ...(broken === undefined ? {} : { failed: broken }) }
}

/** One lab, from its first wire to its last. */
async function inLab(scenario: Scenario, options: RunOptions, suffix: string): Promise<Row> {
  const lab = await buildLab({ delay: DELAY })
  const daemons: Daemon[] = []
  let service: Service | undefined
  try {
    await lab.igd(scenario.igd)
    await scenario.prepare?.(lab)
    const truth = new Truth()
    truth.moved(lab.wan, 0)
    for (const address of ownV6(scenario, lab)) truth.holds(address, 0)
    service = await startService(lab)
    const row = await play({ scenario, lab, service, daemons, truth }, options)
    return { name: scenario.name, bar: scenario.bar, ...row }
  } finally {
    if (options.logs !== undefined && service !== undefined)
      keepLogs(options.logs, `${scenario.name}${suffix}`, service, daemons)
    for (const daemon of daemons) await daemon.stop()
    await lab.down()
  }
}

/** Runs a scenario, in as many labs as its changes need. */
export async function measure(scenario: Scenario, options: RunOptions): Promise<Row> {
  const most = scenario.does === 'prefix' ? MOST_PREFIXES : Number.MAX_SAFE_INTEGER
  const rows: Row[] = []
  for (let left = options.changes; rows.length === 0 || left > 0; left -= most)
    rows.push(
      await inLab(
        scenario,
        { ...options, changes: Math.min(left, most) },
        rows.length === 0 ? '' : `-${rows.length}`,
      ),
    )
  return rows.reduce((all, one) => ({
    ...all,
    changes: all.changes + one.changes,
    times: [...all.times, ...one.times],
    missed: all.missed + one.missed,
    wrong: all.wrong + one.wrong,
    notes: [...all.notes, ...one.notes],
  }))
}
