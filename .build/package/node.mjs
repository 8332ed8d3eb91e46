/** The Node that packages of the service bring: the one that this checkout is tested with, without its symbols. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** For strip(1) of another architecture. */
const STRIP = { x64: ['x86_64-linux-gnu-strip', 'strip'], arm64: ['aarch64-linux-gnu-strip'] }

/** The folder of the locked npm package; npm installs only that of this machine, so the other one is fetched and checked. */
function packageFor(root, cpu) {
  const name = `node-linux-${cpu}`
  const installed = join(root, 'node_modules', name)
  if (existsSync(join(installed, 'bin/node'))) return { folder: installed, isTemporary: false }
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ]
  if (lock === undefined) throw new Error(`${name} is not locked`)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-node-'))
  // npm checks the archive against the hash of the registry, and it must be the locked one.
  const [packed] = JSON.parse(
    execFileSync(
      'npm',
      [
        'pack',
        `${name}@${lock.version}`,
        '--json',
        '--silent',
        '--prefer-offline',
        '--pack-destination',
        folder,
      ],
      { encoding: 'utf8', cwd: folder },
    ),
  )
  if (packed.integrity !== lock.integrity) throw new Error(`${name} is not the one that is locked`)
  execFileSync('tar', ['xf', join(folder, packed.filename), '--strip-components=1', '-C', folder])
  return { folder, isTemporary: true }
}

export function strippedNode(root, cpu) {
  const { folder, isTemporary } = packageFor(root, cpu)
  const work = mkdtempSync(join(tmpdir(), 'holdfast-strip-'))
  try {
    const to = join(work, 'node')
    const strip = STRIP[cpu].find((name) => existsSync(`/usr/bin/${name}`))
    if (strip === undefined)
      throw new Error(
        `${STRIP[cpu][0]} is missing; install binutils${cpu === 'arm64' ? '-aarch64-linux-gnu' : ''}`,
      )
    execFileSync(strip, ['--strip-all', '-o', to, join(folder, 'bin/node')])
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return {
      node: readFileSync(to),
      nodeVersion: version,
      nodeLicence: readFileSync(join(folder, 'LICENSE')),
    }
  } finally {
    rmSync(work, { recursive: true })
    if (isTemporary) rmSync(folder, { recursive: true })
  }
}
