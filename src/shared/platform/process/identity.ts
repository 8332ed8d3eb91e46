import { readFileSync } from 'node:fs'
import type { ProcessIdentity } from '../../ports/lock.ts'

/** The identity of a running process; undefined where no process has this pid. Synchronous: /proc is memory, not a disk. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  const [stat, boot] = [textIn(`/proc/${pid}/stat`), textIn('/proc/sys/kernel/random/boot_id')]
  // Field 2 is the name in parentheses, and may contain blanks and parentheses.
  const startedAt = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return {
    pid,
    ...(startedAt !== undefined && { startedAt }),
    ...(boot !== undefined && { boot: boot.trim() }),
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Whether the process still runs. True in doubt: where /proc hides start times (ProtectProc=, hidepid), any process with
 * the pid counts.
 */
export function isProcessRunning(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid)
  if (current === undefined || current.boot !== identity.boot) return false
  const isHidden = current.startedAt === undefined || identity.startedAt === undefined
  return isHidden || current.startedAt === identity.startedAt
}
