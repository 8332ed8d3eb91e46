import { type NamesAt, readTypedNames } from '../settings/name-checks.ts'
import { parseDocument } from '../../shared/settings/document.ts'
import { statementAt, tablesCalled, type TomlStatement } from '../../shared/settings/toml-statements.ts'
import { complaintsIn, type FileComplaint } from './file-complaints.ts'
import type { DraftValue } from './draft.ts'
import { tomlValue } from './toml.ts'

/** A way to mend a mistake of a configuration. */
export interface Repair {
  /** A word for it, which no other one of the mistake has. */
  readonly id: string
  /** What it does. */
  readonly label: string
  /** The text after it. */
  readonly text: string
}

/** What mends this mistake and makes no other one: what its complaint proposes, and the removal of the setting. */
export async function repairsOf(text: string, complaint: FileComplaint): Promise<readonly Repair[]> {
  const statement = settingOf(text, complaint)
  if (statement === undefined) return []
  const before = await complaintsIn(text)
  const useful: Repair[] = []
  for (const repair of proposals(text, statement, complaint.problem)) {
    const isRenamed = repair.id === 'rename'
    if (isBetter(before, await complaintsAfter(repair.text), { complaint, isRenamed })) useful.push(repair)
  }
  return useful
}

/**
 * The text with a value that a person types, without quotation marks and with commas in a list: as a list of hostnames, a
 * text, a list, a number or a truth value, whichever a start takes. undefined where it takes none.
 */
export async function withTyped(
  text: string,
  complaint: FileComplaint,
  typed: string,
): Promise<string | undefined> {
  const statement = settingOf(text, complaint)
  if (statement === undefined) return undefined
  const words = typed.trim()
  const read = statement.key === 'hostnames' ? readTypedNames(words, accountAt(text, statement)) : undefined
  const values: readonly DraftValue[] = [
    ...(read?.ok === true ? [read.value.names] : []),
    words,
    words.split(/\s*,\s*/),
    ...(/^\d{1,9}$/.test(words) ? [Number(words)] : []),
    ...(/^(?:true|false)$/.test(words) ? [words === 'true'] : []),
  ]
  const before = await complaintsIn(text)
  for (const value of values) {
    const changed = withValue(text, statement, value)
    if (isBetter(before, await complaintsAfter(changed), { complaint, isRenamed: false })) return changed
  }
  return undefined
}

const settingOf = (text: string, { line }: FileComplaint): TomlStatement | undefined =>
  line === undefined ? undefined : statementAt(text, line)

/** A complaint may name the line of another setting, which moves. */
const counted = (all: readonly FileComplaint[], problem: string): number =>
  all.filter((one) => withoutLines(one.problem) === withoutLines(problem)).length
const withoutLines = (problem: string): string => problem.replaceAll(/\.toml:\d+/g, '.toml')

const complaintsAfter = async (text: string): Promise<readonly FileComplaint[] | undefined> =>
  parseDocument(text, 'holdfast.toml').ok ? complaintsIn(text) : undefined

/** The mistake is gone and there is no new one. Of a setting with its right name, the value may be wrong too. */
function isBetter(
  before: readonly FileComplaint[],
  after: readonly FileComplaint[] | undefined,
  { complaint: { problem }, isRenamed }: { readonly complaint: FileComplaint; readonly isRenamed: boolean },
): boolean {
  if (after === undefined || counted(after, problem) >= counted(before, problem)) return false
  return isRenamed
    ? after.length <= before.length
    : after.every((one) => counted(after, one.problem) <= counted(before, one.problem))
}

function proposals(text: string, statement: TomlStatement, problem: string): readonly Repair[] {
  const { key } = statement
  const [, meant] = /did you mean ([^?]+)\?/.exec(problem) ?? []
  const [, quoted, plain] = /\bwrite (?:"([^"]+)"|([a-z0-9][\w.:+-]*)(?=$|[;)]| or ))/.exec(problem) ?? []
  const value = meant ?? quoted ?? plain
  const isKey = problem.startsWith(`${key} is not a setting`)
  const [, item = ''] = /lists '([^']*)'|^hostname (\S+?):? /.exec(problem)?.filter((one) => one) ?? []
  return [
    ...(isKey && meant !== undefined
      ? [{ id: 'rename', label: `write ${meant} instead of ${key}`, text: withKey(text, statement, meant) }]
      : []),
    ...(key === 'hostnames' ? nameProposals(text, statement) : []),
    ...(value !== undefined && item !== ''
      ? [
          {
            id: 'item',
            label: `write ${value} instead of ${item}`,
            text: withItem(text, statement, [item, value]),
          },
        ]
      : []),
    ...(!isKey && value !== undefined && item === ''
      ? [{ id: 'value', label: `${key} = ${value}`, text: withValue(text, statement, value) }]
      : []),
    ...(problem.includes('belongs at the top of the file')
      ? [{ id: 'move', label: `move ${key} to the top of the file`, text: atTop(text, statement) }]
      : []),
    ...(key === 'account' ? [] : [{ id: 'remove', label: `remove ${key}`, text: without(text, statement) }]),
  ]
}

/** Names that a prompt would complete or clean. */
function nameProposals(text: string, statement: TomlStatement): readonly Repair[] {
  const at = accountAt(text, statement)
  return elementsOf(text, statement).flatMap((name, nth) => {
    const read = readTypedNames(name, at)
    const [whole] = read.ok ? read.value.names : []
    if (whole === undefined || whole === name) return []
    const label = `write ${whole} instead of ${name}`
    return [{ id: `name${nth + 1}`, label, text: withItem(text, statement, [name, whole]) }]
  })
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** The texts of a list as they are written, without their quotation marks. */
const elementsOf = (text: string, { value: { elements = [] } }: TomlStatement): readonly string[] =>
  elements.map(({ start, end }) =>
    withoutMark(text)
      .slice(start, end)
      .replaceAll(/^["']|["']$/g, ''),
  )

/** Service and username of the account of a setting. */
function accountAt(text: string, { firstLine }: TomlStatement): NamesAt {
  const document = parseDocument(text, 'holdfast.toml')
  const top = document.ok ? document.value.members : undefined
  const nth = tablesCalled(text, 'account').findLastIndex(({ line }) => line < firstLine)
  const own = top?.get('account')?.entries?.[nth]?.members
  const textOf = (key: string): string | undefined => {
    const found = (own?.get(key) ?? top?.get(key))?.value
    return typeof found === 'string' ? found : undefined
  }
  return { provider: textOf('provider'), username: textOf('username') }
}

const edited = (text: string, change: (body: string) => string): string =>
  (text.startsWith('\uFEFF') ? '\uFEFF' : '') + change(withoutMark(text))

const withValue = (text: string, { value: { start, end } }: TomlStatement, value: DraftValue): string =>
  edited(text, (body) => body.slice(0, start) + tomlValue(value) + body.slice(end))

/** Another element of a list; comments and the other elements stay. */
const withItem = (text: string, statement: TomlStatement, [old, value]: readonly [string, string]): string =>
  edited(text, (body) => {
    const found = statement.value.elements?.[elementsOf(text, statement).indexOf(old)]
    return found === undefined ? body : body.slice(0, found.start) + tomlValue(value) + body.slice(found.end)
  })

const withKey = (text: string, { key, firstLine }: TomlStatement, meant: string): string =>
  text
    .split('\n')
    .map((line, at) => (at === firstLine - 1 ? line.replace(key, () => meant) : line))
    .join('\n')

const isOf = ({ firstLine, lastLine }: TomlStatement, at: number): boolean =>
  firstLine - 1 <= at && at <= lastLine - 1

const without = (text: string, statement: TomlStatement): string =>
  edited(text, (body) =>
    body
      .split('\n')
      .filter((_, at) => !isOf(statement, at))
      .join('\n'),
  )

/** Below the comments that the file begins with. */
const atTop = (text: string, statement: TomlStatement): string =>
  edited(text, (body) => {
    const lines = body.split('\n')
    const rest = lines.filter((_, at) => !isOf(statement, at))
    const first = rest.findIndex((line) => !/^\s*(#.*)?$/.test(line))
    return [
      ...rest.slice(0, first),
      ...lines.filter((_, at) => isOf(statement, at)),
      ...rest.slice(first),
    ].join('\n')
  })
