import { constants } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { STATE_FILE } from '../decide/file-name.ts'
import { access } from '../../shared/platform/files/promises.ts'

/** The configuration file in its folder, in the order in which the names are tried. */
export const CONFIG_NAMES = ['holdfast.toml', 'holdfast.json'] as const
/** The socket of a daemon in its runtime folder. */
export const CONTROL_SOCKET = 'control.sock'

/** The folders of the system's daemon (systemd/holdfast.service). */
export const SYSTEM = {
  config: '/etc/holdfast',
  state: '/var/lib/holdfast',
  runtime: '/run/holdfast',
} as const

const accessTo = async (path: string, mode: number): Promise<'yes' | 'no' | 'absent'> =>
  access(path, mode).then(
    () => 'yes',
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'absent' : 'no'),
  )

/** The path of the configuration of the system's daemon, or why this user cannot read it. */
export async function systemFile(names: readonly string[]): Promise<Result<string | undefined, string>> {
  for (const path of names.map((name) => join(SYSTEM.config, name))) {
    const answer = await accessTo(path, constants.R_OK)
    if (answer === 'no') return err(`${path} is readable by the user of the system's daemon only; use sudo`)
    if (answer === 'yes') return ok(path)
  }
  return ok(undefined)
}

/** Why this user cannot read the status of the system's daemon; undefined where it can. */
export async function systemAccessProblem(): Promise<string | undefined> {
  const socket = await accessTo(join(SYSTEM.runtime, CONTROL_SOCKET), constants.R_OK | constants.W_OK)
  if (socket === 'yes') return undefined
  const state = await accessTo(join(SYSTEM.state, STATE_FILE), constants.R_OK)
  if (socket === 'absent' && state !== 'no') return undefined
  const closed = socket === 'no' ? SYSTEM.runtime : SYSTEM.state
  return `the system's daemon runs as another user, and ${closed} is readable by that user and root only; use sudo`
}

/** For commands that send: two clients must not send for one key, so this file is used only if the user names it. */
export const systemConfigIgnored = (path: string): string =>
  `${path} is the configuration of the system's daemon and is not used for another user; use sudo, or name it with --config`
