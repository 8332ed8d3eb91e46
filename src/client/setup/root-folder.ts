import type { Stats } from 'node:fs'
import { chown, lchown, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from '../../shared/program/paths.ts'
import { SYSTEM } from '../settings/system-config.ts'

/** systemd.exec(5), DynamicUser=: the users that systemd makes for units. */
const DYNAMIC_USERS = { first: 61_184, last: 65_519 } as const

/**
 * Gives /etc/holdfast to root, where systemd has made it for the user of a unit: the commands of root do what the settings
 * there say. The postinst scripts of the packages do the same (decision 0067). Returns what it had to
 * change, for the person.
 */
export async function giveToRoot(): Promise<readonly string[]> {
  const folder = SYSTEM.config
  const found = isRoot() ? await stat(folder).catch(() => undefined) : undefined
  if (found === undefined) return []
  const isForeign = ({ uid }: Stats): boolean =>
    uid !== 0 && (uid === found.uid || (uid >= DYNAMIC_USERS.first && uid <= DYNAMIC_USERS.last))
  const lines: string[] = []
  if (found.uid !== 0) lines.push(`${folder} belonged to user ${found.uid}; it belongs to root now`)
  await chown(folder, 0, 0)
  for (const path of (await readdir(folder)).map((name) => join(folder, name))) {
    const one = await lstat(path)
    if (!isForeign(one)) continue
    await lchown(path, 0, 0)
    lines.push(`${path} was written by user ${one.uid}; it belongs to root now: check its contents`)
  }
  return lines
}
