import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** In bytes: a hundred stores in PostgreSQL, and some. */
const ENOUGH = 2 ** 31

/**
 * A new folder in memory where that can be: each commit waits for the disk, and a busy one takes a minute to delete the
 * files of a server.
 */
export const memoryFolder = (prefix: string): string =>
  mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), prefix))

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ENOUGH
  } catch {
    // A system without one.
    return false
  }
}
