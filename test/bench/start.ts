import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fill } from './fill.ts'
import { type Bench, median } from './report.ts'
import { startService } from './service.ts'

const SIZES = { full: { names: 1_000_000, times: 11 }, quick: { names: 1000, times: 1 } } as const

/** From the start of the process to its first line, printed when it listens; and the size of the store on disk. */
export const start: Bench = {
  name: 'start',
  async run({ node, isQuick, folder }) {
    const { names, times } = SIZES[isQuick ? 'quick' : 'full']
    const filled = fill(join(folder, 'large'), { names, keys: 1000 })
    const empty = fill(join(folder, 'empty'), { names: 0, keys: 0 })
    const starts = { large: [] as number[], empty: [] as number[] }
    for (let nth = 0; nth <= times; nth++)
      for (const [name, store] of [
        ['large', filled],
        ['empty', empty],
      ] as const) {
        const service = await startService(node, ['--store', store.folder])
        if (nth > 0) starts[name].push(service.startedIn)
        await service.stop()
      }
    const base = median(starts.empty)
    const value = median(starts.large)
    return {
      title: 'Start of the service',
      how: `From the start of the process until it reports that it listens, alternating between a store of ${names} names and an empty one, ${times} times each.`,
      figures: [
        { what: 'listening, empty store', value: base, unit: 'ms', ratio: 1 },
        {
          what: `listening, ${names} names`,
          value,
          unit: 'ms',
          ratio: value / base,
          bar: { of: 'value', atMost: 1000 },
        },
        {
          what: 'store on disk per name',
          value: statSync(join(filled.folder, 'holdfast.db')).size / names,
          unit: 'bytes',
        },
      ],
      notes: [],
    }
  },
}
