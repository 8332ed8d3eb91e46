import { type AST, parseTOML } from 'toml-eslint-parser'

/** A setting of a TOML text, with its first and last line, counted from one. */
export interface TomlStatement {
  readonly key: string
  readonly firstLine: number
  readonly lastLine: number
  /** Where the value stands, in UTF-16 units after a byte order mark. */
  readonly value: TomlValue
}

interface TomlValue {
  readonly start: number
  readonly end: number
  /** Of an array. */
  readonly elements?: readonly { readonly start: number; readonly end: number }[]
}

const bare = (text: string): string => text.replace(/^\uFEFF/, '')
const tomlBody = (text: string): AST.TOMLTopLevelTable['body'] => parseTOML(bare(text)).body[0].body

/** The settings above all tables of a valid TOML text. */
export const topStatements = (text: string): readonly TomlStatement[] =>
  tomlBody(text).flatMap((item) => (item.type === 'TOMLKeyValue' ? [statementOf(item)] : []))

/** The setting that stands at this line, in whatever table. */
export const statementAt = (text: string, line: number): TomlStatement | undefined =>
  tomlBody(text)
    .flatMap((item) =>
      item.type === 'TOMLKeyValue' ? [item] : item.body.filter(({ type }) => type === 'TOMLKeyValue'),
    )
    .map(statementOf)
    .find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)

/** A text, number, truth value or date, with the name of the setting that it belongs to, and where it stands. */
interface TomlScalar {
  readonly key: string
  /** As the file means it, not as it is written. */
  readonly value: unknown
  readonly start: number
  readonly end: number
}

/** All values of a valid TOML text, also those in lists and in inline tables. */
export const scalarsIn = (text: string): readonly TomlScalar[] =>
  tomlBody(text).flatMap((item) => (item.type === 'TOMLKeyValue' ? [item] : item.body).flatMap(scalarsOf))

function scalarsOf({ key, value }: AST.TOMLKeyValue): readonly TomlScalar[] {
  const last = key.keys.at(-1)
  const name = last === undefined ? '' : nameOf(last)
  const below = (node: AST.TOMLContentNode): readonly TomlScalar[] => {
    if (node.type === 'TOMLInlineTable') return node.body.flatMap(scalarsOf)
    if (node.type === 'TOMLArray') return node.elements.flatMap(below)
    return [{ key: name, value: node.value, start: node.range[0], end: node.range[1] }]
  }
  return below(value)
}

/** Where the comments stand. */
export const commentsIn = (text: string): readonly { readonly start: number; readonly end: number }[] =>
  parseTOML(bare(text)).comments.map(({ range: [start, end] }) => ({ start, end }))

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted): string =>
  key.type === 'TOMLBare' ? key.name : key.value

interface TomlTable {
  /** The line of its name, counted from one. */
  readonly line: number
  readonly statements: readonly TomlStatement[]
}

/** The tables of an array of tables, such as [[account]], without the tables in them. */
export const tablesCalled = (text: string, name: string): readonly TomlTable[] =>
  tomlBody(text).flatMap((item) =>
    item.type === 'TOMLTable' &&
    item.kind === 'array' &&
    item.resolvedKey.length === 2 &&
    item.resolvedKey[0] === name
      ? [{ line: item.loc.start.line, statements: item.body.map(statementOf) }]
      : [],
  )

function statementOf({ key: { keys }, value, loc }: AST.TOMLKeyValue): TomlStatement {
  const [first] = keys
  return {
    key: first === undefined ? '' : nameOf(first),
    firstLine: loc.start.line,
    lastLine: loc.end.line,
    value: {
      start: value.range[0],
      end: value.range[1],
      ...(value.type === 'TOMLArray' && {
        elements: value.elements.map(({ range: [start, end] }) => ({ start, end })),
      }),
    },
  }
}
