import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { drawWorld, EVENT_KINDS, ROUTERS, type World } from './draw.ts'
import { MENDED } from './mended.ts'
import { forbidEffects, realNow } from './scheduler.ts'
import { shrunk } from './shrink.ts'
import { SOMETIMES } from './sometimes.ts'
import { type Outcome, runWorld } from './world.ts'

const USAGE = `usage: npm run simulate -- [--seed N] [--count N] [--seconds N] [--hours N] [--only KIND,…] [--router KIND] [--often N]
       npm run simulate -- --world JSON | --mended [--every N]
  --seed     the first world; 1 without it
  --count    how many; 1 without it
  --seconds  ends after the world in which this real time is over
  --hours    how long things happen; then two hours of quiet follow; 1 without it
  --only     of these kinds: ${EVENT_KINDS.join(', ')}
  --router   ${ROUTERS.join(', ')}
  --often    so many events an hour; 12 without it
  --world    this one, as a report prints it
  --mended   the worlds that showed a fault before it was mended
  --every    of those, the first and every so many-th after it; 1 without it
  --trace    prints all that happened
  --hash     prints a hash of what happened
  --sometimes  fails where a state was reached in no world
  --heap     fails where the memory of a client grows: compares the second day with the end
  --first    ends at the first world that breaks a rule, without a report`

/** A wrong flag ends with what is right. */
function read<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return process.exit(64)
  }
}

const { values } = read(() =>
  parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '0' },
      hours: { type: 'string', default: '1' },
      only: { type: 'string' },
      router: { type: 'string' },
      world: { type: 'string' },
      mended: { type: 'boolean', default: false },
      every: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      hash: { type: 'boolean', default: false },
      sometimes: { type: 'boolean', default: false },
      heap: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
      often: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  }),
)
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}

process.env['TZ'] = 'UTC'
const print = console.log.bind(console)

/** Of a flag: a number that is not less than this. */
const numberOf = (name: 'seed' | 'count' | 'every' | 'seconds' | 'hours' | 'often', min = 0): number =>
  read(() => {
    const value = Number(values[name])
    if (values[name] !== '' && value >= min && value < Infinity) return value
    throw new Error(`--${name}: ${values[name]} is no number of at least ${min}`)
  })
/** Of a flag: words of this list. */
const wordsOf = <W extends string>(name: string, given: string, words: readonly W[]): readonly W[] =>
  read(() =>
    given.split(',').map((one) => {
      const found = words.find((word) => word === one)
      if (found === undefined) throw new Error(`--${name}: ${one} is none of ${words.join(', ')}`)
      return found
    }),
  )
const only = values.only === undefined ? undefined : wordsOf('only', values.only, EVENT_KINDS)
const [router] = values.router === undefined ? [] : wordsOf('router', values.router, ROUTERS)
const options = {
  hours: numberOf('hours', 0.1),
  ...(only !== undefined && { only }),
  ...(router !== undefined && { router }),
  ...(values.often !== undefined && { often: numberOf('often') }),
}

const rulesOf = ({ alarms }: Outcome): string => [...new Set(alarms.map(({ rule }) => rule))].join()

async function report(world: World, rule: string): Promise<void> {
  Error.stackTraceLimit = 10
  const breaks = async (one: World): Promise<boolean> =>
    (await runWorld(one)).alarms.some((alarm) => alarm.rule === rule)
  const least = values.world === undefined ? await shrunk(world, breaks) : world
  const { alarms, trace } = await runWorld(least)
  Error.stackTraceLimit = 0
  print(`\nseed ${world.seed}: ${rule}: ${alarms.find((alarm) => alarm.rule === rule)?.because}`)
  print(`  npm run simulate -- --world '${JSON.stringify(least)}'`)
  for (const event of least.events) print(`  ${JSON.stringify(event)}`)
  for (const line of trace.slice(-40)) print(`  ${line}`)
}

const worldIn = (text: string): World =>
  read(() => {
    const world = JSON.parse(text) as Partial<World>
    if (world.home === undefined || world.events === undefined || world.faultsEnd === undefined)
      throw new Error('--world: a world has seed, home, events and faultsEnd, as a report prints them')
    return world as World
  })

const mended = (every: number): readonly World[] =>
  MENDED.flatMap(({ world }, nth) => (nth % every === 0 ? [world] : []))

/** The worlds that the flags choose, drawn one by one. */
function* chosen(): Generator<World> {
  const seed = numberOf('seed')
  if (values.world !== undefined) yield worldIn(values.world)
  else if (values.mended) yield* mended(numberOf('every', 1))
  else for (let nth = 0; nth < count || isTimeLeft(); nth++) yield drawWorld(seed + nth, options)
}

/** Shrinking takes seconds for each. */
const MAX_REPORTS = 3
const budget = numberOf('seconds') * 1000
const count = numberOf('count')
forbidEffects()
/** After a collection, in bytes, once a day. */
const heaps: number[] = []
/** S7 */
const MAX_GROWTH = 1.1
setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void
function heap(): void {
  collect()
  heaps.push(process.memoryUsage().heapUsed)
}
// Each abort takes a stack, which is a seventh of all time.
Error.stackTraceLimit = 0
const began = realNow()
const totals = { worlds: 0, span: 0, failed: 0 }
const marks = new Set<string>()
const isTimeLeft = (): boolean => realNow() - began < budget
for (const world of chosen()) {
  const outcome = await runWorld(world, values.trace ? Infinity : undefined, values.heap ? heap : undefined)
  totals.worlds++
  totals.span += outcome.span
  for (const mark of outcome.marks) marks.add(mark)
  if (values.trace) for (const line of outcome.trace) print(line)
  if (values.hash) print(`seed ${world.seed} ${outcome.hash}`)
  const [alarm] = outcome.alarms
  if (alarm !== undefined) {
    totals.failed++
    print(`seed ${world.seed} ${rulesOf(outcome)} ${outcome.hash}`)
    if (values.first) break
    if (totals.failed <= MAX_REPORTS) await report(world, alarm.rule)
  }
}
const spent = (realNow() - began) / 1000
print(
  `${totals.worlds} worlds, ${totals.failed} with alarms; ${(totals.span / 86_400_000).toFixed(2)} virtual days in ${spent.toFixed(1)} s`,
)
if (values.heap) {
  // On the first day, some code has not run yet.
  const [second = 0, last = 0] = [heaps[1], heaps.at(-1)]
  print(`heap: ${heaps.map((size) => (size / 1e6).toFixed(1)).join(', ')} MB`)
  if (last > second * MAX_GROWTH) totals.failed++
}
const missed = values.sometimes ? SOMETIMES.filter((mark) => !marks.has(mark)) : []
for (const mark of missed) print(`never reached: ${mark}`)
process.exitCode = totals.failed + missed.length > 0 ? 1 : 0
