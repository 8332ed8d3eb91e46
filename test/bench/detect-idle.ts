import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import { now } from '../lab/run.ts'

/** USER_HZ, which Linux has fixed for whatever reads /proc (time(7)). */
const TICK = 10
/** The most of what a minute costs in which nothing happens: CPU in milliseconds of all processes and of Node alone. */
const MOST = {
  all: { cpu: 60, node: 60, wakeups: 30, outside: 3 },
  // A ping each tenth of a second is a process of its own, which wakes up each time.
  none: { cpu: 160, node: 60, wakeups: Infinity, outside: 6 },
} as const

/** A process, and what it has started: the one that watches the kernel. */
function family(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => family(Number(child)))]
}

function cpuOf(pid: number): number {
  // The name in brackets may have blanks in it; user and system time are the 14th and 15th field (proc(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}

/** How often its threads began to wait, and so how often they were woken. */
function wakeupsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return sum + Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? 0)
  }, 0)
}

const sum = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + of(pid), 0)

interface Cost {
  readonly said: string
  readonly broken: string | undefined
}

/** What the daemon costs while nothing happens, per minute. */
export async function idleCost(
  lab: Lab,
  pid: number,
  { igd, length }: { readonly igd: keyof typeof MOST; readonly length: number },
): Promise<Cost> {
  const pids = family(pid)
  const read = async () => ({
    at: now(),
    cpu: sum(pids, cpuOf),
    node: cpuOf(pid),
    wakeups: sum(pids, wakeupsOf),
    ...(await lab.packets()),
  })
  const start = await read()
  await sleep(length)
  const end = await read()
  const perMinute = (of: keyof typeof start): number => ((end[of] - start[of]) * 60_000) / (end.at - start.at)
  const most = Object.entries(MOST[igd]) as [keyof (typeof MOST)[typeof igd], number][]
  const broken = most.flatMap(([of, limit]) =>
    perMinute(of) > limit ? [`${of} ${perMinute(of).toFixed(0)} > ${limit} a minute`] : [],
  )
  const [cpu, node, wakeups, lan] = [
    perMinute('cpu'),
    perMinute('node'),
    perMinute('wakeups'),
    perMinute('lan'),
  ].map((value) => value.toFixed(0))
  return {
    said: `CPU ${cpu} ms (${node} of Node), ${wakeups} wakeups, ${perMinute('outside').toFixed(1)} outside, ${lan} LAN a minute`,
    broken: broken.length === 0 ? undefined : broken.join(', '),
  }
}
