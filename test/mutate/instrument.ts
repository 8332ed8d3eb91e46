import { grouped } from './grouped.ts'
import { type Edit, MUTATORS } from './mutators.ts'
import { type Node, child, childrenOf, parse } from './syntax.ts'

/** One change of one file, identified by the changed lines, so that edits of other lines do not affect it. */
export interface Mutant {
  readonly original: string
  readonly mutated: string
  readonly line: number
}

interface Change {
  readonly edit: Edit
  /** The smallest node that can be emitted twice: with and without the change. */
  readonly wrapped: Node
}

/** Every mutant of a source, in the order of the tree. */
export const mutantsOf = (source: string): readonly Mutant[] =>
  changesIn(parse(source), source).map(({ edit }) => described(source, edit))

/**
 * The source with all its mutants: `__mutant(id)` selects the active one at run time. Ids start at `first` and have the order
 * of `mutantsOf`.
 */
export function instrumented(source: string, first: number): string {
  const program = parse(source)
  const changes = changesIn(program, source).map((change, at) => ({ ...change, id: first + at }))
  const byNode = grouped(changes, ({ wrapped }) => wrapped)
  const render = (node: Node): string => {
    const own = byNode.get(node) ?? []
    let [text, at] = ['', node.start]
    for (const part of childrenOf(node)) {
      // A shorthand property is in the tree twice.
      if (part.start < at) continue
      text += source.slice(at, part.start) + render(part)
      at = part.end
    }
    text += source.slice(at, node.end)
    if (node.type === 'ExpressionStatement')
      return own.reduce((rest, { id }) => `if (__mutant(${id})) {} else { ${rest} }`, text)
    if (own.length === 0) return text
    const choices = own.map(({ id, edit }) => `__mutant(${id})?(${edited(source, node, edit)}):`)
    return `(${choices.join('')}(${text}))`
  }
  return source.slice(0, program.start) + render(program) + source.slice(program.end)
}

function changesIn(program: Node, source: string): readonly Change[] {
  const visit = (node: Node, around: readonly Node[]): readonly Change[] => {
    const edits = (MUTATORS[node.type] ?? []).flatMap((mutate) => mutate({ node, source, around }))
    const wrapped = wrappedFor(node, around)
    return [
      ...edits.map((edit) => ({ edit, wrapped })),
      ...childrenOf(node).flatMap((part) => visit(part, [node, ...around])),
    ]
  }
  return visit(program, [])
}

/** The condition of a statement; for a `?.` chain the whole chain, because it short-circuits. */
function wrappedFor(node: Node, around: readonly Node[]): Node {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') return child(node, 'test')
  let link = node
  for (const outer of around) {
    if (outer.type === 'ChainExpression') return outer
    const isLink =
      outer['object'] === link || outer['callee'] === link || outer.type === 'TSNonNullExpression'
    if (!isLink) return node
    link = outer
  }
  return node
}

const edited = (
  source: string,
  { start, end }: { readonly start: number; readonly end: number },
  edit: Edit,
): string => source.slice(start, edit.start) + edit.text + source.slice(edit.end, end)

function described(source: string, edit: Edit): Mutant {
  const start = source.lastIndexOf('\n', edit.start - 1) + 1
  const after = source.indexOf('\n', edit.end)
  const lines = { start, end: after === -1 ? source.length : after }
  const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
  return {
    original: onOneLine(source.slice(lines.start, lines.end)),
    mutated: onOneLine(edited(source, lines, edit)),
    line: source.slice(0, edit.start).split('\n').length,
  }
}
