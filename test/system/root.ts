import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { whyNoMachine } from './machine.ts'

/** What a Debian with systemd, Node, a user's own manager, and what our packages depend on is made of. */
const PACKAGES =
  'systemd systemd-sysv dbus dbus-user-session libpam-systemd login nodejs ca-certificates libatomic1 iproute2 procps'

/** As Debian installs it; and without ping, and the recommended packages for systemd's dynamic users and for who may ping. */
const ROOTS = {
  full: `${PACKAGES} libnss-systemd iputils-ping linux-sysctl-defaults`,
  minimal: PACKAGES,
} as const

const SUITE = 'trixie'
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast-ci')

export type Roots = Readonly<Record<keyof typeof ROOTS, string>>

/** The roots to boot, made now if they are not there; words where this host can do neither. */
export function makeRoots(): Roots | string {
  const reason = whyNoMachine()
  if (reason !== undefined) return reason
  try {
    return { full: rootFolder(ROOTS.full), minimal: rootFolder(ROOTS.minimal) }
  } catch (error) {
    return `no Debian can be made: ${(error as Error).message}`
  }
}

/** The folder of a root file system, made once and kept outside the checkout. Throws with what mmdebstrap said last. */
function rootFolder(packages: string): string {
  const folder = join(CACHE, `${SUITE}-${createHash('sha256').update(packages).digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const fresh = `${folder}.${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  const { status, stderr, error } = spawnSync(
    'mmdebstrap',
    ['--variant=minbase', `--include=${packages.replaceAll(' ', ',')}`, SUITE, fresh, ...mirror()],
    { encoding: 'utf8' },
  )
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    const isMissing = error !== undefined && 'code' in error && error.code === 'ENOENT'
    if (isMissing) throw new Error('mmdebstrap is not installed')
    throw new Error(error?.message ?? stderr.trim().split('\n').slice(-3).join('; '))
  }
  try {
    renameSync(fresh, folder)
  } catch (error) {
    // Another process was faster.
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** Where this host has its own packages from, if it is a Debian; else mmdebstrap's own choice. */
function mirror(): readonly string[] {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(LABEL) $(REPO_URI)'], {
    encoding: 'utf8',
  })
  const [, uri] = /^Debian (\S+)$/m.exec(stdout ?? '') ?? []
  return uri === undefined ? [] : [uri]
}
