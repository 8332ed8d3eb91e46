import { readTypedNames } from '../settings/name-checks.ts'
import { statementAt, type TomlStatement } from '../../shared/settings/toml-statements.ts'
import type { FileComplaint } from './file-complaints.ts'
import type { DraftValue } from './draft.ts'
import { tomlValue } from './toml.ts'

/** A way to mend a mistake of a configuration. */
export interface Repair {
  /** What it does, for a choice. */
  readonly label: string
  /** The text after it. */
  readonly text: string
}

/** What a complaint itself proposes, and the removal of the setting; some may mend nothing. Empty without a line. */
export function repairsOf(text: string, { line, problem }: FileComplaint): readonly Repair[] {
  const statement = line === undefined ? undefined : statementAt(text, line)
  if (statement === undefined) return []
  const { key } = statement
  const [, meant] = /did you mean ([^?]+)\?/.exec(problem) ?? []
  const [, wrong] = /lists '([^']*)'/.exec(problem) ?? []
  const [, quoted, plain] = /\bwrite (?:"([^"]+)"|([^\s;,"]+))/.exec(problem) ?? []
  const value = meant ?? quoted ?? plain?.replace(/[).]+$/, '')
  const isKey = problem.startsWith(`${key} is not a setting`)
  return [
    ...(isKey && meant !== undefined
      ? [{ label: `write ${meant} instead of ${key}`, text: withKey(text, statement, meant) }]
      : []),
    ...(!isKey && value !== undefined && wrong === undefined
      ? [{ label: `${key} = ${value}`, text: withValue(text, statement, value) }]
      : []),
    ...(value !== undefined && wrong !== undefined
      ? [{ label: `write ${value} instead of ${wrong}`, text: withItem(text, statement, { wrong, value }) }]
      : []),
    ...(problem.includes('belongs at the top of the file')
      ? [{ label: `move ${key} to the top of the file`, text: atTop(text, statement) }]
      : []),
    { label: `remove ${key}`, text: without(text, statement) },
  ]
}

/** The value of a setting as a person types it: without quotation marks; a list with commas. */
export function typedValue(key: string, typed: string): DraftValue {
  const text = typed.trim()
  if (key === 'hostnames') {
    const read = readTypedNames(text, {})
    return read.ok ? read.value.names : text.split(/[,\s]+/)
  }
  if (/^(true|false)$/.test(text)) return text === 'true'
  return /^\d{1,9}$/.test(text) ? Number(text) : text
}

/** The text with another value of the setting at this line. */
export function withTyped(text: string, line: number, typed: string): string {
  const statement = statementAt(text, line)
  return statement === undefined ? text : withValue(text, statement, typedValue(statement.key, typed))
}

const BYTE_ORDER_MARK = '\uFEFF'

function edited(text: string, change: (body: string) => string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? `${BYTE_ORDER_MARK}${change(text.slice(1))}` : change(text)
}

const withValue = (
  text: string,
  { value: { start, end, elements } }: TomlStatement,
  value: DraftValue,
): string =>
  edited(text, (body) => {
    const isList = elements !== undefined && typeof value === 'string'
    return `${body.slice(0, start)}${tomlValue(isList ? [value] : value)}${body.slice(end)}`
  })

const withItem = (
  text: string,
  { value: { start, end } }: TomlStatement,
  { wrong, value }: { readonly wrong: string; readonly value: string },
): string =>
  edited(text, (body) => {
    const old = body.slice(start, end)
    const [quoted = ''] = [`"${wrong}"`, `'${wrong}'`].filter((one) => old.includes(one))
    return body.slice(0, start) + old.replace(quoted, () => tomlValue(value)) + body.slice(end)
  })

const lines = (text: string): readonly string[] => text.split('\n')

const withKey = (text: string, { key, firstLine }: TomlStatement, meant: string): string =>
  lines(text)
    .map((one, at) => (at === firstLine - 1 ? one.replace(key, () => meant) : one))
    .join('\n')

const without = (text: string, { firstLine, lastLine }: TomlStatement): string =>
  edited(text, (body) =>
    lines(body)
      .filter((_, at) => at < firstLine - 1 || at > lastLine - 1)
      .join('\n'),
  )

const atTop = (text: string, statement: TomlStatement): string =>
  edited(without(text, statement), (body) => {
    const { firstLine, lastLine } = statement
    return [...lines(text.replace(BYTE_ORDER_MARK, '')).slice(firstLine - 1, lastLine), body].join('\n')
  })
