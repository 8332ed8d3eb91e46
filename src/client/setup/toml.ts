import { providerCalled } from '../services/providers/providers.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../settings/client-settings.ts'
import { fileKeyOf } from '../../shared/settings/setting.ts'
import type { ConfigDraft, DraftAccount, DraftSettings, DraftValue } from './draft.ts'

/** Account settings first, then those of the program, each in the order of its table. */
const ORDER: readonly string[] = [...Object.keys(ACCOUNT_SETTINGS), ...Object.keys(CLIENT_SETTINGS)].map(
  fileKeyOf,
)

/** TOML 1.0: a basic string. */
const basicString = (text: string): string =>
  `"${text.replaceAll(/["\\]|[\0-\x1f\x7f]/g, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}"`

/** A value as TOML. */
export function tomlValue(one: DraftValue): string {
  if (typeof one === 'string') return basicString(one)
  return typeof one === 'object' ? `[${one.map(basicString).join(', ')}]` : String(one)
}

/** One line for each setting. */
export const settingLines = (settings: DraftSettings): readonly string[] =>
  Object.keys(settings)
    .toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map((key) => `${key} = ${tomlValue(settings[key] ?? '')}`)

/** The path of the password file of an account. */
export type PasswordPath = (account: DraftAccount) => string

/** In the folder of the password file. */
export const apiKeyPath = (passwordFile: string): string => `${passwordFile}.api-key`

/** A request of a user's own may have no secret. */
const sendsDraftPassword = ({ settings, password }: DraftAccount): boolean =>
  password !== undefined ||
  settings['url'] === undefined ||
  /\{(?:password|basic)\}/.test(JSON.stringify(settings))

function hasApiKey({ settings, apiKey }: DraftAccount): boolean {
  const preset = providerCalled(String(settings['provider']))
  return apiKey !== undefined || (preset?.apiKey !== undefined && preset.isApiKeyOptional !== true)
}

/** The settings of an account, with the files of its secrets. */
const settingsOf = (account: DraftAccount, passwordPath: PasswordPath): DraftSettings => ({
  name: account.name,
  ...account.settings,
  ...(sendsDraftPassword(account) && { password_file: passwordPath(account) }),
  ...(hasApiKey(account) && { api_key_file: apiKeyPath(passwordPath(account)) }),
})

/** One [[account]] table, to be added to a file that has others. */
export const accountTable = (account: DraftAccount, passwordPath: PasswordPath): string =>
  [
    ...account.comments.map((comment) => `# ${comment}`),
    '[[account]]',
    ...settingLines(settingsOf(account, passwordPath)),
    ...(account.hosts ?? []).flatMap((host) => ['', '[[account.host]]', ...settingLines(host)]),
  ].join('\n')

/** A whole file: one account without a table, several with one each. */
export function draftText({ settings, accounts }: ConfigDraft, passwordPath: PasswordPath): string {
  const [only, ...others] = accounts
  if (only === undefined || others.length > 0 || only.hosts !== undefined) {
    const top = settingLines(settings).join('\n')
    const tables = accounts.map((account) => accountTable(account, passwordPath))
    return `${[...(top === '' ? [] : [top]), ...tables].join('\n\n')}\n`
  }
  const comments = only.comments.map((comment) => `# ${comment}`)
  return `${[...comments, ...settingLines({ ...settingsOf(only, passwordPath), ...settings })].join('\n')}\n`
}
