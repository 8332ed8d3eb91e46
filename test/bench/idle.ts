import { setTimeout as sleep } from 'node:timers/promises'
import { BASE, type Daemon, type IdlePeer, allTold, change, recipesOf, startAll } from './idle-daemons.ts'
import { type Household, type Usage, watched } from './idle-proc.ts'
import { installed } from './peers.ts'
import { openField } from './peers-field.ts'
import type { Bar, Bench, Figure } from './report.ts'

const PEERS: readonly IdlePeer[] = ['ddclient', 'inadyn']

/** Seconds, and a number of updates. */
const PLANS = {
  whole: { settle: 120, window: 60, updates: 1000, rest: 60 },
  quick: { settle: 10, window: 5, updates: 20, rest: 5 },
} as const

/** Programs that stay and have nothing to do. */
export const idle: Bench = {
  name: 'idle',
  async run({ node, isQuick, folder }) {
    const plan = PLANS[isQuick ? 'quick' : 'whole']
    const { names, notes } = installed(PEERS)
    const recipes = recipesOf(node, names)
    const field = await openField({ node, folder, clients: recipes.length, namesEach: 1 })
    const daemons = startAll(node, recipes, field)
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
        how: `Side by side, one run: ${plan.settle} s after each told the service its first address, and ours once more ${plan.rest} s after ${plan.updates} changes of address, each of which was sent, all were watched for ${plan.window} s. Ratios are to "node -e 'setInterval(()=>{},1e9)'" beside them.`,
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
  'Ours learn their address from a command ("cat FILE"). "holdfast" watches for changes, which is the default: the kernel by an "ip monitor" of its own, and for sleep of the host. It does not ask the router or anybody outside, because neither is among its sources. "--no-watch" only looks at each interval.',
  'All look each five minutes, and none did while it was watched. Wakeups are the voluntary context switches of all threads. What a daemon has started is counted with it.',
  'PSS shares what several processes map among them: the bare Node, both of ours and the service are of one binary.',
]

type Observed = ReadonlyMap<Daemon, Household>

async function observed(daemons: readonly Daemon[], seconds: number): Promise<Observed> {
  const seen = daemons.map(async (one) => [one, await watched(one.pid, seconds * 1000)] as const)
  return new Map(await Promise.all(seen))
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

function figuresOf(seen: Observed, when: string, rss: number): readonly Figure[] {
  const base = [...seen].find(([{ name }]) => name === BASE)?.[1].all
  const figure = (what: string, usage: Usage, { of, unit }: Row): Figure => ({
    what,
    value: usage[of],
    unit,
    // A bare Node does not wake at all.
    ...(base !== undefined && base[of] > 0 && unit === 'MiB' && { ratio: usage[of] / base[of] }),
  })
  return rowsOf(rss).flatMap((row) =>
    [...seen].flatMap(([{ name, isOurs }, { all, children }]) => [
      { ...figure(`${name}, ${row.name} ${when}`, all, row), ...(isOurs && row.bar && { bar: row.bar }) },
      ...(children === undefined
        ? []
        : [figure(`${name}, of that ${children.names.join(', ')}, ${row.name} ${when}`, children, row)]),
    ]),
  )
}
