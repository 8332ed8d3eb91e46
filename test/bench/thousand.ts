import { type Stopwatch, stopwatch } from './commands.ts'
import { installed } from './peers.ts'
import { type Field, openField } from './peers-field.ts'
import { BASE, figuresOf, OURS, type Race, type Runner, race, runnersOf, WALL } from './peers-race.ts'
import { type Bench, type Figure, median } from './report.ts'

/** An address that no run of the race has. */
const TRIAL = 1000

/** All names of an account together. */
export const thousand: Bench = {
  name: 'thousand',
  async run({ node, isQuick, folder }) {
    const namesEach = isQuick ? 100 : 1000
    const { names, notes } = installed(['ddclient', 'inadyn'])
    const [ours, ...peers] = runnersOf(node, names)
    if (ours === undefined) throw new Error('there is nothing to measure')
    const field = await openField({ folder, clients: peers.length + 1, namesEach })
    const watch = stopwatch()
    try {
      const tries = []
      for (const peer of peers) tries.push({ peer, trouble: await troubleOf(peer, field, watch) })
      const able = tries.filter(({ trouble }) => trouble === undefined).map(({ peer }) => peer)
      const result = await race({ field, watch, node, runners: [ours, ...able], times: isQuick ? 1 : 11 })
      return {
        title: `${namesEach.toLocaleString('en')} hostnames of one account`,
        how: `Medians of ${result.costs[BASE]?.length} interleaved runs, each without saved state and with a new address; after each run the service is queried whether all ${namesEach} names have it. Requests are those that the service answered. Ratios are relative to "node -e 0" with the same Node.`,
        figures: [...requestsOf(result), ...figuresOf(result.costs, WALL), ...beside(result, 'ddclient')],
        notes: [...notes, ...tries.flatMap(({ trouble }) => trouble ?? [])],
      }
    } finally {
      watch.close()
      await field.stop()
    }
  },
}

/** Why a peer cannot be measured; undefined for one that brings all names up to date. */
async function troubleOf(
  { name, client, once }: Runner,
  field: Field,
  watch: Stopwatch,
): Promise<string | undefined> {
  const errand = field.errand(client, TRIAL)
  const { code, out } = await watch.time(once(errand))
  const [updated, all] = [await field.namesAt(errand.address), errand.hostnames.length]
  if (code === 0 && updated === all) return undefined
  const status = await field.ask({ ...errand, address: field.addressOf(client, TRIAL + 1) })
  const said = out.trim() === '' ? 'without a word' : `with "${out.trim().split('\n').at(-1)}"`
  return `${name} is left out: it ended with exit ${code}, ${said}, and ${updated} of ${all} names updated. The service answers one request for so many names with ${status}.`
}

const requestsOf = ({ requests }: Race): readonly Figure[] =>
  Object.entries(requests).map(([name, counts]) => ({
    what: `${name}, requests`,
    value: median(counts),
    unit: '',
  }))

function beside({ costs }: Race, peer: string): readonly Figure[] {
  const [ours, theirs] = [costs[OURS], costs[peer]].map((all) => all?.map(WALL.of))
  if (ours === undefined || theirs === undefined) return []
  const value = median(ours) / median(theirs)
  return [{ what: `${OURS}, wall relative to ${peer}`, value, unit: '×' }]
}
