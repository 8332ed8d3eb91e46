import { userAgentOf } from '../jobs.ts'
import type { ClientAccount, ResolvedSettings } from '../../settings/settings.ts'
import { formatDuration } from '../../../shared/base/time.ts'
import { CLIENT_SETTINGS } from '../../settings/client-settings.ts'
import { formatDnsEndpoint } from '../../../shared/settings/dns-endpoint.ts'
import { formatPageListener } from '../../settings/page-settings.ts'
import { foreignKeys, isPreset } from '../../settings/protocol-checks.ts'
import type { ReplyLists } from '../../services/providers/provider.ts'
import { fileKeyOf, type ValuePlaces } from '../../../shared/settings/setting.ts'
import { formatSource } from '../../detect/sources/spec.ts'
import { formatBody, formatPattern, formatTemplate, formatUrl } from '../../services/template.ts'
import type { Prefix } from '../../../shared/base/prefix.ts'

type Values = Readonly<Record<string, unknown>>
interface EffectiveSettings extends Values {
  readonly account: readonly Values[]
}

const DURATIONS: readonly string[] = [
  'interval',
  'connectTimeout',
  'responseTimeout',
  'refresh',
  'minGap',
  'healthEvery',
  'ttl',
]

/** The effective settings by their keys in the file. Secrets print as «secret» because of their type. */
export function effectiveSettings(settings: ResolvedSettings): EffectiveSettings {
  const { config, accounts, stateDir, runtimeDir } = settings
  const client = Object.keys(CLIENT_SETTINGS).map((key) => [key, config[key as keyof typeof config]])
  return {
    ...fileValues(Object.fromEntries(client)),
    sources: (config.sources ?? []).map((spec) => formatSource(spec)),
    ...(config.page !== undefined && { page: formatPageListener(config.page) }),
    user_agent: userAgentOf(settings),
    state_dir: stateDir,
    runtime_dir: runtimeDir,
    account: accounts.map(
      ({
        authorities: _authorities,
        webhookSecret: _key,
        webhookToken: _token,
        mailPassword: _password,
        places,
        makeProtocol: _protocol,
        hosts,
        ...account
      }) =>
        fileValues({
          ...account,
          parameters: account.parameters.map((pair) => pair.join('=')),
          ...(account.verifyServers && { verifyServers: account.verifyServers.map(formatDnsEndpoint) }),
          ...ofUrl(account),
          ...fromUrl(places),
          ...Object.fromEntries(foreignKeys(account).map((key) => [key, undefined])),
          hosts: hosts.map(({ places: _, ...host }) => host),
        }),
    ),
  }
}

/** What follows from `url` would contradict it. */
const fromUrl = ({ url, server, username }: ValuePlaces): Values => ({
  ...(url !== undefined && server === url && { server: undefined }),
  ...(url !== undefined && username === url && { username: undefined }),
})

/** Settings that have an effect only together with `url`. */
const ofUrl = ({
  url,
  ipv6Url,
  body,
  ...account
}: Pick<ClientAccount, 'url' | 'ipv6Url' | 'body' | 'method' | 'headers' | keyof ReplyLists>): Values =>
  url === undefined
    ? {}
    : {
        url: formatUrl(url),
        ipv6Url: ipv6Url && formatUrl(ipv6Url),
        body: body && formatBody(body),
        headers: account.headers.map(([name, value]) => `${name}: ${formatTemplate(value)}`),
        success: account.success.map(formatPattern),
        unchanged: account.unchanged.map(formatPattern),
        wait: account.wait.map(formatPattern),
        stop: account.stop.map(([pattern, word]) => `${formatPattern(pattern)}=${word}`),
      }

const fileValues = (values: object): Values =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]: [string, unknown]) => [
      fileKeyOf(key),
      DURATIONS.includes(key) && value !== undefined
        ? formatDuration(value as Parameters<typeof formatDuration>[0])
        : value,
    ]),
  )

/** The same as TOML, one setting a line. */
export const formatToml = (
  { account, ...client }: EffectiveSettings,
  { accounts }: Pick<ResolvedSettings, 'accounts'>,
): readonly string[] => [
  ...settingLines(client),
  ...account.flatMap((one, at) => accountLines(one, accounts[at]?.places ?? {})),
]

/** Where a setting of the account comes from a preset, its line says so. */
function accountLines({ hosts, ...settings }: Values, places: ValuePlaces): readonly string[] {
  const origins = Object.fromEntries(
    Object.entries(places).flatMap(([key, place]) => (isPreset(place) ? [[fileKeyOf(key), place]] : [])),
  )
  const tables = (hosts as readonly Values[]).flatMap((host) => [
    '',
    '[[account.host]]',
    ...settingLines(withSuffix(host)),
  ])
  return ['', '[[account]]', ...settingLines(settings, origins), ...tables]
}

/** A MAC address is stored as the host part that EUI-64 derives from it. */
const withSuffix = ({ mac, prefixLength, ...host }: Values): Values => ({
  ...host,
  ...(mac !== undefined && { suffix: { address: mac, length: prefixLength } }),
})

const settingLines = (settings: Values, origins: ValuePlaces = {}): readonly string[] =>
  Object.entries(settings).flatMap(([key, value]) =>
    value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [`${fileKeyOf(key)} = ${toml(value)}${origins[key] === undefined ? '' : ` # from ${origins[key]}`}`],
  )

const isPrefix = (value: object): value is Prefix => 'address' in value && 'length' in value

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`
  const plain: unknown = JSON.parse(JSON.stringify(value))
  if (typeof plain !== 'object' || plain === null) return JSON.stringify(plain)
  return isPrefix(plain) ? JSON.stringify(`${plain.address}/${plain.length}`) : toml(Object.values(plain))
}
