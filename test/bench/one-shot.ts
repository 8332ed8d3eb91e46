import { type Cost, stopwatch } from './commands.ts'
import { installed } from './peers.ts'
import { openField } from './peers-field.ts'
import { BASE, figuresOf, type Measure, race, runnersOf, WALL } from './peers-race.ts'
import { type Bench, median } from './report.ts'

const MEASURES: readonly Measure[] = [
  WALL,
  { name: 'CPU', unit: 'ms', of: ({ cpu }) => cpu },
  { name: 'peak RSS', unit: 'MiB', of: ({ rss }) => rss / 1024 },
]

/** One hostname brought up to date by a program that starts, asks the service and ends. */
export const oneShot: Bench = {
  name: 'one-shot',
  async run({ node, isQuick, folder }) {
    const { names, notes } = installed(['curl', 'ddclient', 'inadyn', 'ddupdate'])
    const runners = runnersOf(node, names)
    const field = await openField({ folder, clients: runners.length, namesEach: 1 })
    const watch = stopwatch()
    try {
      const floor = await watch.time({ argv: ['true'] })
      const { costs } = await race({ field, watch, node, runners, times: isQuick ? 3 : 21 })
      const small = runners.filter(({ name }) => isAtFloor(costs[name] ?? [], floor)).map(({ name }) => name)
      return {
        title: 'One-shot update of one hostname',
        how: `Medians of ${costs[BASE]?.length} interleaved runs over HTTP on loopback. Each run starts without saved state, with the code cache of the run before (decision 0028), and sends a new address; after each run the service is queried for that address. Ratios are relative to "node -e 0" with the same Node.`,
        figures: MEASURES.flatMap((measure) => figuresOf(costs, measure)),
        notes: [
          ...notes,
          ...(small.length === 0 ? [] : [`${small.join(', ')}: the peak RSS is ${FLOOR}`]),
          ...(names.includes('ddupdate') ? [TWICE] : []),
        ],
      }
    } finally {
      watch.close()
      await field.stop()
    }
  },
}

/** A child begins in the memory of who started it, and the kernel counts that (getrusage(2), ru_maxrss). */
const isAtFloor = (costs: readonly Cost[], floor: Cost): boolean =>
  median(costs.map(({ rss }) => rss)) <= floor.rss * 1.02

const FLOOR =
  'an upper bound; the peak RSS of the measuring program is the lowest value that can be measured.'
const TWICE =
  'ddupdate sends two requests per update: like its plugins, it sends the key only after a refusal.'
