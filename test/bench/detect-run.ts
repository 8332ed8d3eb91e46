import { setTimeout as sleep } from 'node:timers/promises'
import { lab as buildLab } from '../lab/lab.ts'
import { idleCost } from './detect-idle.ts'
import { keepLogs, type Service, startService } from './detect-parties.ts'
import {
  between,
  DEFAULTS,
  type Noticed,
  ownV6,
  type Round,
  type Scenario,
  type Stage,
  settled,
} from './detect-stage.ts'
import type { Row } from './detect-statistics.ts'
import { Truth } from './detect-truth.ts'

/** How long the outside services take to answer. */
const DELAY = 50
/** After the last change, for what is sent late and wrong. */
const LAST_PAUSE = 1000

export interface RunOptions {
  readonly changes: number
  /** How long the idle daemon is watched. */
  readonly idle?: number
  /** A folder that gets what the programs logged. */
  readonly logs?: string | undefined
  /** Runs the daemon; the Node of the bench otherwise. */
  readonly node?: string | undefined
}

type Outcome = Omit<Row, 'name' | 'bar'>

const clockOf = (at: number): string => new Date(at).toISOString().slice(11, 23)

/** One round after the other; a daemon that has crashed is started again for the next. */
async function rounds(stage: Stage, round: Round, count: number): Promise<readonly Noticed[]> {
  const { isCold, pause = DEFAULTS.pause } = stage.scenario
  const all: Noticed[] = []
  for (let nth = 0; nth < count; nth++) {
    const last = stage.daemons.at(-1)
    if (!isCold && (last === undefined || last.crash() !== undefined)) all.push(...(await settled(stage)))
    const isLast = nth === count - 1
    const [noticed] = await Promise.all([round(stage, nth), sleep(isCold || isLast ? 0 : between(pause))])
    all.push(...noticed)
  }
  await sleep(LAST_PAUSE)
  return all
}

/** Each fault once, with how often it happened. */
const counted = (faults: readonly string[]): string =>
  [...new Set(faults)].map((fault) => `${faults.filter((one) => one === fault).length} × ${fault}`).join(', ')

/** What was missed, wrong or ended, each with the moment at which to look into the logs. */
function judged({ scenario, service, truth, daemons }: Stage, noticed: readonly Noticed[]): Outcome {
  const missed = noticed.filter(({ took }) => took === undefined)
  const timed = noticed.filter(({ isUntimed }) => isUntimed !== true)
  const wrong = service.arrivals.filter(({ addresses, at }) => truth.wrong(addresses, at).length > 0)
  const refused = service.arrivals.filter(({ addresses }) => addresses.length === 0)
  const crashes = daemons.flatMap((daemon) => daemon.crash() ?? [])
  const faults = noticed.flatMap(({ fault }) => fault ?? [])
  const warnings = noticed.flatMap(({ warnedAfter }) => warnedAfter ?? [])
  const later = ({ address, at }: Noticed): string => {
    const late = service.arrivals.find((one) => one.at >= at && one.addresses.includes(address))
    return late === undefined ? 'never came' : `came after ${(late.at - at).toFixed(0)} ms`
  }
  return {
    changes: timed.length,
    times: timed.flatMap(({ took }) => took ?? []),
    missed: missed.length,
    wrong: wrong.length,
    crashed: crashes.length,
    notes: [
      ...missed.map((one) => `missed: ${one.address} of ${clockOf(one.at)} ${later(one)}`),
      ...wrong.map(({ at, reply }) => `wrong: "${reply}" at ${clockOf(at)}`),
      ...refused.map(({ at, reply }) => `refused: "${reply}" at ${clockOf(at)}`),
      ...crashes.map(({ at, how }) => `crashed: ${how} at ${clockOf(at)}`),
      ...(warnings.length > 0
        ? [`warned after ${warnings.map((time) => time.toFixed(0)).join(' ')} ms`]
        : []),
    ],
    ...(scenario.warnWithin !== undefined && { warnings: { times: warnings, max: scenario.warnWithin } }),
    ...(faults.length > 0 && { failed: counted(faults) }),
  }
}

async function play(stage: Stage, { changes, idle = 60_000 }: RunOptions): Promise<Outcome> {
  const { scenario, lab, daemons } = stage
  if (scenario.round !== 'idle') return judged(stage, await rounds(stage, scenario.round, changes))
  const unpublished = await settled(stage)
  const { said, broken } = await idleCost(lab, daemons[0]?.pid ?? 0, {
    igd: scenario.igd === 'none' ? 'none' : 'all',
    length: idle,
  })
  const row = judged(stage, unpublished)
  return { ...row, changes: 0, instead: said, ...(broken === undefined ? {} : { failed: broken }) }
}

/** One lab, from its first wire to its last. */
async function inLab(scenario: Scenario, options: RunOptions, suffix: string): Promise<Row> {
  const lab = await buildLab({ delay: DELAY })
  const stage = { scenario, lab, daemons: [], truth: new Truth(scenario.others), node: options.node }
  let service: Service | undefined
  try {
    await lab.igd(scenario.igd)
    await scenario.prepare?.(lab)
    stage.truth.moved(lab.wan, 0)
    for (const address of ownV6(scenario, lab)) stage.truth.holds(address, 0)
    service = await startService(lab)
    return { name: scenario.name, bar: scenario.bar, ...(await play({ ...stage, service }, options)) }
  } finally {
    if (options.logs !== undefined && service !== undefined)
      keepLogs(options.logs, `${scenario.name}${suffix}`, service, stage.daemons)
    for (const daemon of stage.daemons as Stage['daemons']) await daemon.stop()
    await lab.down()
  }
}

/** Both rows are of one scenario. */
function together(all: Row, one: Row): Row {
  const failed = [all.failed, one.failed].filter((text) => text !== undefined)
  return {
    ...all,
    changes: all.changes + one.changes,
    times: [...all.times, ...one.times],
    missed: all.missed + one.missed,
    wrong: all.wrong + one.wrong,
    crashed: all.crashed + one.crashed,
    notes: [...all.notes, ...one.notes],
    ...(all.warnings !== undefined && {
      warnings: { ...all.warnings, times: [...all.warnings.times, ...(one.warnings?.times ?? [])] },
    }),
    ...(failed.length > 0 && { failed: [...new Set(failed)].join(', ') }),
  }
}

/** Runs a scenario, in as many labs as its changes need. */
export async function measure(scenario: Scenario, options: RunOptions): Promise<Row> {
  const max = scenario.perLab ?? Number.MAX_SAFE_INTEGER
  const rows: Row[] = []
  for (let left = options.changes; rows.length === 0 || left > 0; left -= max)
    rows.push(
      await inLab(
        scenario,
        { ...options, changes: Math.min(left, max) },
        rows.length === 0 ? '' : `-${rows.length}`,
      ),
    )
  return rows.reduce(together)
}
