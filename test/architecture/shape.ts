/** npm run shape: the shape of the sources in figures, written into CONTRIBUTING.md. No test judges it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { childrenOf, type Node, parse } from '../mutate/syntax.ts'
import { floorOf, HOUSES, importsWithin, ROOMS } from './rooms.ts'
import { FILES, SRC } from './sources.ts'
import { serviceTrips, updateTrip } from './trips.ts'

const linesOf = (text: string): number => text.split('\n').length - 1
const paths = FILES.map(({ path }) => path)

/** Files that import each file. */
const importers = new Map(paths.map((path) => [path, new Set<string>()]))
for (const path of paths) for (const { target } of importsWithin(path)) importers.get(target)?.add(path)

const chains = new Map<string, readonly string[]>()
/** The longest way down from a file; there are no circles. */
function chainFrom(path: string): readonly string[] {
  const known = chains.get(path)
  if (known !== undefined) return known
  const below = importsWithin(path).map(({ target }) => chainFrom(target))
  const longest = below.reduce<readonly string[]>((most, one) => (one.length > most.length ? one : most), [])
  const chain = [path, ...longest]
  chains.set(path, chain)
  return chain
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const BRANCHES = new Set([
  'IfStatement',
  'ConditionalExpression',
  'LogicalExpression',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
])

/** The branches of each function, without those of functions in it. */
function branchesIn(source: string): readonly number[] {
  const counts: number[] = []
  const visit = (node: Node, at: number | undefined): void => {
    const own = FUNCTIONS.has(node.type) ? counts.push(0) - 1 : at
    const isBranch = BRANCHES.has(node.type) || (node.type === 'SwitchCase' && node['test'] !== null)
    if (own !== undefined && isBranch) counts[own] = (counts[own] ?? 0) + 1
    for (const below of childrenOf(node)) visit(below, own)
  }
  visit(parse(source), undefined)
  return counts
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const number = (value: number): string => value.toLocaleString('en')

const lengths = FILES.map(({ text }) => linesOf(text))
const functions = FILES.flatMap(({ text }) => branchesIn(text))
const longest = paths.map(chainFrom).reduce((most, one) => (one.length > most.length ? one : most))
const alone = [...importers].filter(([, by]) => by.size === 1)
const besides = alone.filter(([path, by]) => [...by].every((one) => dirname(one) === dirname(path)))
const trips = [await updateTrip(), ...(await serviceTrips())]

const rows: readonly (readonly [what: string, figure: string])[] = [
  ['files', number(FILES.length)],
  ['lines', number(lengths.reduce((sum, one) => sum + one, 0))],
  ...HOUSES.map((house): [string, string] => [
    `lines of \`src/${house}\``,
    number(
      FILES.filter(({ path }) => path.startsWith(`${house}/`)).reduce(
        (sum, { text }) => sum + linesOf(text),
        0,
      ),
    ),
  ]),
  ['lines of a file: median, longest', `${median(lengths)}, ${Math.max(...lengths)}`],
  ['rooms, floors', `${ROOMS.size}, ${Math.max(...[...ROOMS.keys()].map(floorOf))}`],
  ['files of the longest chain of imports', String(longest.length)],
  ['files with one importer; in the same folder', `${alone.length}; ${besides.length}`],
  [
    'functions; with more than ten branches',
    `${number(functions.length)}; ${functions.filter((count) => count > 10).length}`,
  ],
  ...trips.map(({ name, files, functions: count }): [string, string] => [
    `files and functions that run for ${name}`,
    `${files.length}, ${count}`,
  ]),
]

const table = [
  '| what | figure |',
  '|---|---|',
  ...rows.map(([what, figure]) => `| ${what} | ${figure} |`),
].join('\n')
const CONTRIBUTING = join(SRC, '../CONTRIBUTING.md')
const MARKS = /(<!-- shape -->\n)[^]*?(\n<!-- \/shape -->)/
writeFileSync(
  CONTRIBUTING,
  readFileSync(CONTRIBUTING, 'utf8').replace(
    MARKS,
    (_, open: string, close: string) => `${open}${table}${close}`,
  ),
)
console.log(table)
if (process.argv.includes('--files')) {
  console.log(`\nthe longest chain:\n  ${longest.join('\n  ')}`)
  for (const { name, files } of trips) console.log(`\n${name}:\n  ${files.join('\n  ')}`)
}
