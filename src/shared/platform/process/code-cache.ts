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
import type { Script } from 'node:vm'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A file of the program that was compiled in this process, because the cache did not have it. */
interface Compiled {
  readonly script: Script
  readonly source: Buffer
  readonly path: string
}

/**
 * Loads the program's files with the compiled code of an earlier run, and adds what is missing to the folder when the
 * process ends. V8 does not check cached code and crashes on damaged code, so each cache file contains a digest, and a
 * file that another user could have written is not used. If the folder cannot be used, everything is compiled.
 */
export function cacheCode(folder: string, uid: number): void {
  if (isForeign(folder, uid)) return
  // Loaded here, because --version needs neither.
  const { Script: Compiler } = process.getBuiltinModule('node:vm')
  const compiled: Compiled[] = []
  createRequire(join(folder, '_')).extensions['.cjs'] = (module, file) => {
    const [source, path] = [readFileSync(file), join(folder, `${basename(file)}.bin`)]
    const cachedData = codeIn(path, source, uid)
    const script = new Compiler(wrapped(source), {
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

/** Joined as octets, because V8 would copy a concatenated text as a whole before it uses it. */
const wrapped = (source: Buffer): string => Buffer.concat([BEFORE, source, BEHIND]).toString()
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) { ')
const BEHIND = Buffer.from('\n})')

/**
 * Whether other users can write to the folder, or this user cannot read it. A
 * missing folder is not foreign: it can be created.
 */
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
function digestOf(source: Uint8Array, code: Uint8Array): Buffer {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(`${process.version} ${process.arch} ${source.length}\0`)
    .update(source)
    .update(code)
    .digest()
}

function codeIn(path: string, source: Uint8Array, uid: number): Buffer | undefined {
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

/** A cache that cannot be written is not an error: the next start only takes longer. */
function keep(folder: string, uid: number, compiled: readonly Compiled[]): void {
  if (compiled.length === 0) return
  try {
    // A user's `.cache` is created too. /var/cache and a missing home folder are not created.
    for (const one of uid === 0 ? [folder] : [dirname(folder), folder]) makeFolder(one)
    if (isForeign(folder, uid)) return
    for (const one of compiled) writeCode(one)
  } catch {
    // Read-only, full, or removed.
  }
}

function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: 0o700 })
}

/**
 * The name is always the same, so a killed run leaves only one file. The
 * digest detects two runs that write at the same time.
 */
function writeCode({ script, source, path }: Compiled): void {
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
