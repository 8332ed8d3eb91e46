import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type AST, getStaticTOMLValue, parseTOML, ParseError as TomlError } from 'toml-eslint-parser'
import { err, ok, type Result } from '../base/result.ts'
import { explainJson, explainToml } from './syntax.ts'

/** A value of a configuration file with its line, counted from one. */
export interface Located {
  readonly line: number
  readonly value: unknown
  /** Of a table. */
  readonly members?: ReadonlyMap<string, Located>
  /** Of an array of tables. */
  readonly entries?: readonly Located[]
}

export interface SyntaxFault {
  readonly line: number
  readonly problem: string
}

/** Parses TOML, or JSON where the file name ends in .json. JSON may contain comments and trailing commas. */
export function parseDocument(source: string, name: string): Result<Located, SyntaxFault> {
  const text = source.replace(/^\uFEFF/, '')
  const fault = encodingFault(text)
  if (fault !== undefined) return err(fault)
  try {
    return name.endsWith('.json') ? parseJson(text) : parseToml(text)
  } catch (error) {
    // Both parsers and the functions below are recursive: deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error
    return err({
      line: deepestLine(text),
      problem: 'this is nested too deeply; a value may be a list, but not a list of lists',
    })
  }
}

/** The line with the deepest nesting, by counting brackets. Brackets in strings count too, which is good enough here. */
function deepestLine(text: string): number {
  let [depth, maxDepth, line, deepest] = [0, 0, 1, 1]
  for (const [character] of text.matchAll(/[[{}\]\n]/g)) {
    if (character === '\n') line++
    else depth += '[{'.includes(character) ? 1 : -1
    if (depth > maxDepth) [maxDepth, deepest] = [depth, line]
  }
  return deepest
}

/** Detects text that is not UTF-8: UTF-16 contains NULs, other encodings leave replacement characters. */
function encodingFault(text: string): SyntaxFault | undefined {
  if (text.slice(0, 200).includes('\0')) return { line: 1, problem: 'the file is UTF-16; save it as UTF-8' }
  const at = text.indexOf('\uFFFD')
  const line = text.slice(0, at).split('\n').length
  return at < 0 ? undefined : { line, problem: 'a character is not valid UTF-8; save the file as UTF-8' }
}

function parseToml(source: string): Result<Located, SyntaxFault> {
  try {
    const program = parseTOML(source)
    return ok(tableOf(program.body[0].body, getStaticTOMLValue(program)))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const line = errorLine(error, source)
    return err({ line, problem: explainToml(source.split('\n')[line - 1] ?? '', error.message) })
  }
}

/**
 * The parser reports a missing token at the start of a later line. This gives the line where it is missing, or where the
 * value starts.
 */
function errorLine({ lineNumber, column, message }: TomlError, source: string): number {
  const lines = source.split('\n').slice(0, lineNumber)
  if (column === 0 && message.startsWith('Unterminated'))
    return lines.findLastIndex((line) => /^\s*\[|=\s*(?:[[{]|"""|''')/.test(line)) + 1 || lineNumber
  const before = lines[lineNumber - 2] ?? ''
  return column === 0 && before.trimEnd().endsWith('=') ? lineNumber - 1 : lineNumber
}

type TomlItem = AST.TOMLKeyValue | AST.TOMLTable

/** Arrays of tables collect their entries under one key; every other item is a member under its dotted key. */
function tableOf(items: readonly TomlItem[], value: unknown): Located {
  const members = new Map<string, Located>()
  for (const item of items) {
    const [key = '', ...deeper] = item.key.keys.map((part) =>
      part.type === 'TOMLBare' ? part.name : part.value,
    )
    const line = item.loc.start.line
    const name = [key, ...deeper].join('.')
    if (item.type === 'TOMLKeyValue') members.set(name, located(item.value, line))
    else if (item.kind === 'array') addEntry(members, [key, ...deeper], bodyOf(item))
    else members.set(name, bodyOf(item))
  }
  return { line: 1, value, members }
}

/** [[account.host]] adds to the last account (TOML 1.0, array of tables). */
function addEntry(
  members: Map<string, Located>,
  [key = '', ...deeper]: readonly string[],
  body: Located,
): void {
  const { line } = body
  const entries = members.get(key)?.entries ?? []
  const last = entries.at(-1)
  if (deeper.length === 0 || last === undefined) {
    const name = [key, ...deeper].join('.')
    members.set(name, { line, value: [], entries: [...(members.get(name)?.entries ?? []), body] })
    return
  }
  const inner = new Map(last.members)
  addEntry(inner, deeper, body)
  members.set(key, { line, value: [], entries: [...entries.slice(0, -1), { ...last, members: inner }] })
}

const bodyOf = (table: AST.TOMLTable): Located => ({
  ...tableOf(table.body, getStaticTOMLValue(table)),
  line: table.loc.start.line,
})

const located = (content: AST.TOMLContentNode, line: number): Located =>
  content.type === 'TOMLInlineTable'
    ? { ...tableOf(content.body, getStaticTOMLValue(content)), line }
    : { line, value: getStaticTOMLValue(content) }

function parseJson(source: string): Result<Located, SyntaxFault> {
  const errors: ParseError[] = []
  const root = parseTree(source, errors, { allowTrailingComma: true })
  const [first] = errors
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length
  if (first !== undefined) {
    const line = lineAt(first.offset)
    const [before = ''] = /[\w.+-]*$/.exec(source.slice(0, first.offset)) ?? []
    const token = before + source.slice(first.offset, first.offset + first.length)
    const isSecret = /pass|pw|token|secret|key|auth|sig/i.test(source.split('\n')[line - 1] ?? '')
    return err({ line, problem: explainJson(printParseErrorCode(first.error), isSecret ? 'a value' : token) })
  }
  if (root?.type !== 'object') return err({ line: 1, problem: 'the file is not a JSON object' })
  const duplicate = duplicateKey(root)
  if (duplicate !== undefined)
    return err({
      line: lineAt(duplicate.offset),
      problem: `${String(duplicate.value)} is set twice; keep one`,
    })
  return ok(nodeOf(root, lineAt))
}

/** The first key that occurs twice in one object. JSON itself would silently use the last. */
function duplicateKey({ type, children = [] }: Node): Node | undefined {
  const keys = type === 'object' ? children.flatMap((pair) => pair.children?.[0] ?? []) : []
  const duplicate = keys.find(({ value }, at) => keys.findIndex((key) => key.value === value) < at)
  return duplicate ?? children.map(duplicateKey).find((key) => key !== undefined)
}

function nodeOf(node: Node, lineAt: (offset: number) => number): Located {
  const line = lineAt(node.offset)
  const children = node.children ?? []
  if (node.type === 'object') {
    const pairs = children.flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[String(key.value), nodeOf(value, lineAt)] as const],
    )
    return {
      line,
      value: Object.fromEntries(pairs.map(([key, { value }]) => [key, value])),
      members: new Map(pairs),
    }
  }
  if (node.type !== 'array') return { line, value: node.value as unknown }
  const entries = children.map((child) => nodeOf(child, lineAt))
  const isOfTables = entries.length > 0 && entries.every(({ members }) => members !== undefined)
  return { line, value: entries.map(({ value }) => value), ...(isOfTables && { entries }) }
}
