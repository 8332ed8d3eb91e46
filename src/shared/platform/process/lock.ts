import { randomBytes } from 'node:crypto'
import { constants, lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resolvedLater } from '../clock/timer.ts'
import { giveToOwner, TEMPORARY } from '../files/files.ts'
import { makeFolder } from '../files/folder.ts'
import { readOwnFile } from '../files/named-file.ts'
import {
  access,
  closeFile,
  link,
  mkdir,
  openFile,
  readdir,
  rmdir,
  stat,
  unlink,
  writeFile,
} from '../files/promises.ts'
import type { AcquireLock, LockOutcome, LockOwner, ProcessIdentity, RenewOutcome } from '../../ports/lock.ts'

/** The identity of a running process; undefined where no process has this pid. Synchronous: /proc is memory, not a disk. */
function identifyProcess(pid: number): ProcessIdentity | undefined {
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
function isProcessRunning(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid)
  if (current === undefined || current.boot !== identity.boot) return false
  const isHidden = current.startedAt === undefined || identity.startedAt === undefined
  return isHidden || current.startedAt === identity.startedAt
}

const LOCK_FILE = 'owner.lock'
const RETRY_INTERVAL = 20

/** The lock file of this process: `text` identifies the process. */
interface OwnLock {
  readonly folder: string
  readonly path: string
  readonly text: string
}

export const acquireLock: AcquireLock = async (folder, socket, file = LOCK_FILE) => {
  const owner: LockOwner = {
    ...identifyProcess(process.pid),
    ...(socket !== undefined && { socket }),
  }
  return acquire({ folder, path: join(folder, file), text: JSON.stringify(owner) })
}

async function acquire(lock: OwnLock): Promise<LockOutcome> {
  const { path } = lock
  for (;;) {
    const created = await createLock(lock)
    if (created === 'created') {
      await removeLeftovers(lock)
      return { kind: 'acquired', path, renew: renewer(lock), release: async () => release(lock) }
    }
    const current = await readLock(path)
    if (current.kind === 'held') return { kind: 'held', owner: current.owner }
    // A full or read-only disk still shows the locks of others; the folder is free only without one.
    if (created === 'refused') return { kind: 'unavailable' }
    if (current.kind === 'stale') await removeStale(path, current.text)
    await resolvedLater(RETRY_INTERVAL)
  }
}

/** Runs before each request, so an unchanged lock file costs one stat(2). */
function renewer(lock: OwnLock): () => Promise<RenewOutcome> {
  let known: string | undefined
  return async () => {
    const current = fileIdentity(lock.path)
    if (current !== undefined && current === known) return { kind: 'kept' }
    const outcome = await reacquire(lock)
    known = outcome.kind === 'kept' ? current : undefined
    return outcome
  }
}

/** Synchronous: an asynchronous call each minute also wakes a thread of the pool, and this thread for its result. */
function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino, size, ctimeMs } = lstatSync(path)
    return [dev, ino, size, ctimeMs].join(' ')
  } catch {
    return undefined
  }
}

/** A temporary read error counts as "kept": it does not show that another process holds the lock. */
async function reacquire(lock: OwnLock): Promise<RenewOutcome> {
  const text = await readText(lock.path).catch((error: NodeJS.ErrnoException) =>
    isMissing(error) ? '' : lock.text,
  )
  return text === lock.text ? { kind: 'kept' } : renewalOf(await acquire(lock))
}

/** The result of a renewal that had to acquire the lock again. */
export function renewalOf(outcome: LockOutcome): RenewOutcome {
  if (outcome.kind === 'acquired') return { kind: 'reacquired' }
  return outcome.kind === 'held' && outcome.owner.pid !== undefined ? outcome : { kind: 'kept' }
}

async function release({ path, text }: OwnLock): Promise<void> {
  if ((await readText(path).catch(() => '')) === text) await unlink(path).catch(() => undefined)
}

/** Removes temporary files of processes that were killed while they created the lock or wrote a file in the folder. */
async function removeLeftovers({ folder, path }: OwnLock): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const temporary = names.map((name) => join(folder, name)).filter((one) => isTemporary(one, path))
  for (const one of temporary) {
    const writer = parseOwner(await readText(one).catch(() => ''))
    const isLeftover = !(await isRecent(one)) && (writer === undefined || !isProcessRunning(writer))
    if (isLeftover) await unlink(one).catch(() => undefined)
  }
}

const isTemporary = (one: string, path: string): boolean =>
  (one.startsWith(`${path}.`) && /^[0-9a-f]{12}$/.test(one.slice(path.length + 1))) || TEMPORARY.test(one)

/** Atomic: the file is written before link(2), which succeeds for one process only. */
async function createLock(lock: OwnLock): Promise<'created' | 'exists' | 'refused'> {
  const temporary = `${lock.path}.${randomBytes(6).toString('hex')}`
  try {
    await makeFolder(lock.folder)
    await writeLock(lock, temporary)
    return await link(temporary, lock.path).then(
      () => 'created' as const,
      (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? 'exists' : createWithoutLink(lock)),
    )
  } catch {
    return 'refused'
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

/**
 * For file systems without links (vfat, some network ones). Others may see the file before its text: `isRecent` covers
 * that.
 */
const createWithoutLink = async (lock: OwnLock): Promise<'created' | 'exists'> =>
  writeLock(lock, lock.path).then(
    () => 'created',
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return 'exists'
      throw error
    },
  )

async function writeLock({ text, folder }: OwnLock, path: string): Promise<void> {
  const file = await openFile(path, 'wx', 0o600)
  try {
    await writeFile(file, text)
    await giveToOwner(file, folder)
  } finally {
    await closeFile(file)
  }
}

type CurrentLock =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly owner: LockOwner }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'stale'; readonly text: string }

async function readLock(path: string): Promise<CurrentLock> {
  try {
    const text = await readText(path)
    const owner = parseOwner(text)
    if (text === NOT_A_FILE) return { kind: 'stale', text }
    if (owner === undefined) return (await isRecent(path)) ? { kind: 'unfinished' } : { kind: 'stale', text }
    return isProcessRunning(owner) ? { kind: 'held', owner } : { kind: 'stale', text }
  } catch (error) {
    const isAbsent = isMissing(error as NodeJS.ErrnoException) || (await isClosed(dirname(path)))
    return isAbsent ? { kind: 'none' } : { kind: 'held', owner: {} }
  }
}

/** In a folder that this user may not enter, the state is as unreachable as the lock: there is nothing to wait for. */
const isClosed = async (folder: string): Promise<boolean> =>
  access(folder, constants.X_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EACCES',
  )

/** Stands for the text of a pipe, a socket or a device in place of the lock, which is always stale. */
const NOT_A_FILE = 'no file'

const readText = async (path: string): Promise<string> =>
  readOwnFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EFTYPE') return NOT_A_FILE
    throw error
  })

/** ENAMETOOLONG: no process can hold a lock at such a path. */
const isMissing = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG'

/** Longer than any step here takes on a busy machine, in milliseconds. */
const MAX_STEP_DURATION = 10_000

/** Compares the absolute difference, because the clock may have been set back since. */
const isRecent = async (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs) < MAX_STEP_DURATION,
    () => false,
  )

/**
 * Removes the lock file of a process that has ended. Only one process at a time may do so, and it checks the text again:
 * otherwise one that decided earlier would remove the new lock of another. mkdir(2) is atomic on every file system.
 */
async function removeStale(path: string, staleText: string): Promise<void> {
  const mutex = `${path}.turn`
  try {
    await mkdir(mutex, { mode: 0o700 })
  } catch {
    if (!(await isRecent(mutex))) await rmdir(mutex).catch(() => undefined) // left by a killed process
    return
  }
  try {
    if ((await readText(path).catch(() => '')) === staleText) await unlink(path).catch(() => undefined)
  } finally {
    await rmdir(mutex).catch(() => undefined)
  }
}

function parseOwner(text: string): (LockOwner & ProcessIdentity) | undefined {
  try {
    const owner = JSON.parse(text) as LockOwner & ProcessIdentity
    return typeof owner.pid === 'number' ? owner : undefined
  } catch {
    return undefined
  }
}
