import { readFile } from 'node:fs/promises'
import type { ProcessIdentity } from '../../ports/lock.ts'

/** The identity of a running process; undefined where no process has this pid. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  const [stat, boot] = await Promise.all(
    [`/proc/${pid}/stat`, '/proc/sys/kernel/random/boot_id'].map(async (path) =>
      readFile(path, 'utf8').catch(() => undefined),
    ),
  )
  // Field 2 is the name in parentheses, and may contain blanks and parentheses.
  const startedAt = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return {
    pid,
    ...(startedAt !== undefined && { startedAt }),
    ...(boot !== undefined && { boot: boot.trim() }),
  }
}

/**
 * Whether the process still runs. True in doubt: where /proc hides start times (ProtectProc=, hidepid), any process with
 * the pid counts.
 */
export async function isProcessRunning(identity: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(identity.pid)
  if (current === undefined || current.boot !== identity.boot) return false
  const isHidden = current.startedAt === undefined || identity.startedAt === undefined
  return isHidden || current.startedAt === identity.startedAt
}
