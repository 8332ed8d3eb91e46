import { constants, type Stats } from 'node:fs'
import { err, ok, type Result } from '../../base/result.ts'
import { denial, isDenial } from './folder.ts'
import { closeFile, fstat, openFile, read, readAll, stat } from './promises.ts'

const CHUNK_BYTES = 16 * 1024

export const MISSING_FILE = 'there is no such file'
export const DENIED_FILE = 'this user may not read it'

/**
 * Reads a file that a user named. Accepts regular files of at most `maxBytes`: a pipe without a writer or an endless
 * device would block forever. The error is a sentence without the path.
 */
export async function readNamedFile(path: string, maxBytes: number): Promise<Result<string, string>> {
  try {
    return await withFile(path, async (file) => readText(file, maxBytes))
  } catch (error) {
    const owner = isDenial(error as NodeJS.ErrnoException) ? await denial(path) : undefined
    return err(`${explain(error as NodeJS.ErrnoException)}${owner === undefined ? '' : `: ${owner}`}`)
  }
}

/** The whole text of a file of this program. Rejects with EFTYPE for a pipe, a socket and a device, without blocking. */
export const readOwnFile = async (path: string): Promise<string> =>
  withFile(path, async (file) => readAll(file, 'utf8'))

async function withFile<T>(path: string, use: (file: number) => Promise<T>): Promise<T> {
  const file = await openRegular(path)
  try {
    return await use(file)
  } finally {
    await closeFile(file)
  }
}

async function openRegular(path: string): Promise<number> {
  requireFile(await stat(path))
  // O_NONBLOCK: the path may lead to a pipe since.
  const file = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    requireFile(await fstat(file))
    return file
  } catch (error) {
    await closeFile(file)
    throw error
  }
}

function requireFile(stats: Stats): void {
  const problem = typeProblem(stats)
  if (problem === undefined) return
  throw Object.assign(new Error(problem), { code: stats.isDirectory() ? 'EISDIR' : 'EFTYPE' })
}

async function readText(file: number, maxBytes: number): Promise<Result<string, string>> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { bytesRead, buffer } = await read(file, Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, null)
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > maxBytes) return err(`this is larger than ${maxBytes / 1024} KiB`)
    if (bytesRead === 0) return ok(Buffer.concat(chunks).toString('utf8'))
  }
}

/** What the path leads to, where it is not a regular file. */
function typeProblem(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'this is a folder'
  if (stats.isFIFO()) return 'this is a pipe; a file is needed'
  return stats.isSocket() ? 'this is a socket; a file is needed' : 'this is a device; a file is needed'
}

function explain(error: NodeJS.ErrnoException): string {
  const { code, message } = error
  if (code === 'ENOENT' || code === 'ENOTDIR') return MISSING_FILE
  if (code === 'EISDIR' || code === 'EFTYPE') return message
  return isDenial(error) ? DENIED_FILE : `cannot be read: ${message}`
}
