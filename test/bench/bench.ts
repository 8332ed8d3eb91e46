/** npm run bench: measures Holdfast and other programs, and compares figures with their limits. Needs python3. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { api } from './api.ts'
import { notMeasured, withBars } from './bars.ts'
import { consoleBench } from './console.ts'
import { cost, judge } from './cost.ts'
import { fleet } from './fleet.ts'
import { idle } from './idle.ts'
import { oneShot } from './one-shot.ts'
import { publish } from './publish.ts'
import { type Bench, isWithinLimit, type Section, textOf } from './report.ts'
import { ROOT } from './service.ts'
import { stamp } from './stamp.ts'
import { start } from './start.ts'
import { stores } from './stores.ts'
import { thousand } from './thousand.ts'
import { wire } from './wire.ts'

const BENCHES: readonly Bench[] = [
  cost,
  judge,
  oneShot,
  thousand,
  idle,
  wire,
  api,
  start,
  publish,
  consoleBench,
  fleet,
  stores,
]
const REPORT = join(ROOT, 'bench/RESULTS.md')
const SIZES = ['full', 'medium', 'quick'] as const
const USAGE = `usage: npm run bench -- [--only NAME…] [--size ${SIZES.join('|')}] [--beside COMMIT…] [--node PATH]
benchmarks: ${BENCHES.map(({ name }) => name).join(' ')}`

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        size: { type: 'string', default: 'full' },
        beside: { type: 'string', multiple: true, default: [] },
        node: { type: 'string' },
      },
    })
    const size = SIZES.find((one) => one === values.size)
    if (size === undefined) throw new Error(`--size: ${values.size} is none of ${SIZES.join(', ')}`)
    if (values.beside.length > 0 && values.only?.join() !== wire.name)
      throw new Error(
        `--beside: only the benchmark ${wire.name} measures other commits; add --only ${wire.name}`,
      )
    const strange = values.only?.find((name) => BENCHES.every((bench) => bench.name !== name))
    if (strange !== undefined) throw new Error(`there is no benchmark ${strange}`)
    const node = nodeFor(values.node)
    return {
      beside: values.beside,
      size,
      node,
      version: versionOf(node),
      chosen: BENCHES.filter(({ name }) => values.only?.includes(name) ?? true),
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return process.exit(64)
  }
}

function nodeFor(given: string | undefined): string {
  const path = given ?? process.execPath
  if (!existsSync(path)) throw new Error(`--node: ${path} does not exist`)
  return path
}

function versionOf(node: string): string {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const version = stdout?.trim() ?? ''
  if (!/^v\d+\./.test(version)) throw new Error(`--node: ${node} is not a Node program`)
  return version
}

const { size, beside, node, version, chosen } = readArguments()
const isFull = size === 'full' && beside.length === 0
if (!version.startsWith('v24.')) console.error(`the limits apply to Node 24, this is ${version}`)
const about = stamp(version)

async function sectionOf(bench: Bench): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), `holdfast-bench-${bench.name}-`))
  try {
    return await bench.run({ node, size, isQuick: size === 'quick', beside, folder })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const HEAD = [
  '# Benchmarks',
  '',
  'Medians of Holdfast and of other programs, measured in the same run. Each section says what the ratio refers to. A limit is',
  'followed by a target in brackets, if there is one. `npm run bench` measures all sections again, `npm run bench -- --only NAME` one.',
  'The time until a change of address is noticed: [DETECT.md](DETECT.md).',
  '',
].join('\n')
/** Marks around each section, so that one section can be measured and replaced alone. */
const marked = (name: string, text: string): string => `<!-- ${name} -->\n${text}\n<!-- end -->`

function writeReport(texts: ReadonlyMap<string, string>): void {
  const old = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : ''
  const known = new Map(
    [...old.matchAll(/<!-- ([\w-]+) -->\n([^]*?)\n<!-- end -->/g)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  )
  // Sections that are written by hand stay at the end.
  const others = [...known.keys()].filter((name) => BENCHES.every((bench) => bench.name !== name))
  const all = [...BENCHES.map(({ name }) => name), ...others].flatMap((name) => {
    const text = texts.get(name) ?? known.get(name)
    return text === undefined ? [] : [marked(name, text)]
  })
  mkdirSync(join(REPORT, '..'), { recursive: true })
  writeFileSync(REPORT, `${[HEAD, ...all].join('\n')}\n`)
}

/** A quick run only checks that everything works; its times mean nothing. */
function limited(bench: Bench, section: Section): Section {
  const figures = withBars(bench.name, section.figures)
  return { ...section, figures: size === 'quick' ? figures.map(({ bar: _, ...figure }) => figure) : figures }
}

const texts = new Map<string, string>()
const exceeded: string[] = []
for (const bench of chosen) {
  console.error(`${bench.name} …`)
  try {
    const section = limited(bench, await sectionOf(bench))
    const when = `${about}; \`npm run bench -- --only ${bench.name}\``
    const text = `${textOf(section)}\n\n${when}`
    console.log(`${text}\n`)
    if (bench !== judge) texts.set(bench.name, text)
    // After each, so that a run that is ended loses nothing.
    if (isFull) writeReport(texts)
    if ((bench === cost || bench === judge) && size !== 'quick')
      exceeded.push(
        ...notMeasured(bench.name, section.figures).map((what) => `${bench.name}: ${what}: not measured`),
      )
    exceeded.push(
      ...section.figures.flatMap((figure) =>
        isWithinLimit(figure) === false ? [`${bench.name}: ${figure.what}`] : [],
      ),
    )
  } catch (error) {
    console.error(`${bench.name}: not measured: ${(error as Error).stack}`)
    process.exitCode = 1
  }
}
if (exceeded.length > 0) {
  console.error(`limits that are exceeded:\n${exceeded.map((line) => `  ${line}`).join('\n')}`)
  process.exitCode = 1
}
