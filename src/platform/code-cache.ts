import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A file of the program that was compiled in this process, because no compiled form of it was found. */
interface Compiled {
  readonly script: Script
  readonly source: string
  readonly path: string
}

/**
 * From now on the program's files are compiled with the code that an earlier run left in the folder; what is missing there
 * is added when the process ends. V8 does not check such code and crashes on damaged code, so each file carries a digest,
 * and nothing is taken that another user could have written. Without a folder that can be used, everything is compiled.
 */
export function cacheCode(folder: string, uid: number): void {
  if (isForeign(folder, uid)) return
  const compiled: Compiled[] = []
  createRequire(join(folder, '_')).extensions['.cjs'] = (module, file) => {
    const [source, path] = [readFileSync(file, 'utf8'), join(folder, `${basename(file)}.bin`)]
    const cachedData = codeIn(path, source, uid)
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename: file,
      ...(cachedData !== undefined && { cachedData }),
    })
    if (script.cachedDataRejected !== false) compiled.push({ script, source, path })
    const body = script.runInThisContext() as (...given: readonly unknown[]) => void
    const load = (name: string): unknown => module.require(name)
    body.call(module.exports, module.exports, load, module, file, dirname(file))
  }
  // At the end, because functions are compiled when they are first called.
  process.on('exit', () => keep(folder, uid, compiled))
}

/** Whether other users could put code into it, or it may not even be looked at. A folder that is not there yet can be made. */
function isForeign(folder: string, uid: number): boolean {
  try {
    const found = statSync(folder, { throwIfNoEntry: false })
    return found !== undefined && !(found.isDirectory() && isOwn(found, uid))
  } catch {
    return true
  }
}

const isOwn = ({ uid: owner, mode }: Stats, uid: number): boolean => owner === uid && (mode & 0o022) === 0

const DIGEST = 32
const digestOf = (source: string, code: Uint8Array): Buffer =>
  createHash('sha256').update(`${process.version} ${process.arch}\0${source}\0`).update(code).digest()

function codeIn(path: string, source: string, uid: number): Buffer | undefined {
  const bytes = ownBytes(path, uid)
  const code = bytes?.subarray(DIGEST)
  if (bytes === undefined || code === undefined) return undefined
  return digestOf(source, code).equals(bytes.subarray(0, DIGEST)) ? code : undefined
}

/** The content of a file that this user owns and no other user can write; undefined for any other path. */
function ownBytes(path: string, uid: number): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const found = fstatSync(file)
    return found.isFile() && isOwn(found, uid) ? readFileSync(file) : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** A cache that cannot be written is no trouble: what fails here costs time at the next start, and no more. */
function keep(folder: string, uid: number, compiled: readonly Compiled[]): void {
  if (compiled.length === 0) return
  try {
    // A user's `.cache` is made too; /var/cache would be another's to make, and a home folder that is missing stays missing.
    for (const one of uid === 0 ? [folder] : [dirname(folder), folder]) makeFolder(one)
    if (isForeign(folder, uid)) return
    for (const one of compiled) write(one)
  } catch {
    // Read-only, full, or removed.
  }
}

function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: 0o700 })
}

/** Always by the same name, so that a run that was killed leaves one file. If two runs write at once, the digest tells. */
function write({ script, source, path }: Compiled): void {
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    const code = script.createCachedData()
    writeFileSync(file, Buffer.concat([digestOf(source, code), code]))
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
}
