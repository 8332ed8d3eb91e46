import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a process and those that it started hold, in MiB, and what they did in a minute. */
export interface Usage {
  readonly rss: number
  readonly pss: number
  readonly wakeups: number
  /** Milliseconds. */
  readonly cpu: number
}

export interface Household {
  readonly all: Usage
  /** The part of what it started; undefined where there is nothing. */
  readonly children: (Usage & { readonly names: readonly string[] }) | undefined
}

const read = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8')
const threadsOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) => `task/${thread}`)

function childrenOf(pid: number): readonly number[] {
  const own = threadsOf(pid).flatMap((thread) => read(pid, `${thread}/children`).split(' ').filter(Boolean))
  return own.flatMap((child) => [Number(child), ...childrenOf(Number(child))])
}

const total = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)

interface Counts {
  readonly wakeups: number
  readonly cpu: number
}

/** How often its threads began to wait, and the nanoseconds for which they ran (proc(5), sched-stats.rst). */
function countsOf(pid: number): Counts {
  const threads = threadsOf(pid)
  return {
    wakeups: total(threads, (thread) => field(read(pid, `${thread}/status`), 'voluntary_ctxt_switches')),
    cpu: total(threads, (thread) => Number(read(pid, `${thread}/schedstat`).split(' ')[0])) / 1e6,
  }
}

const field = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? NaN)

/** Each process by itself; the first is the one that was asked about. */
export async function watched(pid: number, span: number): Promise<Household> {
  const pids = [pid, ...childrenOf(pid)]
  const [from, before] = [performance.now(), pids.map(countsOf)]
  await sleep(span)
  const [past, after] = [performance.now() - from, pids.map(countsOf)]
  const usages = pids.map((one, at): Usage => {
    const since = (of: keyof Counts): number => (after[at]?.[of] ?? NaN) - (before[at]?.[of] ?? NaN)
    const held = read(one, 'smaps_rollup')
    return {
      rss: field(held, 'Rss') / 1024,
      pss: field(held, 'Pss') / 1024,
      wakeups: (since('wakeups') * 60_000) / past,
      cpu: (since('cpu') * 60_000) / past,
    }
  })
  const names = pids.slice(1).map((one) => read(one, 'comm').trim())
  return {
    all: added(usages),
    children: names.length === 0 ? undefined : { ...added(usages.slice(1)), names },
  }
}

const added = (usages: readonly Usage[]): Usage => ({
  rss: total(usages, ({ rss }) => rss),
  pss: total(usages, ({ pss }) => pss),
  wakeups: total(usages, ({ wakeups }) => wakeups),
  cpu: total(usages, ({ cpu }) => cpu),
})
