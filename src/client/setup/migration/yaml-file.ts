import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { err, ok, type Result } from '../../../shared/base/result.ts'

/** A value of a YAML document with its line: a text, a list, or members. */
export interface YamlValue {
  readonly line: number
  readonly text?: string
  readonly items?: readonly YamlValue[]
  readonly members?: ReadonlyMap<string, YamlValue>
}

interface YamlFault {
  readonly line: number
  readonly problem: string
}

const MAX_DEPTH = 20

/** Reads a document, with scalars as they are written. Messages of the parser may quote a secret: they are not shown. */
export function readYaml(text: string): Result<YamlValue, YamlFault> {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
      uniqueKeys: true,
    })
    const [first] = document.errors
    const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line)
    if (first === undefined) return ok(yamlValue(document.contents, lineAt))
    return err({ line: lineAt(first.pos[0]), problem: first.code.toLowerCase().replaceAll('_', ' ') })
  } catch (error) {
    const isOwn = error instanceof Error && error.message.startsWith('it ')
    return err({ line: 1, problem: isOwn ? error.message : 'it is nested too deep' })
  }
}

function yamlValue(node: unknown, lineAt: (offset: number) => number, depth = 0): YamlValue {
  if (depth > MAX_DEPTH) throw new Error('it is nested too deep')
  // Silence would lose what it stands for.
  if (isAlias(node)) throw new Error('it has an alias (*), which is not read')
  if (isScalar(node)) {
    const text = typeof node.value === 'string' ? node.value : node.value === null ? '' : (node.source ?? '')
    return { line: lineAt(node.range?.[0] ?? 0), text }
  }
  if (isSeq(node)) {
    const items = node.items.map((one) => yamlValue(one, lineAt, depth + 1))
    return { line: lineAt(node.range?.[0] ?? 0), items }
  }
  if (!isMap(node)) return { line: 1 }
  const members = node.items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return []
    const read = yamlValue(value, lineAt, depth + 1)
    // An empty value has no place of its own; a remark names the line of the key.
    return [[String(key.value), { ...read, line: lineAt(key.range?.[0] ?? 0) }] as const]
  })
  return { line: lineAt(node.range?.[0] ?? 0), members: new Map(members) }
}
