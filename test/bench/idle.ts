import { setTimeout as sleep } from 'node:timers/promises'
import { allTold, BASE, change, type Daemon, type IdlePeer, recipesOf, startAll } from './idle-daemons.ts'
import { type Household, type Usage, watched } from './idle-proc.ts'
import { installed } from './peers.ts'
import { openField } from './peers-field.ts'
import { type Bar, type Bench, type Figure, median } from './report.ts'

const PEERS: readonly IdlePeer[] = ['ddclient', 'inadyn']

/** How many of each kind; seconds, and a number of updates. */
const PLANS = {
  whole: { times: 11, settle: 120, window: 60, updates: 1000, rest: 60 },
  quick: { times: 1, settle: 10, window: 5, updates: 20, rest: 5 },
} as const

/** Programs that stay and have nothing to do. */
export const idle: Bench = {
  name: 'idle',
  async run({ node, isQuick, folder }) {
    const plan = PLANS[isQuick ? 'quick' : 'whole']
    const { names, notes } = installed(PEERS)
    const recipes = recipesOf(node, names)
    const field = await openField({ folder, clients: recipes.length * plan.times, namesEach: 1 })
    const daemons = startAll(node, recipes, field, plan.times)
    try {
      await allTold(daemons, field)
      await sleep(plan.settle * 1000)
      const early = await observed(daemons, plan.window)
      const ours = daemons.filter(({ isOurs }) => isOurs)
      await Promise.all(ours.map(async (one) => change(one, field, plan.updates)))
      await sleep(plan.rest * 1000)
      const late = await observed(
        daemons.filter(({ name, isOurs }) => isOurs || name === BASE),
        plan.window,
      )
      const [first, second] = [
        `after ${plan.settle} s`,
        `after ${plan.updates.toLocaleString('en')} updates and ${plan.rest} s`,
      ]
      return {
        title: 'Idle daemons',
        how: `Medians of ${plan.times} parallel instances of each program, observed for ${plan.window} s: first ${plan.settle} s after its first update, and Holdfast again ${plan.rest} s after ${plan.updates} changes of address, each of which was sent. Ratios are relative to "node -e 'setInterval(()=>{},1e9)'" in the same run.`,
        figures: [...figuresOf(early, first, 1.6), ...figuresOf(late, second, 1.8)],
        notes: [...notes, ...NOTES],
      }
    } finally {
      await Promise.all(daemons.map((one) => one.stop()))
      await field.stop()
    }
  },
}

const NOTES = [
  'Holdfast reads the address from a command ("cat FILE"). "holdfast" watches for changes, which is the default: it starts "ip monitor" and detects sleep of the host. It queries neither the router nor outside services, because they are not among its sources. "--no-watch" checks only at each interval.',
  'All programs check every five minutes, and none did while it was observed. Wakeups are the voluntary context switches of all threads. Child processes are included.',
  'PSS divides shared pages by the number of processes that map them. The bare Node, Holdfast and the service use the same binary, so the PSS of each becomes smaller when more of them run.',
]

interface Kind {
  readonly name: string
  readonly isOurs: boolean
  readonly seen: readonly Household[]
}

async function observed(daemons: readonly Daemon[], seconds: number): Promise<readonly Kind[]> {
  const all = await Promise.all(
    daemons.map(async (one) => ({ ...one, usage: await watched(one.pid, seconds * 1000) })),
  )
  return [...new Set(daemons.map(({ name }) => name))].map((name) => {
    const alike = all.filter((one) => one.name === name)
    return {
      name,
      isOurs: alike.some(({ isOurs }) => isOurs),
      seen: alike.map(({ usage }) => usage),
    }
  })
}

function mediansOf(usages: readonly Usage[]): Usage {
  const of = (what: keyof Usage): number => median(usages.map((usage) => usage[what]))
  return { rss: of('rss'), pss: of('pss'), wakeups: of('wakeups'), cpu: of('cpu') }
}

interface Row {
  readonly of: keyof Usage
  readonly name: string
  readonly unit: string
  readonly bar?: Bar
}

const rowsOf = (rss: number): readonly Row[] => [
  { of: 'rss', name: 'RSS', unit: 'MiB', bar: { of: 'ratio', atMost: rss } },
  { of: 'pss', name: 'PSS', unit: 'MiB' },
  { of: 'wakeups', name: 'wakeups', unit: '/min', bar: { of: 'value', atMost: 6 } },
  { of: 'cpu', name: 'CPU', unit: 'ms/min', bar: { of: 'value', atMost: 5 } },
]

function figuresOf(kinds: readonly Kind[], when: string, rss: number): readonly Figure[] {
  const all = kinds.map(({ name, isOurs, seen }) => {
    const children = seen.flatMap((one) => one.children ?? [])
    return {
      name,
      isOurs,
      usage: mediansOf(seen.map((one) => one.all)),
      ofThat: [...new Set(children.flatMap(({ names }) => names))].join(', '),
      ...(children.length > 0 && { children: mediansOf(children) }),
    }
  })
  const base = all.find(({ name }) => name === BASE)?.usage
  const figure = (what: string, usage: Usage, { of, unit }: Row): Figure => ({
    what,
    value: usage[of],
    unit,
    // A bare Node does not wake at all.
    ...(base !== undefined && base[of] > 0 && unit === 'MiB' && { ratio: usage[of] / base[of] }),
  })
  return rowsOf(rss).flatMap((row) =>
    all.flatMap(({ name, isOurs, usage, ofThat, children }) => [
      { ...figure(`${name}, ${row.name} ${when}`, usage, row), ...(isOurs && row.bar && { bar: row.bar }) },
      ...(children === undefined
        ? []
        : [figure(`${name}, of that ${ofThat}, ${row.name} ${when}`, children, row)]),
    ]),
  )
}
