import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'

/** Where the daemon of the system keeps its things (systemd/holdfast.service). */
export const SYSTEM = {
  config: '/etc/holdfast',
  state: '/var/lib/holdfast',
  runtime: '/run/holdfast',
} as const

const may = async (path: string, mode: number): Promise<'yes' | 'no' | 'absent'> =>
  access(path, mode).then(
    () => 'yes',
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'absent' : 'no'),
  )

/** The configuration of the system's daemon, for a user other than root: a path, or why there is none for this user. */
export async function systemFile(names: readonly string[]): Promise<Result<string | undefined, string>> {
  for (const path of names.map((name) => join(SYSTEM.config, name))) {
    const answer = await may(path, constants.R_OK)
    if (answer === 'no') return err(`${path}: only the system's own user may read it; use sudo`)
    if (answer === 'yes') return ok(path)
  }
  return ok(undefined)
}

/** Why this user cannot ask the system's daemon how things stand; undefined where it may be asked. */
export async function systemAccessProblem(): Promise<string | undefined> {
  const socket = await may(join(SYSTEM.runtime, 'control.sock'), constants.R_OK | constants.W_OK)
  if (socket === 'yes') return undefined
  const state = await may(join(SYSTEM.state, 'state.json'), constants.R_OK)
  if (socket === 'absent' && state !== 'no') return undefined
  const closed = socket === 'no' ? SYSTEM.runtime : SYSTEM.state
  return `the daemon of this system runs as another user, and only root may look into ${closed}; use sudo`
}

/** For commands that send. Two clients must not send for one key, so the system's configuration is taken only by name. */
export const systemConfigIgnored = (path: string): string =>
  `${path} is the configuration of the system's daemon and is not taken for another user: use sudo, or name it with --config`
