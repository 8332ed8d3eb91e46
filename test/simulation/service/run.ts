import { parseArgs } from 'node:util'
import { drawServiceWorld } from './draw.ts'
import { runServiceWorld } from './world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '0' },
    events: { type: 'string', default: '150' },
    hash: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
  },
})
const [seed, count, seconds, events] = [values.seed, values.count, values.seconds, values.events].map(
  Number,
) as [number, number, number, number]
const began = performance.now()
const isOver = (played: number): boolean =>
  seconds > 0 ? performance.now() - began > seconds * 1000 : played >= count
let [worlds, asked, crashes, alarms] = [0, 0, 0, 0]
for (; !isOver(worlds) && !(values.first && alarms > 0); worlds++) {
  const outcome = await runServiceWorld(drawServiceWorld(seed + worlds, events))
  asked += outcome.asked
  crashes += outcome.crashes
  alarms += outcome.alarms.length
  const rules = outcome.alarms.map((alarm) => /V\d+/.exec(alarm)?.[0] ?? 'error')
  if (values.hash || rules.length > 0)
    console.log(`seed ${seed + worlds} ${rules.join(',') || '-'} ${outcome.hash}`)
  for (const alarm of outcome.alarms) console.log(`seed ${seed + worlds}: ${alarm}`)
}
console.log(
  `${worlds} services, ${asked} requests, ${crashes} crashes, ${alarms} alarms; ${((performance.now() - began) / 1000).toFixed(1)} s`,
)
process.exitCode = alarms > 0 ? 1 : 0
