import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What an act costs this process, in milliseconds of CPU time: a busy machine takes longer, and does not work more. */
export function cpuOf(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const TICK = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** What a process has cost since its start, in milliseconds of CPU time (utime and stime of proc_pid_stat(5)). */
export function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}
