import { ACCOUNT_SETTINGS } from '../settings/client-settings.ts'
import { isSecretName } from '../../shared/settings/secret-names.ts'
import { fileKeyOf } from '../../shared/settings/setting.ts'
import { isInClear } from '../../shared/base/network.ts'
import { Secret } from '../../shared/base/secret.ts'
import type { DraftSettings } from './draft.ts'

/** Settings whose values are secrets: their readers say so. */
const SECRET_KEYS: readonly string[] = ['password', 'api_key', 'webhook', 'health_url'].filter((key) =>
  Object.keys(ACCOUNT_SETTINGS).map(fileKeyOf).includes(key),
)
const PATTERN = new RegExp(`^(\\s*(["']?)(?:${SECRET_KEYS.join('|')})\\2\\s*=\\s*).*$`)

/** An item of `parameters`: "NAME=VALUE". */
const PARAMETER = /(["'])([A-Za-z0-9_.-]+)=(.*?)\1/g
const withoutValue = (whole: string, quote: string, name: string): string =>
  isSecretName(name) ? `${quote}${name}=${String(new Secret(''))}${quote}` : whole

/** What a person must know of the servers of accounts before a password is sent. */
export const clearTextRemarks = (accounts: readonly DraftSettings[]): readonly string[] =>
  accounts.flatMap(({ server }) =>
    typeof server === 'string' && isInClear(new URL(server))
      ? [
          `${server} is not encrypted, so the password is sent in clear text; write https if the service has it`,
        ]
      : [],
  )

/** The text of a configuration for people: every secret is «secret», also one of several lines. */
export function maskedConfiguration(text: string): string {
  let end: string | undefined
  return text
    .split('\n')
    .flatMap((line) => {
      if (end !== undefined) {
        if (line.includes(end)) end = undefined
        return []
      }
      const [whole, start] = PATTERN.exec(line) ?? []
      if (whole === undefined || start === undefined) return [line.replaceAll(PARAMETER, withoutValue)]
      const rest = line.slice(start.length)
      const [quote] = /^(?:"""|''')/.exec(rest) ?? []
      if (quote !== undefined && !rest.slice(quote.length).includes(quote)) end = quote
      // A list with an address on each line.
      if (rest.startsWith('[') && !/\]\s*(?:#.*)?$/.test(rest)) end = ']'
      return [`${start}"${String(new Secret(''))}"`]
    })
    .join('\n')
}
