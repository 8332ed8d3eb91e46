import { err, ok, type Result } from '../../shared/base/result.ts'
import { readFile } from '../settings/client-file.ts'
import { ACCOUNT_SETTINGS } from '../settings/client-settings.ts'
import { type Located, parseDocument } from '../../shared/settings/document.ts'
import { NOTIFY_SETTINGS } from '../settings/notify-settings.ts'
import { fileKeyOf, formatComplaint } from '../../shared/settings/setting.ts'
import { providerWritten } from '../services/providers/providers.ts'
import { topStatements } from '../../shared/settings/toml-statements.ts'
import { accountSlug, type DraftAccount, type DraftSettings } from './draft.ts'
import { accountTable, type PasswordPath, settingLines } from './toml.ts'

/** Settings at the top that a further account shares: they say who is told, and nothing about a service. */
const SHARED: readonly string[] = [...Object.keys(NOTIFY_SETTINGS), 'verify'].map(fileKeyOf)
const OWN_KEYS: ReadonlySet<string> = new Set(
  Object.keys(ACCOUNT_SETTINGS)
    .map(fileKeyOf)
    .filter((key) => !SHARED.includes(key)),
)
const NAME = 'holdfast.toml'

/** The names of the accounts of a file, which a new account must not have. */
export function accountNamesIn(text: string): readonly string[] {
  const file = readFile({ name: NAME, document: parseDocument(text, NAME) })
  return [file.top, ...file.accounts].flatMap((layer) =>
    [layer['name']?.value, layer['username']?.value, layer['provider']?.value].flatMap((one) =>
      typeof one === 'string' ? [one] : [],
    ),
  )
}

/**
 * The text of a configuration with one more account. What stands at the top applies to every account, so settings of a
 * service move into the accounts that have them now: the new one must not send its password there. The error says why the
 * text cannot be changed.
 */
export function withAddedAccount(
  text: string,
  account: DraftAccount,
  passwordPath: PasswordPath,
): Result<string, string> {
  const document = parseDocument(text, NAME)
  if (!document.ok)
    return err(formatComplaint({ where: `line ${document.error.line}`, problem: document.error.problem }))
  const tables = document.value.members?.get('account')?.entries ?? []
  const keys = new Set(topStatements(text).map(({ key }) => key))
  const hasService = ['provider', 'server', 'hostnames'].some((key) => keys.has(key))
  const isToken = providerWritten(document.value.members?.get('provider')?.value)?.hasNoUsername === true
  const isAccount = keys.has('username') || isToken
  if (tables.length === 0 && hasService && !isAccount)
    return err(
      'the account in it has no username there; write username, ' +
        'or move its settings into an [[account]] table, and run the command again',
    )
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const base = withOwnTables(text.slice(mark.length), tables, isAccount)
  const added = `\n\n${accountTable(account, passwordPath)}\n`
  return ok(`${mark}${base.trimEnd()}${text.includes('\r\n') ? added.replaceAll('\n', '\r\n') : added}`)
}

/** Settings of the program that the text has with another value: they stay as they are there. */
export function otherTopSettings(text: string, settings: DraftSettings): readonly string[] {
  const members = parseDocument(text, NAME)
  return Object.entries(settings).flatMap(([key, value]) => {
    const present = members.ok ? members.value.members?.get(key)?.value : undefined
    return present === undefined || present === value
      ? []
      : [`${key} stays ${JSON.stringify(present)}, as in the file`]
  })
}

/** The text with settings of the program that it does not have yet, at its top. */
export function withTopSettings(text: string, settings: DraftSettings): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const present = new Set(topStatements(text).map(({ key }) => key))
  const missing = Object.fromEntries(Object.entries(settings).filter(([key]) => !present.has(key)))
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  return `${mark}${[...settingLines(missing), text.slice(mark.length)].join(end)}`
}

/** `isAccount`: what stands at the top is an account. */
function withOwnTables(text: string, tables: readonly Located[], isAccount: boolean): string {
  const lines = text.split('\n')
  const moved = topStatements(text).filter(({ key }) => OWN_KEYS.has(key))
  if (moved.length === 0 || (tables.length === 0 && !isAccount)) return text
  const isMoved = (at: number): boolean =>
    moved.some(({ firstLine, lastLine }) => at + 1 >= firstLine && at + 1 <= lastLine)
  const statementsFor = (table: Located | undefined): readonly string[] =>
    moved.flatMap(({ key, firstLine, lastLine }) =>
      table?.members?.has(key) === true ? [] : lines.slice(firstLine - 1, lastLine),
    )
  const below = (at: number): readonly string[] => {
    const table = tables.find(({ line }) => line === at + 1)
    return table === undefined ? [] : statementsFor(table)
  }
  const rest = lines.flatMap((line, at) => (isMoved(at) ? [] : [line, ...below(at)]))
  if (tables.length > 0) return rest.join('\n')
  const statements = statementsFor(undefined)
  const name = moved.some(({ key }) => key === 'name') ? [] : [`name = "${firstAccountName(statements)}"`]
  const end = text.includes('\r\n') ? '\r' : ''
  // The last line of the text before has no end.
  const last = rest.at(-1) ?? ''
  const made = [last.replace(/\r$/, ''), '[[account]]', ...name].map((line) => line + end)
  return [...rest.slice(0, -1), ...made, ...statements].join('\n')
}

/** A name for the account that had none: its service or its username, so that logs stay readable. */
function firstAccountName(statements: readonly string[]): string {
  const valueOf = (key: string): string | undefined =>
    statements.flatMap((line) => new RegExp(`^\\s*${key}\\s*=\\s*["']([^"']+)["']`).exec(line)?.[1] ?? [])[0]
  return accountSlug(valueOf('username') ?? valueOf('provider') ?? 'first')
}
