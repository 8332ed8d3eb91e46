import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import { now } from '../lab/run.ts'

/** USER_HZ, which Linux has fixed for whatever reads /proc (time(7)). */
const TICK = 10
/** For a minute in which nothing happens. */
const MOST = { cpu: 100, outside: 6 } as const

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
export async function idleCost(lab: Lab, pid: number, length: number): Promise<Cost> {
  const pids = family(pid)
  const read = async () => ({
    at: now(),
    cpu: sum(pids, cpuOf),
    wakeups: sum(pids, wakeupsOf),
    ...(await lab.packets()),
  })
  const start = await read()
  await sleep(length)
  const end = await read()
  const perMinute = (of: 'cpu' | 'wakeups' | 'outside' | 'lan'): number =>
    ((end[of] - start[of]) * 60_000) / (end.at - start.at)
  const [cpu, outside] = [perMinute('cpu'), perMinute('outside')]
  const broken = [
    ...(cpu > MOST.cpu ? [`CPU ${cpu.toFixed(0)} > ${MOST.cpu} ms/min`] : []),
    ...(outside > MOST.outside ? [`outside ${outside.toFixed(1)} > ${MOST.outside} packets/min`] : []),
  ]
  const [wakeups, lan] = [perMinute('wakeups').toFixed(0), perMinute('lan').toFixed(0)]
  return {
    said: `CPU ${cpu.toFixed(0)} ms, ${wakeups} wakeups, ${outside.toFixed(1)} outside, ${lan} LAN a minute`,
    broken: broken.length === 0 ? undefined : broken.join(', '),
  }
}
