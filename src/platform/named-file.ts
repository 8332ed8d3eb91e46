import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { err, ok, type Result } from '../base/result.ts'

const CHUNK = 16 * 1024

export const MISSING = 'there is no such file'

/**
 * The text of a file that a user named. Regular files only, and not beyond `most` bytes: a pipe without a writer, or
 * a device without an end, would block its reader for ever.
 */
export async function readNamedFile(path: string, most: number): Promise<Result<string, string>> {
  try {
    const file = await openFile(path)
    try {
      return await readUpTo(file, most)
    } finally {
      await file.close()
    }
  } catch (error) {
    return err(wordsFor(error as NodeJS.ErrnoException))
  }
}

/** The whole text of a file that is ours. Rejects with EFTYPE for a pipe, a socket and a device, and never waits for one. */
export async function readOwnFile(path: string): Promise<string> {
  const file = await openFile(path)
  try {
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  refuseOther(await stat(path))
  // What stood there a moment ago may be a pipe by now.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    refuseOther(await file.stat())
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

function refuseOther(found: Stats): void {
  const kind = kindOf(found)
  if (kind === undefined) return
  throw Object.assign(new Error(kind), { code: found.isDirectory() ? 'EISDIR' : 'EFTYPE' })
}

async function readUpTo(file: FileHandle, most: number): Promise<Result<string, string>> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(CHUNK) })
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > most) return err(`this is larger than ${most / 1024} KiB`)
    if (bytesRead === 0) return ok(Buffer.concat(chunks).toString('utf8'))
  }
}

/** What it is, where it is no file. */
function kindOf(found: Stats): string | undefined {
  if (found.isFile()) return undefined
  if (found.isDirectory()) return 'this is a folder'
  if (found.isFIFO()) return 'this is a pipe; a file is needed'
  return found.isSocket() ? 'this is a socket; a file is needed' : 'this is a device; a file is needed'
}

function wordsFor({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return MISSING
  if (code === 'EISDIR' || code === 'EFTYPE') return message
  return code === 'EACCES' || code === 'EPERM' ? 'this user may not read it' : `cannot be read: ${message}`
}
