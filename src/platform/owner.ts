import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveToOwner } from './files.ts'

/** Who keeps a state folder. A pid alone would be somebody else's after a while. */
export interface Owner {
  /** Undefined where the lock is there but may not be read. */
  readonly pid?: number
  /** In clock ticks since the boot (proc(5), stat, field 22); undefined where the system does not tell. */
  readonly startedAt?: string
  readonly boot?: string
  /** Where the owner takes orders, if it does. */
  readonly socket?: string
}

export type Ownership =
  | { readonly kind: 'ours'; readonly release: () => Promise<void> }
  | { readonly kind: 'theirs'; readonly owner: Owner }
  /** The folder takes no files, and nobody who lives keeps it. */
  | { readonly kind: 'unkept' }

const FILE = 'owner.lock'
const PAUSE = 20

/** Makes this process the owner of the folder, unless a living one is. */
export async function own(folder: string, socket: string | undefined): Promise<Ownership> {
  const path = join(folder, FILE)
  const ours = JSON.stringify({ ...(await describe(process.pid)), ...(socket !== undefined && { socket }) })
  for (;;) {
    const made = await make(folder, path, ours)
    if (made === 'made') return { kind: 'ours', release: async () => release(path, ours) }
    const found = await read(path)
    if (found.kind === 'owned') return { kind: 'theirs', owner: found.owner }
    // A full or read-only disk keeps the locks that it has; only without one nobody is in our way.
    if (made === 'refused') return { kind: 'unkept' }
    if (found.kind === 'stale') await takeAway(path, found.text)
    await sleep(PAUSE)
  }
}

/** Complete from its first moment: link(2) succeeds for one of many, and what it links was written before. */
async function make(folder: string, path: string, text: string): Promise<'made' | 'exists' | 'refused'> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await write(temporary, text, folder)
    return await link(temporary, path).then(
      () => 'made' as const,
      (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? 'exists' : writeAlone(path, text, folder)),
    )
  } catch {
    return 'refused'
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

/** On file systems without links (vfat, some network ones) a reader may find the file before its text: see `isYoung`. */
const writeAlone = async (path: string, text: string, folder: string): Promise<'made' | 'exists'> =>
  write(path, text, folder).then(
    () => 'made',
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return 'exists'
      throw error
    },
  )

async function write(path: string, text: string, folder: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await giveToOwner(file, folder)
  } finally {
    await file.close()
  }
}

type Found =
  | { readonly kind: 'none' }
  | { readonly kind: 'owned'; readonly owner: Owner }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'stale'; readonly text: string }

async function read(path: string): Promise<Found> {
  try {
    const text = await readFile(path, 'utf8')
    const owner = parse(text)
    if (owner === undefined) return (await isYoung(path)) ? { kind: 'unfinished' } : { kind: 'stale', text }
    return (await isAlive(owner)) ? { kind: 'owned', owner } : { kind: 'stale', text }
  } catch (error) {
    const isGone = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
    return isGone ? { kind: 'none' } : { kind: 'owned', owner: {} }
  }
}

/** Longer than any of the few steps here takes, on a machine that is busy. */
const LONG = 10_000

/** By both signs, because the clock may have been set in between. */
const isYoung = async (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs) < LONG,
    () => false,
  )

/**
 * Removes a dead owner's lock. One process at a time does, and looks again before: who decided earlier than another
 * acted would otherwise remove the lock of the living. mkdir(2) is atomic on every file system.
 */
async function takeAway(path: string, stale: string): Promise<void> {
  const turn = `${path}.turn`
  try {
    await mkdir(turn, { mode: 0o700 })
  } catch {
    if (!(await isYoung(turn))) await rmdir(turn).catch(() => undefined) // its maker was killed
    return
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => '')) === stale) await unlink(path).catch(() => undefined)
  } finally {
    await rmdir(turn).catch(() => undefined)
  }
}

async function release(path: string, ours: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => '')) === ours) await unlink(path).catch(() => undefined)
}

interface Named extends Owner {
  readonly pid: number
}

function parse(text: string): Named | undefined {
  try {
    const owner = JSON.parse(text) as Named
    return typeof owner.pid === 'number' ? owner : undefined
  } catch {
    return undefined
  }
}

async function isAlive(owner: Named): Promise<boolean> {
  const now = await describe(owner.pid)
  if (now === undefined || now.boot !== owner.boot) return false
  // Hidden (ProtectProc=, hidepid): there is a process, and nothing says that it is another one.
  const isHidden = now.startedAt === undefined || owner.startedAt === undefined
  return isHidden || now.startedAt === owner.startedAt
}

/** What tells this process from every other; undefined when there is none with this pid. */
async function describe(pid: number): Promise<Owner | undefined> {
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
  // The second field is the name, in brackets, and may hold anything.
  const startedAt = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return {
    pid,
    ...(startedAt !== undefined && { startedAt }),
    ...(boot !== undefined && { boot: boot.trim() }),
  }
}
