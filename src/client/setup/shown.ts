import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from '../settings/client-settings.ts'
import { parseDocument } from '../../shared/settings/document.ts'
import { isSecretName } from '../../shared/settings/secret-names.ts'
import { fileKeyOf } from '../../shared/settings/setting.ts'
import { commentsIn, scalarsIn } from '../../shared/settings/toml-statements.ts'
import { isInClear } from '../../shared/base/network.ts'
import { Secret } from '../../shared/base/secret.ts'
import type { DraftSettings } from './draft.ts'

const MASK = String(new Secret(''))
/** Settings whose values are secrets. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['password', 'api_key', 'webhook', 'health_url'])
const KNOWN_KEYS: ReadonlySet<string> = new Set(
  [ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS].flatMap((table) => Object.keys(table).map(fileKeyOf)),
)

/** What a person must know of the servers of accounts before a password is sent. */
export const clearTextRemarks = (accounts: readonly DraftSettings[]): readonly string[] =>
  accounts.flatMap(({ server }) =>
    typeof server === 'string' && isInClear(new URL(server))
      ? [
          `${server} is not encrypted, so the password is sent in clear text; write https if the service has it`,
        ]
      : [],
  )

/** The text of a configuration for people, line by line, without secrets; nothing of one that is not valid TOML. */
export function maskedConfiguration(text: string): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(mark.length)
  if (!parseDocument(text, 'holdfast.toml').ok) return MASK
  const comments = commentsIn(text).map((one) => ({
    ...one,
    shown: maskedComment(body.slice(one.start, one.end)),
  }))
  const values = scalarsIn(text).flatMap(({ key, value, start, end }) => {
    const shown = maskedValue(key, value)
    // A text of several lines keeps its place.
    const lines = '\n'.repeat(body.slice(start, end).split('\n').length - 1)
    return shown === value ? [] : [{ start, end, shown: `${JSON.stringify(shown)}${lines}` }]
  })
  return (
    mark +
    [...comments, ...values]
      .toSorted((a, b) => b.start - a.start)
      .reduce((masked, { start, end, shown }) => masked.slice(0, start) + shown + masked.slice(end), body)
  )
}

/** What is no setting may be a secret under a misspelled name. */
function maskedValue(key: string, value: unknown): unknown {
  if (SECRET_KEYS.has(key) || !KNOWN_KEYS.has(key)) return MASK
  if (typeof value !== 'string') return value
  if (key === 'headers') return maskedHeader(value)
  if (key === 'parameters')
    return value.replace(/^([^=]*)=.*/s, (pair, name: string) =>
      isSecretName(name) ? `${name}=${MASK}` : pair,
    )
  return maskedText(value)
}

/** Places stay, and the words before a token. */
const maskedHeader = (header: string): string =>
  header.replace(/^([^:]*:\s*)(.*)$/s, (whole, name: string, value: string) =>
    /^(?:accept|content-type)\b/i.test(name) || /^(?:(?:bearer|basic|token)\s+)?\{\w+\}$/i.test(value)
      ? whole
      : `${name}${MASK}`,
  )

/** Of URLs and bodies: a login, the values of names such as token, and long random parts of a path. */
const maskedText = (text: string): string =>
  text
    .replaceAll(/:\/\/[^/?#\s]*@/g, `://${MASK}@`)
    .replaceAll(/([\w.-]+)=([^&\s"'{]+)/g, (pair, name: string) =>
      isSecretName(name) ? `${name}=${MASK}` : pair,
    )
    .replaceAll(/"([\w.-]+)"(\s*:\s*)"[^"{]+"/g, (pair, name: string, colon: string) =>
      isSecretName(name) ? `"${name}"${colon}"${MASK}"` : pair,
    )
    .replaceAll(/(?<=:\/\/.*\/)[\w-]{20,}(?=[/?]|$)/g, MASK)

/** A setting that is switched off may have its value. */
const maskedComment = (comment: string): string =>
  maskedText(comment).replace(
    /^(#[#\s]*"?([\w.-]+)"?\s*[=:]\s*)(?=\S).*$/s,
    (line, start: string, name: string) =>
      SECRET_KEYS.has(name) || (isSecretName(name) && !name.endsWith('_file')) ? start + MASK : line,
  )
