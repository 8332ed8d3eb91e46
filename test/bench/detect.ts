/** npm run bench:detect: the time from a change of address to the update request at the service. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { canLab } from '../lab/lab.ts'
import { measure } from './detect-run.ts'
import { SCENARIOS, scenario } from './detect-scenarios.ts'
import { DEFAULTS, type Scenario } from './detect-stage.ts'
import { compared, complaints, type Row, table } from './detect-statistics.ts'
import { VPN_SCENARIOS } from './detect-vpn.ts'
import { stamp } from './stamp.ts'

const USAGE = `usage: npm run bench:detect -- [--quick] [--only NAME] [--changes N] [--logs FOLDER]
scenarios: ${SCENARIOS.map(({ name }) => name).join(' ')}
only if named: ${VPN_SCENARIOS.map(({ name }) => name).join(' ')}`
const REPORT = join(import.meta.dirname, '../../bench/DETECT.md')
const HOW =
  'Measured with the built client and service in three network namespaces (provider, router, host). The time is in ' +
  'milliseconds, from just before the change to the update request in the log of the service. Outside services answer ' +
  'after 50 ms. For some scenarios the time starts later: announced-flap and flip-back (the address is back), ' +
  'ipv6-prefix, docker0, two-prefixes and both-at-once (the address is usable; both-at-once ends with the second ' +
  'update), before-network (the network is usable), way-out-late and before-way-out (the default route is back), ' +
  'router-restart (the router is on again), dns-late and dns-hijack (the name server is correct again). vpn-up-down is a ' +
  'change while the VPN is up.'

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
  console.error(`the network namespaces cannot be created: ${reason}`)
  process.exit(69)
}
if (logs !== undefined) mkdirSync(logs, { recursive: true })

const usualOf = ({ changes }: Scenario): number => (changes ?? DEFAULTS.changes)[quick ? 'quick' : 'full']

/** A scenario that fails has a row too, and the other scenarios still run. */
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

const begun = stamp(process.version)
const rows: Row[] = []
// A quick run leaves out scenarios without changes, unless they are named.
for (const one of chosen.filter((one) => only !== undefined || usualOf(one) > 0)) {
  const alone = await tried(one)
  const other = rows.find(({ name }) => name === one.against?.name)
  const row = one.against === undefined ? alone : compared(alone, other, one.against.factor)
  rows.push(row)
  const times = row.instead ?? row.times.map((time) => time.toFixed(0)).join(' ')
  console.error(`${row.name}: ${times} ${complaints(row).join(', ')}`)
}

const notes = rows.flatMap(({ name, notes }) => notes.map((note) => `- ${name}: ${note}`))
console.log(`\n${[table(rows), ...notes].join('\n')}`)

if (!quick && only === undefined) {
  const sizes = `N is the number of changes${changes === undefined ? '' : ` (--changes ${changes})`}`
  const about = `${begun}; times in milliseconds; ${sizes}.`
  mkdirSync(join(REPORT, '..'), { recursive: true })
  const text = [about, table(rows), ...(notes.length === 0 ? [] : [notes.join('\n')]), HOW]
  writeFileSync(REPORT, `# Time until a change of address is noticed\n\n${text.join('\n\n')}\n`)
}

const failed = rows.filter((row) => complaints(row).length > 0)
for (const row of failed) console.error(`failed: ${row.name}: ${complaints(row).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
