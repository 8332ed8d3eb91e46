/** npm run bench:detect: how long it takes from a change of address until the service is told. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { canLab } from '../lab/lab.ts'
import { measure } from './detect-run.ts'
import { SCENARIOS, scenario } from './detect-scenarios.ts'
import { DEFAULTS, type Scenario } from './detect-stage.ts'
import { complaints, type Row, table } from './detect-statistics.ts'

const USAGE = `usage: npm run bench:detect -- [--quick] [--only NAME] [--changes N] [--logs FOLDER]
scenarios: ${SCENARIOS.map(({ name }) => name).join(' ')}`
const REPORT = join(import.meta.dirname, '../../bench/DETECT.md')
const HOW =
  'Measured in a lab of three network namespaces (provider, router, host) with the built client and service: ' +
  'the milliseconds from just before the change to the update request in the log of the service; what is asked ' +
  'outside answers after 50 ms. Time counts from another moment for announced-flap (the return of service), ' +
  'ipv6-prefix, docker0, two-prefixes and both-at-once (the address being usable; both-at-once: until the last of ' +
  'the two has arrived), before-network (the network being usable), way-out-late and before-way-out (the way out ' +
  'being back), dns-late and dns-hijack (the name server being right again), flip-back (the return). vpn-up-down ' +
  'is the change while the VPN is up.'

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        changes: { type: 'string' },
        logs: { type: 'string' },
      },
    })
    const changes = values.changes === undefined ? undefined : Number(values.changes)
    if (changes !== undefined && !(Number.isInteger(changes) && changes > 0))
      throw new Error('--changes is a number of changes, 1 or more')
    return { ...values, changes, chosen: values.only?.map(scenario) ?? SCENARIOS }
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return process.exit(64)
  }
}

const { quick, only, changes, logs, chosen } = readArguments()
const reason = canLab()
if (reason !== undefined) {
  console.error(`no lab can be built: ${reason}`)
  process.exit(69)
}
if (logs !== undefined) mkdirSync(logs, { recursive: true })

const usualOf = ({ changes }: Scenario): number => (changes ?? DEFAULTS.changes)[quick ? 'quick' : 'full']

/** Without a measurement there still is a row, and the other scenarios still get their turn. */
async function tried(scenario: Scenario): Promise<Row> {
  const options = { changes: changes ?? usualOf(scenario), idle: quick ? 10_000 : 60_000, logs }
  try {
    return await measure(scenario, options)
  } catch (error) {
    const { name, bar } = scenario
    const notes = [(error as Error).message]
    return {
      name,
      bar,
      changes: 0,
      times: [],
      missed: 0,
      wrong: 0,
      crashed: 0,
      notes,
      failed: 'not measured',
    }
  }
}

const rows: Row[] = []
// What a quick bench makes no changes for, it leaves out unless it is asked for by name.
for (const one of chosen.filter((one) => only !== undefined || usualOf(one) > 0)) {
  const row = await tried(one)
  rows.push(row)
  const times = row.instead ?? row.times.map((time) => time.toFixed(0)).join(' ')
  console.error(`${row.name}: ${times} ${complaints(row).join(', ')}`)
}

const notes = rows.flatMap(({ name, notes }) => notes.map((note) => `- ${name}: ${note}`))
console.log(`\n${[table(rows), ...notes].join('\n')}`)

if (!quick && only === undefined) {
  const cores = availableParallelism()
  const when = new Date().toISOString().slice(0, 10)
  const sizes = `N is the number of changes${changes === undefined ? '' : ` (--changes ${changes})`}`
  const about = `${when}, Node ${process.version}, ${cores} cores; times in milliseconds; ${sizes}.`
  mkdirSync(join(REPORT, '..'), { recursive: true })
  const text = [about, table(rows), ...(notes.length === 0 ? [] : [notes.join('\n')]), HOW]
  writeFileSync(REPORT, `# How fast a change of address is noticed\n\n${text.join('\n\n')}\n`)
}

const broken = rows.filter((row) => complaints(row).length > 0)
for (const row of broken) console.error(`broken: ${row.name}: ${complaints(row).join(', ')}`)
process.exitCode = broken.length === 0 ? 0 : 1
