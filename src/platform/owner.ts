import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Who keeps a state folder. A pid alone would be somebody else's after a while. */
export interface Owner {
  readonly pid: number
  /** In clock ticks since the boot (proc(5), stat, field 22); undefined where the system does not tell. */
  readonly startedAt?: string
  readonly boot?: string
  /** Where the owner takes orders, if it does. */
  readonly socket?: string
}

export type Ownership =
  | { readonly kind: 'ours'; readonly release: () => Promise<void> }
  | { readonly kind: 'theirs'; readonly owner: Owner }
  /** The folder takes no files: then nobody else keeps anything there either. */
  | { readonly kind: 'unkept' }

const FILE = 'owner.lock'

/** Makes this process the owner of the folder, unless a living one is. link(2) succeeds for one of many. */
export async function own(folder: string, socket: string | undefined): Promise<Ownership> {
  const path = join(folder, FILE)
  const ours = JSON.stringify({ ...(await describe(process.pid)), ...(socket !== undefined && { socket }) })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(temporary, ours, { mode: 0o600, flag: 'wx' })
  } catch {
    return { kind: 'unkept' }
  }
  try {
    for (;;) {
      if (await links(temporary, path)) return { kind: 'ours', release: async () => release(path, ours) }
      const text = await readFile(path, 'utf8').catch(() => undefined)
      if (text === undefined) continue
      const owner = parse(text)
      if (owner !== undefined && (await isAlive(owner))) return { kind: 'theirs', owner }
      await takeAway(path, text)
    }
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

const links = async (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/** A dead owner's file goes out of the way under a name of its own; if it was another's by then, it is put back. */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}.stale`
  try {
    await rename(path, aside)
  } catch {
    return // somebody was faster
  }
  if ((await readFile(aside, 'utf8').catch(() => stale)) !== stale)
    await link(aside, path).catch(() => undefined)
  await unlink(aside).catch(() => undefined)
}

async function release(path: string, ours: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => '')) === ours) await unlink(path).catch(() => undefined)
}

function parse(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner
    return typeof owner.pid === 'number' ? owner : undefined
  } catch {
    return undefined
  }
}

async function isAlive(owner: Owner): Promise<boolean> {
  const now = await describe(owner.pid)
  return now !== undefined && now.boot === owner.boot && now.startedAt === owner.startedAt
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
