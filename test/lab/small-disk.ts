import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly folder: string
  /** Takes all that is left. */
  readonly fill: () => void
  /** Gives it back. */
  readonly free: () => void
  readonly end: () => void
}

/** Whether this process may mount a file system. */
export const mayMount = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

/** A file system of so many MiB. */
export function smallDisk(size: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=755`, 'none', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      for (const step of [1 << 20, 1 << 12, 1])
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(step), { flag: 'a' })
        } catch {
          // Nothing of this size fits any more.
        }
    },
    free: () => rmSync(filler),
    end: () => {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true })
    },
  }
}
