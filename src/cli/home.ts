import { homedir } from 'node:os'
import { join } from 'node:path'
import { path as pathReader } from '../config/reader.ts'
import type { ClientConfig } from '../config/read-client.ts'
import { fileKeyOf, formatComplaint } from '../config/setting.ts'
import { type Result, err, ok } from '../base/result.ts'

/** A path with "~" for the home folder of the user who runs this. */
export function atHome(path: string): Result<string, string> {
  const read = pathReader.read(path)
  if (!read.ok) return read
  if (path !== '~' && !path.startsWith('~/')) return ok(path)
  const home = homeFolder()
  return home === undefined
    ? err('"~" stands for the home folder, and this user has none; write the whole path')
    : ok(join(home, path.slice(1)))
}

/** A user id without an entry in the password file has none. */
function homeFolder(): string | undefined {
  try {
    const home = homedir()
    return home === '' ? undefined : home
  } catch {
    return undefined
  }
}

/** Every path of the settings with the home folder in the place of "~". */
export function withHome(config: ClientConfig): Result<ClientConfig, readonly string[]> {
  const wrong: string[] = []
  const whole = <K extends string>(
    values: { readonly [key in K]?: string | undefined },
    places: ClientConfig['places'],
    ...keys: readonly K[]
  ): { readonly [key in K]?: string } =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const given = values[key]
        if (given === undefined) return []
        const path = atHome(given)
        if (!path.ok)
          wrong.push(formatComplaint({ where: places[key] ?? '', says: `${fileKeyOf(key)} ${path.error}` }))
        return path.ok ? [[key, path.value]] : []
      }),
    ) as { readonly [key in K]?: string }
  const accounts = config.accounts.map((account) => ({
    ...account,
    ...whole(account, account.places, 'passwordFile', 'caFile'),
  }))
  const all = { ...config, ...whole(config, config.places, 'stateDir', 'runtimeDir'), accounts }
  return wrong.length > 0 ? err(wrong) : ok(all)
}
