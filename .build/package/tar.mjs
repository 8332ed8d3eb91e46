/** Archives by GNU tar from a tree; the same input gives the same octets. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzip } from './deb.mjs'
import { plant } from './tree.mjs'

const FIXED = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=ustar']

export function makeTar(to, files, epoch) {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-tar-'))
  try {
    plant(root, files, epoch)
    const tops = [...new Set(Object.keys(files).map((path) => path.split('/')[0]))].sort()
    const archive = execFileSync('tar', [...FIXED, `--mtime=@${epoch}`, '-C', root, '-c', ...tops], {
      maxBuffer: 1024 ** 3,
      env: { ...process.env, LC_ALL: 'C' },
    })
    writeFileSync(to, gzip(archive))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
