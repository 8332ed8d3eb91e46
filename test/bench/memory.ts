import { readFileSync } from 'node:fs'
import type { Subject } from './load.ts'
import type { Figure } from './report.ts'

/** In MiB. */
export const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Resident memory at a moment of load, and after so many requests more. */
export async function memoryUnder(subject: Subject, from: number, more: number): Promise<readonly Figure[]> {
  let sent = 0
  let turn = 0
  const loadUntil = async (isEnough: () => boolean): Promise<number> => {
    while (!isEnough()) sent += (await subject.load(turn++ % 2 === 0 ? 'changed' : 'unchanged', 2)).requests
    return residentOf(subject.pid)
  }
  const before = await loadUntil(() => performance.now() >= from)
  const earlier = sent
  const after = await loadUntil(() => sent >= earlier + more)
  return [
    { what: 'resident', value: before, unit: 'MiB' },
    { what: 'resident after a million requests more', value: after, unit: 'MiB', ratio: after / before },
  ]
}
