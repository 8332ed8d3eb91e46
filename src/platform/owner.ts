import { randomBytes } from 'node:crypto'
import { link, lstat, mkdir, open, readdir, readFile, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveToOwner, TEMPORARY } from './files.ts'
import { makeFolder } from './folder.ts'
import { readOwnFile } from './named-file.ts'

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
  | {
      readonly kind: 'ours'
      readonly path: string
      /** Makes the lock again where it was deleted, unless another process has made it since. */
      readonly renew: () => Promise<Renewal>
      readonly release: () => Promise<void>
    }
  | { readonly kind: 'theirs'; readonly owner: Owner }
  /** The folder takes no files, and nobody who lives keeps it. */
  | { readonly kind: 'unkept' }

/** `taken`: the lock was gone for a while, and another process may have worked in the folder. */
export type Renewal =
  | { readonly kind: 'kept' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'theirs'; readonly owner: Owner }

const FILE = 'owner.lock'
const PAUSE = 20

/** Makes this process the owner of the folder, unless a living one is. */
export async function own(folder: string, socket: string | undefined, file = FILE): Promise<Ownership> {
  const path = join(folder, file)
  const ours = JSON.stringify({ ...(await describe(process.pid)), ...(socket !== undefined && { socket }) })
  return take(folder, path, ours)
}

async function take(folder: string, path: string, ours: string): Promise<Ownership> {
  for (;;) {
    const made = await make(folder, path, ours)
    if (made === 'made') {
      await sweep(folder, path)
      const [renew, giveBack] = [renewer(folder, path, ours), async () => release(path, ours)]
      return { kind: 'ours', path, renew, release: giveBack }
    }
    const found = await read(path)
    if (found.kind === 'owned') return { kind: 'theirs', owner: found.owner }
    // A full or read-only disk keeps the locks that it has; only without one nobody is in our way.
    if (made === 'refused') return { kind: 'unkept' }
    if (found.kind === 'stale') await takeAway(path, found.text)
    await sleep(PAUSE)
  }
}

/** Before each request: one stat(2), where the lock is the file that it was. */
function renewer(folder: string, path: string, ours: string): () => Promise<Renewal> {
  let seen: string | undefined
  return async () => {
    const now = await identityOf(path)
    if (now !== undefined && now === seen) return { kind: 'kept' }
    const found = await retake(folder, path, ours)
    seen = found.kind === 'kept' ? now : undefined
    return found
  }
}

const identityOf = async (path: string): Promise<string | undefined> =>
  lstat(path).then(
    ({ dev, ino, size, ctimeMs }) => [dev, ino, size, ctimeMs].join(' '),
    () => undefined,
  )

/** A lock that cannot be read for the moment is no reason to believe that it is another's. */
async function retake(folder: string, path: string, ours: string): Promise<Renewal> {
  const text = await textOf(path).catch((error: NodeJS.ErrnoException) => (isGone(error) ? '' : ours))
  return text === ours ? { kind: 'kept' } : renewalOf(await take(folder, path, ours))
}

export function renewalOf(found: Ownership): Renewal {
  if (found.kind === 'ours') return { kind: 'taken' }
  return found.kind === 'theirs' && found.owner.pid !== undefined ? found : { kind: 'kept' }
}

/** Removes what a process left that was killed while it made the lock, or while it wrote a file here. */
async function sweep(folder: string, path: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const temporary = names.map((name) => join(folder, name)).filter((one) => isTemporary(one, path))
  for (const one of temporary) {
    const maker = parse(await textOf(one).catch(() => ''))
    const isLeft = !(await isYoung(one)) && (maker === undefined || !(await isAlive(maker)))
    if (isLeft) await unlink(one).catch(() => undefined)
  }
}

const isTemporary = (one: string, path: string): boolean =>
  (one.startsWith(`${path}.`) && /^[0-9a-f]{12}$/.test(one.slice(path.length + 1))) || TEMPORARY.test(one)

/** Complete from its first moment: link(2) succeeds for one of many, and what it links was written before. */
async function make(folder: string, path: string, text: string): Promise<'made' | 'exists' | 'refused'> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await makeFolder(folder)
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
    const text = await textOf(path)
    const owner = parse(text)
    if (text === NO_FILE) return { kind: 'stale', text }
    if (owner === undefined) return (await isYoung(path)) ? { kind: 'unfinished' } : { kind: 'stale', text }
    return (await isAlive(owner)) ? { kind: 'owned', owner } : { kind: 'stale', text }
  } catch (error) {
    return isGone(error as NodeJS.ErrnoException) ? { kind: 'none' } : { kind: 'owned', owner: {} }
  }
}

/** What stands for the text of a pipe, a socket or a device: none of them is a lock, nor becomes one. */
const NO_FILE = 'no file'

const textOf = async (path: string): Promise<string> =>
  readOwnFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EFTYPE') return NO_FILE
    throw error
  })

/** A lock whose path is too long for any file is held by no process. */
const isGone = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG'

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
    if ((await textOf(path).catch(() => '')) === stale) await unlink(path).catch(() => undefined)
  } finally {
    await rmdir(turn).catch(() => undefined)
  }
}

async function release(path: string, ours: string): Promise<void> {
  if ((await textOf(path).catch(() => '')) === ours) await unlink(path).catch(() => undefined)
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
