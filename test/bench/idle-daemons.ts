import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type Running, running } from './commands.ts'
import { type Errand, PEERS } from './peers.ts'
import type { Field } from './peers-field.ts'
import { addressFile, daemon } from './peers-ours.ts'

export const BASE = 'bare node'

/** Other people's that stay. */
export type IdlePeer = 'ddclient' | 'inadyn'

export interface Daemon extends Running {
  readonly name: string
  readonly isOurs: boolean
  /** Where it takes orders; undefined for one that has none. */
  readonly errand: Errand | undefined
  readonly client: number
}

interface Recipe {
  readonly name: string
  readonly isOurs: boolean
  readonly job: (errand: Errand) => Job
}

const OURS: readonly (readonly [string, readonly string[]])[] = [
  ['holdfast', []],
  ['holdfast --no-watch', ['--no-watch']],
]

export const recipesOf = (node: string, peers: readonly IdlePeer[]): readonly Recipe[] => [
  ...OURS.map(([name, more]) => ({
    name,
    isOurs: true,
    job: (errand: Errand) => {
      putAddress(errand, errand.address)
      return daemon(node, errand, more)
    },
  })),
  ...peers.map((name) => ({ name, isOurs: false, job: PEERS[name].daemon })),
]

/** Whoever reads meanwhile finds the one or the other. */
function putAddress(errand: Errand, address: string): void {
  const path = addressFile(errand)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, `${address}\n`)
  renameSync(`${path}.new`, path)
}

const bareNode = (node: string): Daemon => ({
  name: BASE,
  isOurs: false,
  errand: undefined,
  client: -1,
  ...running([node, '-e', 'setInterval(()=>{},1e9)']),
})

function started({ name, isOurs, job }: Recipe, field: Field, client: number): Daemon {
  const errand = field.errand(client, 0)
  const { argv, env } = job(errand)
  const one = running(argv, env)
  one.child.stdout?.resume()
  one.child.stderr?.resume()
  return { name, isOurs, errand, client, ...one }
}

/** One of each kind, so many times in turns. */
export const startAll = (
  node: string,
  recipes: readonly Recipe[],
  field: Field,
  times: number,
): readonly Daemon[] =>
  Array.from({ length: times }, (_, set) => [
    bareNode(node),
    ...recipes.map((recipe, at) => started(recipe, field, set * recipes.length + at)),
  ]).flat()

/** Resolves after each daemon has sent its first address. */
export async function allTold(daemons: readonly Daemon[], field: Field): Promise<void> {
  for (const { name, errand } of daemons)
    if (errand !== undefined) await until(() => field.isGood(errand.address), `the first update of ${name}`)
}

/** So many new addresses one after the other, each of them sent before the next is there. */
export async function change(
  { name, pid, errand, client }: Daemon,
  field: Field,
  times: number,
): Promise<void> {
  if (errand === undefined) return
  for (let nth = 1; nth <= times; nth++) {
    const address = field.addressOf(client, nth)
    putAddress(errand, address)
    process.kill(pid, 'SIGUSR1')
    await until(() => field.isGood(address), `update ${nth} of ${name}`)
  }
}

const PATIENCE = 60_000

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = performance.now() + PATIENCE
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
    await sleep(2)
  }
}
