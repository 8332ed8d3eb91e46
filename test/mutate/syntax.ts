import { parseSync } from 'rolldown/utils'

/** A node of the ESTree, with the offsets of its text. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export function parse(source: string): Node {
  const { program, errors } = parseSync('source.ts', source)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return program as unknown as Node
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

/** TypeScript nodes that contain a value; all other types that begin with TS are not code. */
const VALUES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
const NO_CODE = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TemplateElement'])

/** The children of a node that are code, in the order of the text. */
export function childrenOf(node: Node): readonly Node[] {
  const isKey = (name: string): boolean =>
    (name === 'key' || name === 'property') && node['computed'] !== true
  return Object.entries(node)
    .flatMap(([name, value]) => (isKey(name) ? [] : Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter(isNode)
    .filter(({ type }) => !NO_CODE.has(type) && (VALUES.has(type) || !type.startsWith('TS')))
    .toSorted((a, b) => a.start - b.start)
}

export const child = (node: Node, name: string): Node => node[name] as Node
export const nodesIn = (node: Node, name: string): readonly Node[] => (node[name] ?? []) as readonly Node[]
/** The name of an identifier, the operator of an expression. */
export const textIn = (node: Node, name: string): string => String(node[name])
