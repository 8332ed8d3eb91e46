import { parseArgs } from 'node:util'
import { drawWorld, EVENT_KINDS, type EventKind, ROUTERS, type RouterKind, type World } from './draw.ts'
import { forbidEffects, realNow } from './scheduler.ts'
import { type Outcome, runWorld } from './world.ts'

const USAGE = `usage: npm run simulate -- [--seed N] [--count N] [--seconds N] [--hours N] [--only KIND,…] [--router KIND] [--keep NTH,…] [--trace] [--hash] [--first] [--often N]
  --seed     the first world; 1 without it
  --count    how many; 1 without it
  --seconds  ends after the world in which this real time is over
  --hours    how long things happen; then two hours of quiet follow; 1 without it
  --only     of these kinds: ${EVENT_KINDS.join(', ')}
  --router   ${ROUTERS.join(', ')}
  --keep     of the events only these, by number from 0
  --trace    prints what happened at the end
  --hash     prints a hash of what happened
  --first    ends at the first world that breaks a rule, without a report
  --often    so many events an hour; 12 without it`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '0' },
    hours: { type: 'string', default: '1' },
    only: { type: 'string' },
    router: { type: 'string' },
    keep: { type: 'string' },
    trace: { type: 'boolean', default: false },
    hash: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    often: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}

process.env['TZ'] = 'UTC'
const print = console.log.bind(console)
const only = values.only?.split(',') as EventKind[] | undefined
const router = values.router as RouterKind | undefined
const options = {
  hours: Number(values.hours),
  ...(only !== undefined && { only }),
  ...(router !== undefined && { router }),
  ...(values.often !== undefined && { often: Number(values.often) }),
}

/** A world with these of its events. */
const keeping = (world: World, kept: readonly number[]): World => ({
  ...world,
  events: world.events.filter((_, nth) => kept.includes(nth)),
})

const rulesOf = ({ alarms }: Outcome): string => [...new Set(alarms.map(({ rule }) => rule))].join()

/** Fewest events that break the first rule too: delta debugging, by halves and then one by one. */
async function shrunk(world: World, rule: string): Promise<readonly number[]> {
  let kept = world.events.map((_, nth) => nth)
  const breaks = async (some: readonly number[]): Promise<boolean> =>
    (await runWorld(keeping(world, some))).alarms.some((alarm) => alarm.rule === rule)
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < kept.length; ) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)]
      if (await breaks(fewer)) kept = fewer
      else at += size
    }
  return kept
}

function flagsOf(seed: number, kept: readonly number[]): string {
  const given = (['hours', 'only', 'router', 'often'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name} ${values[name]}`],
  )
  return [`npm run simulate -- --seed ${seed}`, ...given, `--keep ${kept.join()}`].join(' ')
}

async function report(world: World, outcome: Outcome): Promise<void> {
  const [first] = outcome.alarms
  if (first === undefined) return
  Error.stackTraceLimit = 10
  const kept = values.keep === undefined ? await shrunk(world, first.rule) : world.events.map((_, nth) => nth)
  const least = await runWorld(keeping(world, kept))
  Error.stackTraceLimit = 0
  print(`\nseed ${world.seed}: ${first.rule}: ${(least.alarms[0] ?? first).because}`)
  print(`  ${flagsOf(world.seed, kept)}`)
  print(`  ${JSON.stringify(world.home)}`)
  for (const nth of kept) print(`  ${nth} ${JSON.stringify(world.events[nth])}`)
  for (const line of least.trace.slice(-40)) print(`  ${line}`)
}

/** Shrinking takes seconds for each. */
const MAX_REPORTS = 3
const seed = Number(values.seed)
const count = Number(values.count)
const budget = Number(values.seconds) * 1000
forbidEffects()
// Each abort takes a stack, which is a seventh of all time.
Error.stackTraceLimit = 0
const began = realNow()
const totals = { worlds: 0, span: 0, failed: 0 }
const isTimeLeft = (): boolean => realNow() - began < budget
for (let nth = 0; nth < count || isTimeLeft(); nth++) {
  const drawn = drawWorld(seed + nth, options)
  const world = values.keep === undefined ? drawn : keeping(drawn, values.keep.split(',').map(Number))
  const outcome = await runWorld(world)
  totals.worlds++
  totals.span += outcome.span
  if (values.trace) for (const line of outcome.trace) print(line)
  if (values.hash) print(`seed ${world.seed} ${outcome.hash}`)
  if (outcome.alarms.length > 0) {
    totals.failed++
    print(`seed ${world.seed} ${rulesOf(outcome)} ${outcome.hash}`)
    if (values.first) break
    if (totals.failed <= MAX_REPORTS) await report(world, outcome)
  }
}
const spent = (realNow() - began) / 1000
print(
  `${totals.worlds} worlds, ${totals.failed} with alarms; ${(totals.span / 86_400_000).toFixed(2)} virtual days in ${spent.toFixed(1)} s`,
)
process.exitCode = totals.failed > 0 ? 1 : 0
