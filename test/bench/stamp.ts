import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { shortHash } from './builds.ts'
import { ROOT } from './service.ts'

/** What a report says of its figures: the day, the machine and how busy it was, and what was measured. Taken before the run. */
export function stamp(node: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string
  }
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`
  const machine = `Node ${node} ${process.arch}, ${availableParallelism()} cores, ${memory}`
  const load = loadavg()[0]?.toFixed(1)
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, load average ${load}; Holdfast ${version}, commit ${shortHash('HEAD')}`
}
