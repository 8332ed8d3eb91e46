import { type Cost, interleaved, type Job, type Stopwatch } from './commands.ts'
import { type Errand, PEERS, type PeerName } from './peers.ts'
import type { Field } from './peers-field.ts'
import { update } from './peers-ours.ts'
import { type Figure, median } from './report.ts'

export const BASE = 'bare node'
export const OURS = 'holdfast'

export interface Runner {
  readonly name: string
  /** Which of the field's clients it is. */
  readonly client: number
  readonly once: (errand: Errand) => Job
}

export const runnersOf = (node: string, peers: readonly PeerName[]): readonly Runner[] =>
  [{ name: OURS, once: update(node) }, ...peers.map((name) => ({ name, once: PEERS[name].once }))].map(
    (runner, client) => ({ ...runner, client }),
  )

export interface Course {
  readonly field: Field
  readonly watch: Stopwatch
  readonly node: string
  readonly runners: readonly Runner[]
  readonly times: number
}

export interface Race {
  /** By name; the bare Node is among them. */
  readonly costs: Readonly<Record<string, readonly Cost[]>>
  /** Update requests that the service answered in each run. */
  readonly requests: Readonly<Record<string, readonly number[]>>
}

/** All clients in turn, and a bare Node. Fails if the service does not have the address at each name after a run. */
export async function race({ field, watch, node, runners, times }: Course): Promise<Race> {
  const requests = Object.fromEntries(runners.map(({ name }): [string, number[]] => [name, []]))
  let under: { readonly errand: Errand; readonly before: number } | undefined
  const jobs = runners.map(({ name, client, once }): [string, (nth: number) => Job] => [
    name,
    (nth) => {
      const errand = field.errand(client, nth)
      under = { errand, before: field.answered() }
      return once(errand)
    },
  ])
  const check = async (name: string): Promise<void> => {
    if (name === BASE || under === undefined) return
    const { address, hostnames } = under.errand
    const names = await field.namesAt(address)
    if (names !== hostnames.length)
      throw new Error(`${name} ended well, but ${names} of ${hostnames.length} names have ${address}`)
    requests[name]?.push(field.answered() - under.before)
  }
  const bare = (): Job => ({ argv: [node, '-e', '0'] })
  const costs = await interleaved({ [BASE]: bare, ...Object.fromEntries(jobs) }, times, watch, check)
  return { costs, requests }
}

export interface Measure {
  readonly name: string
  readonly unit: string
  readonly of: (cost: Cost) => number
}

/** A figure for everybody, with its ratio to the bare Node. */
export function figuresOf(costs: Race['costs'], { name: measure, unit, of }: Measure): readonly Figure[] {
  const valueOf = (name: string): number => median((costs[name] ?? []).map(of))
  return Object.keys(costs).map((name) => ({
    what: `${name}, ${measure}`,
    value: valueOf(name),
    unit,
    ratio: valueOf(name) / valueOf(BASE),
  }))
}

export const WALL: Measure = { name: 'wall', unit: 'ms', of: ({ wall }) => wall }
