import { providerCalled, presetServer } from '../services/providers/providers.ts'
import type { Provider } from '../services/providers/provider.ts'
import type { Secret } from '../../shared/base/secret.ts'
import { accountSlug, type ConfigDraft, type DraftAccount } from './draft.ts'

/** Which addresses of this host are published. */
export type PublishedFamilies = 'both' | 'ipv4' | 'ipv6'

/** What a new account needs; undefined where it is not known yet. */
export interface SetupAnswers {
  readonly provider?: string | undefined
  /** The origin of a service that is not known by name. */
  readonly server?: string | undefined
  /** Where the service has another path than that of the protocol. */
  readonly path?: string | undefined
  readonly username?: string | undefined
  readonly password?: Secret | undefined
  readonly apiKey?: Secret | undefined
  readonly hostnames?: readonly string[] | undefined
  /** At services that number their records. */
  readonly record?: string | undefined
  /** The order of lines, each as in the setting `interface`. */
  readonly interfaces?: readonly string[] | undefined
  readonly families?: PublishedFamilies | undefined
  readonly contact?: string | undefined
}

/** One answer that is missing, with the flag that gives it. */
interface MissingAnswer {
  readonly flag: string
  readonly what: string
}

/** Its requests name the record by a number. */
export const needsRecord = (preset: Provider | undefined): boolean =>
  preset?.settings['url']?.includes('{record}') === true

/** All answers that an account cannot do without. */
export function missingAnswers(answers: SetupAnswers): readonly MissingAnswer[] {
  const preset = answers.provider === undefined ? undefined : providerCalled(answers.provider)
  const hasServer = answers.server !== undefined || presetServer(preset) !== undefined
  // biome-ignore format: a table
  const rows: readonly (readonly [isMissing: boolean, flag: string, what: string])[] = [
    [!hasServer && preset === undefined,         '--provider NAME or --server ADDRESS', 'the update service; holdfast providers lists those that are known by name'],
    [!hasServer && preset !== undefined,         '--server ADDRESS',     `the address of your ${preset?.name}`],
    [answers.username === undefined && preset?.hasNoUsername !== true, '--username NAME',      preset?.username ?? 'the username of the DDNS key'],
    [answers.password === undefined,             '--password-file FILE', `${preset?.password ?? 'the password of the DDNS key'}; - reads standard input`],
    [answers.apiKey === undefined && preset?.apiKey !== undefined && preset.isApiKeyOptional !== true, '--api-key-file FILE', preset?.apiKey ?? ''],
    [answers.record === undefined && needsRecord(preset), '--record NUMBER', 'the number of the record'],
    [(answers.hostnames ?? []).length === 0,     '--hostname NAME',      'the hostnames to keep up to date; repeatable'],
  ]
  return rows.flatMap(([isMissing, flag, what]) => (isMissing ? [{ flag, what }] : []))
}

/** The new account, and the settings of the program that go with it. */
export function draftOfAnswers(answers: SetupAnswers): ConfigDraft {
  const { provider, server, path, username, hostnames = [], families = 'both' } = answers
  const { password, apiKey, record, contact, interfaces = [] } = answers
  const preset = provider === undefined ? undefined : providerCalled(provider)
  const isIpv6Off = preset?.settings['ipv6'] === 'false'
  const account: DraftAccount = {
    name: provider ?? accountSlug(server === undefined ? (username ?? '') : new URL(server).hostname),
    settings: {
      ...(provider !== undefined && { provider }),
      ...(server !== undefined && { server }),
      ...(path !== undefined && { path }),
      ...(username !== undefined && { username }),
      hostnames,
      ...(record !== undefined && { record }),
      ...(interfaces.length > 0 && { interface: interfaces.length === 1 ? interfaces[0] : interfaces }),
      ...(families === 'ipv6' && { ipv4: false }),
      ...(families === 'ipv4' && !isIpv6Off && { ipv6: false }),
    },
    password,
    apiKey,
    comments: [],
  }
  return { settings: contact === undefined || contact === '' ? {} : { contact }, accounts: [account] }
}
