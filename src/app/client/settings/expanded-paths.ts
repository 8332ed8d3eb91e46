import { err, ok, type Result } from '../../../base/result.ts'
import type { ClientConfig } from '../../../config/read-client.ts'
import { fileKeyOf, formatComplaint } from '../../../config/setting.ts'
import { expandHome } from '../../home.ts'

/** The settings with the home folder in the place of "~" in every path. */
export function expandPaths(config: ClientConfig): Result<ClientConfig, readonly string[]> {
  const wrong: string[] = []
  const expanded = <K extends string>(
    values: { readonly [key in K]?: string | undefined },
    places: ClientConfig['places'],
    ...keys: readonly K[]
  ): { readonly [key in K]?: string } =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = values[key]
        if (value === undefined) return []
        const path = expandHome(value)
        if (!path.ok)
          wrong.push(
            formatComplaint({ where: places[key] ?? '', problem: `${fileKeyOf(key)} ${path.error}` }),
          )
        return path.ok ? [[key, path.value]] : []
      }),
    ) as { readonly [key in K]?: string }
  const accounts = config.accounts.map((account) => ({
    ...account,
    ...expanded(account, account.places, 'passwordFile', 'caFile', 'webhookSecretFile'),
  }))
  const all = {
    ...config,
    ...expanded(config, config.places, 'stateDir', 'runtimeDir', 'pagePasswordFile', 'metricsFile'),
    accounts,
  }
  return wrong.length > 0 ? err(wrong) : ok(all)
}
