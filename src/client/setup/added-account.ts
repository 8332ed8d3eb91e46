import { err, ok, type Result } from '../../base/result.ts'
import { readFile } from '../../config/client-file.ts'
import { ACCOUNT_SETTINGS } from '../../config/client-settings.ts'
import { parseDocument } from '../../config/document.ts'
import { fileKeyOf, formatComplaint } from '../../config/setting.ts'
import { topStatements } from '../../config/toml-statements.ts'
import { accountSlug, type DraftAccount } from './draft.ts'
import { accountTable, type PasswordPath } from './toml.ts'

const ACCOUNT_KEYS: ReadonlySet<string> = new Set(Object.keys(ACCOUNT_SETTINGS).map(fileKeyOf))
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
 * The text of a configuration with one more account. Settings of an account that stand at the top apply to every account, so
 * they move into a table of their own first. The error says why the text cannot be changed.
 */
export function withAddedAccount(
  text: string,
  account: DraftAccount,
  passwordPath: PasswordPath,
): Result<string, string> {
  const document = parseDocument(text, NAME)
  if (!document.ok)
    return err(formatComplaint({ where: `line ${document.error.line}`, problem: document.error.problem }))
  const hasTables = (document.value.members?.get('account')?.entries ?? []).length > 0
  const base = hasTables ? text : withOwnTable(text)
  return ok(`${base.trimEnd()}\n\n${accountTable(account, passwordPath)}\n`)
}

function withOwnTable(text: string): string {
  const lines = text.split('\n')
  const moved = topStatements(text).filter(({ key }) => ACCOUNT_KEYS.has(key))
  if (!moved.some(({ key }) => key === 'username')) return text
  const linesOf = ({ firstLine, lastLine }: (typeof moved)[number]): readonly string[] =>
    lines.slice(firstLine - 1, lastLine)
  const isMoved = (at: number): boolean =>
    moved.some(({ firstLine, lastLine }) => at + 1 >= firstLine && at + 1 <= lastLine)
  const statements = moved.flatMap(linesOf)
  const name = moved.some(({ key }) => key === 'name') ? [] : [`name = "${nameOf(statements)}"`]
  return [...lines.filter((_, at) => !isMoved(at)), '[[account]]', ...name, ...statements].join('\n')
}

/** A name for the account that had none: its service or its username, so that logs stay readable. */
function nameOf(statements: readonly string[]): string {
  const valueOf = (key: string): string | undefined =>
    statements.flatMap((line) => new RegExp(`^\\s*${key}\\s*=\\s*["']([^"']+)["']`).exec(line)?.[1] ?? [])[0]
  return accountSlug(valueOf('username') ?? valueOf('provider') ?? 'first')
}
