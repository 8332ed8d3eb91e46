import { userAgentOf } from '../app/client/jobs.ts'
import type { ResolvedSettings } from '../app/client/settings.ts'
import { formatDuration } from '../base/time.ts'
import { CLIENT_SETTINGS } from '../config/client-settings.ts'
import { fileKeyOf } from '../config/setting.ts'
import { formatSource } from '../config/source.ts'
import type { Prefix } from '../net/prefix.ts'

type Shown = Readonly<Record<string, unknown>>

/** Secrets print as «secret» by their type; spans as people write them. */
export function inForce(settings: ResolvedSettings): Shown {
  const { config, accounts, stateDir } = settings
  const spans = ['interval', 'connectTimeout', 'responseTimeout', 'refresh']
  const plain = (values: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]: [string, unknown]) => [
        fileKeyOf(key),
        spans.includes(key) ? formatDuration(value as Parameters<typeof formatDuration>[0]) : value,
      ]),
    )
  return {
    ...plain(
      Object.fromEntries(
        Object.keys(CLIENT_SETTINGS).map((key) => [key, config[key as keyof typeof config]]),
      ),
    ),
    sources: (config.sources ?? []).map((spec) => formatSource(spec)),
    user_agent: userAgentOf(settings),
    state_dir: stateDir,
    runtime_dir: settings.runtimeDir,
    account: accounts.map(({ authorities: _authorities, places: _places, hosts, ...account }) =>
      plain({ ...account, hosts: hosts.map(({ places: _, ...host }) => host) }),
    ),
  }
}

/** The same for people: a setting a line, as the file would have it. */
export function tomlLines(shown: Shown): readonly string[] {
  const { account, ...top } = shown as { readonly account: readonly Shown[] }
  return [...linesOf(top), ...account.flatMap(accountLines)]
}

function accountLines({ hosts, ...settings }: Shown): readonly string[] {
  const tables = (hosts as readonly Shown[]).flatMap((host) => [
    '',
    '[[account.host]]',
    ...linesOf(withSuffix(host)),
  ])
  return ['', '[[account]]', ...linesOf(settings), ...tables]
}

/** A MAC address is known as the host part that comes of it. */
const withSuffix = ({ mac, prefixLength, ...host }: Shown): Shown => ({
  ...host,
  ...(mac !== undefined && { suffix: { address: mac, length: prefixLength } }),
})

const linesOf = (settings: Shown): readonly string[] =>
  Object.entries(settings).flatMap(([key, value]) =>
    value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [`${fileKeyOf(key)} = ${toml(value)}`],
  )

const isPrefix = (value: object): value is Prefix => 'address' in value && 'length' in value

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`
  const plain: unknown = JSON.parse(JSON.stringify(value))
  if (typeof plain !== 'object' || plain === null) return JSON.stringify(plain)
  return isPrefix(plain) ? JSON.stringify(`${plain.address}/${plain.length}`) : toml(Object.values(plain))
}
