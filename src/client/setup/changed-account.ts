import { namesOfAccounts } from '../settings/account-names.ts'
import { ACCOUNT_SETTINGS, parseServer } from '../settings/client-settings.ts'
import { isOutside } from '../settings/name-checks.ts'
import { Secret } from '../../shared/base/secret.ts'
import { parseDocument } from '../../shared/settings/document.ts'
import { presetServer, providerWritten } from '../services/providers/providers.ts'
import { fileKeyOf } from '../../shared/settings/setting.ts'
import { tablesCalled, type TomlStatement, topStatements } from '../../shared/settings/toml-statements.ts'
import type { DraftSettings, DraftValue } from './draft.ts'
import { tomlValue } from './toml.ts'

/** An account of a configuration, as its text has it. */
export interface WrittenAccount {
  /** As `--account` accepts it. */
  readonly name: string
  readonly hostnames: readonly string[]
  /** The password itself stands in the text, for this account alone. */
  readonly hasPassword: boolean
  readonly password: Secret | undefined
  readonly hasApiKey: boolean
  /** The key itself stands in the text. */
  readonly hasOwnApiKey: boolean
  readonly apiKeyFile: string | undefined
  /** The password file of this account alone. */
  readonly passwordFile: string | undefined
  /** The position of its [[account]] table; undefined where its settings stand at the top. */
  readonly table: number | undefined
}

const KEYS = Object.keys(ACCOUNT_SETTINGS).map(fileKeyOf)

type WrittenValues = Readonly<Record<string, unknown>>

/**
 * All accounts, or those with the service and the username of these settings, the one with a hostname of theirs first.
 * Several tokens of one service have no username to distinguish them; a zone may.
 */
export function writtenAccounts(text: string, wanted?: DraftSettings): readonly WrittenAccount[] {
  const document = parseDocument(text, 'holdfast.toml')
  if (!document.ok) return []
  const valuesOf = (members = document.value.members): WrittenValues =>
    Object.fromEntries(
      KEYS.flatMap((key) => (members?.has(key) === true ? [[key, members.get(key)?.value]] : [])),
    )
  const top = valuesOf()
  const tables = document.value.members?.get('account')?.entries ?? []
  const all = tables.length === 0 ? [top] : tables.map(({ members }) => ({ ...top, ...valuesOf(members) }))
  const names = hostnamesIn(wanted?.['hostnames'])
  const shown = namesOfAccounts(all)
  const hasName = ({ hostnames }: WrittenValues): boolean =>
    hostnamesIn(hostnames).some((name) => names.includes(name))
  const fits = (one: WrittenValues): boolean => {
    if (wanted === undefined) return true
    const { zone } = one
    const isIn = typeof zone !== 'string' || !names.some((name) => isOutside(name, zone))
    const isSame = one['username'] === wanted['username'] && serverOf(one) === serverOf(wanted)
    return isSame && serverOf(one) !== undefined && (isIn || hasName(one))
  }
  return all
    .flatMap((found, at) => (fits(found) ? [{ found, at }] : []))
    .toSorted((one, other) => Number(hasName(other.found)) - Number(hasName(one.found)))
    .map(({ found, at }) => {
      // Several accounts share what stands at the top.
      const own = tables.length > 1 ? valuesOf(tables[at]?.members) : found
      const isShared = all.some((one, other) => other !== at && one['password_file'] === own['password_file'])
      return accountIn({ ...found, at, name: shown[at] ?? '' }, own, {
        isShared,
        hasTables: tables.length > 0,
      })
    })
}

function accountIn(
  found: WrittenValues & { readonly at: number; readonly name: string },
  { password, password_file: file }: WrittenValues,
  { isShared, hasTables }: { readonly isShared: boolean; readonly hasTables: boolean },
): WrittenAccount {
  const { at, name, api_key: key, api_key_file: keyFile } = found
  return {
    name,
    hostnames: hostnamesIn(found['hostnames']),
    hasPassword: password !== undefined,
    password: typeof password === 'string' ? new Secret(password) : undefined,
    hasOwnApiKey: key !== undefined,
    apiKeyFile: typeof keyFile === 'string' ? keyFile : undefined,
    hasApiKey: key !== undefined || keyFile !== undefined,
    passwordFile: typeof file === 'string' && !isShared ? file : undefined,
    table: hasTables ? at : undefined,
  }
}

/** The origin of a service, however it is written. */
function serverOf({ server, provider }: Readonly<Record<string, unknown>>): string | undefined {
  const preset = presetServer(providerWritten(provider))
  const written = typeof server === 'string' ? server : preset
  const read = written === undefined ? undefined : parseServer(written)
  return read?.ok === true ? read.value : undefined
}

const hostnamesIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : []).map((name) =>
    name.trim(),
  )

/** The text with these hostnames added to the account. */
export function withHostnames(text: string, account: WrittenAccount, added: readonly string[]): string {
  const statement = statementFor(text, account, 'hostnames')
  const elements = statement?.value.elements ?? []
  const last = elements.at(-1)
  if (statement === undefined || last === undefined)
    return withSetting(text, account, ['hostnames', [...account.hostnames, ...added]])
  const [mark, body] = [text.startsWith('\uFEFF') ? '\uFEFF' : '', text.replace(/^\uFEFF/, '')]
  // One name on each line stays so.
  const before = body.slice(statement.value.start, last.start)
  const between = /\n[ \t]*$/.exec(before)?.[0] ?? ' '
  const more = added.map((name) => `${between}${tomlValue(name)}`).join(',')
  // A comment behind the last name stays there.
  const isOnOwnLine = between !== ' '
  const behind = /^[ \t]*,?[ \t]*(?:#[^\n]*?)?(?=\r?\n)/.exec(body.slice(last.end))
  const [beside = ''] = (isOnOwnLine && behind) || []
  const isEnded = beside.trimStart().startsWith(',')
  const rest = body.slice(last.end + beside.length)
  return `${mark}${body.slice(0, last.end)}${isEnded ? '' : ','}${beside}${more}${isEnded ? ',' : ''}${rest}`
}

/** The text with another value of a setting of the account, or with the setting. */
export function withSetting(
  text: string,
  account: WrittenAccount,
  [key, value]: readonly [key: string, value: DraftValue],
): string {
  const [mark, body] = [text.startsWith('\uFEFF') ? '\uFEFF' : '', text.replace(/^\uFEFF/, '')]
  const statement = statementFor(text, account, key)
  if (statement !== undefined)
    return `${mark}${body.slice(0, statement.value.start)}${tomlValue(value)}${body.slice(statement.value.end)}`
  const table = account.table === undefined ? undefined : tablesCalled(text, 'account')[account.table]
  const after = statementFor(text, account, 'username')?.lastLine ?? table?.line ?? 0
  const [lines, end] = [body.split('\n'), body.includes('\r\n') ? '\r' : '']
  return (
    mark + [...lines.slice(0, after), `${key} = ${tomlValue(value)}${end}`, ...lines.slice(after)].join('\n')
  )
}

/** The statement that sets a setting of this account alone. */
function statementFor(text: string, { table }: WrittenAccount, key: string): TomlStatement | undefined {
  const own = table === undefined ? topStatements(text) : tablesCalled(text, 'account')[table]?.statements
  return own?.find((one) => one.key === key)
}
