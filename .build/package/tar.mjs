/** Archives by GNU tar from a tree; the same input gives the same octets. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzip } from './deb.mjs'
import { plant } from './tree.mjs'

/**
 * `owner`: the number of the user and the group of everything. `paths`: only what is below these, without their parents.
 * `hasFolders`: without them, nothing that exists where the archive is unpacked is replaced by a folder.
 */
export function tarOf(files, epoch, { owner = 0, paths, hasFolders = true } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-tar-'))
  try {
    plant(root, files, epoch)
    const tops = !hasFolders
      ? Object.keys(files).sort()
      : (paths ?? [...new Set(Object.keys(files).map((path) => path.split('/')[0]))].sort())
    const fixed = [
      '--sort=name',
      `--owner=${owner}`,
      `--group=${owner}`,
      '--numeric-owner',
      '--format=ustar',
      `--mtime=@${epoch}`,
    ]
    return execFileSync('tar', [...fixed, '-C', root, '-c', ...tops], {
      maxBuffer: 1024 ** 3,
      env: { ...process.env, LC_ALL: 'C' },
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

export const makeTar = (to, files, { epoch, ...options }) =>
  writeFileSync(to, gzip(tarOf(files, epoch, options)))
