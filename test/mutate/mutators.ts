import { type Node, child, nodesIn, textIn } from './syntax.ts'

/** A change of the source: the text between the offsets is replaced. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What a mutator sees: the node, the whole text, and the nodes around it, nearest first. */
export interface Place {
  readonly node: Node
  readonly source: string
  readonly around: readonly Node[]
}

type Mutator = (place: Place) => readonly Edit[]

const BINARY: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&': ['|'],
  '|': ['&'],
}
const ASSIGNED: Readonly<Record<string, string>> = {
  '||=': '&&=',
  '&&=': '||=',
  '??=': '=',
  '+=': '-=',
  '-=': '+=',
}
/** Methods, and the methods that are confused with them. */
const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    find: 'findLast',
    findLast: 'find',
    toLowerCase: 'toUpperCase',
    toUpperCase: 'toLowerCase',
    min: 'max',
    max: 'min',
    floor: 'ceil',
    ceil: 'floor',
  }),
)
/** Methods that return a changed copy of their object. */
const DROPPED = /^(filter|slice|trim|toSorted|sort|toReversed|reverse|concat|toLowerCase|toUpperCase)$/
const JUDGES = /^(is|has|may|can|includes$|test$|some$|every$|startsWith$|endsWith$|exceeds$)/

const whole = ({ start, end }: Node, text: string): Edit => ({ start, end, text })
const textOf = ({ source }: Place, { start, end }: Node): string => source.slice(start, end)
const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string')

/** The offsets of an operator between its two operands. */
function operatorOf({ node, source }: Place): Edit {
  const text = textIn(node, 'operator')
  const start = source.indexOf(text, child(node, 'left').end)
  return { start, end: start + text.length, text }
}

const binary: Mutator = (place) => {
  const { node } = place
  if (textIn(node, 'operator') === '+' && (isText(child(node, 'left')) || isText(child(node, 'right'))))
    return []
  const at = operatorOf(place)
  return (BINARY[at.text] ?? []).map((text) => ({ ...at, text }))
}

/** `...(x && { x })`: without the left operand x is present and undefined, and few readers distinguish that from a missing x. */
function isOptionalProperty({ node, around: [parent, above] }: Place): boolean {
  const spread = parent?.type === 'ParenthesizedExpression' ? above : parent
  const right = child(node, 'right')
  if (spread?.type !== 'SpreadElement' || right.type !== 'ObjectExpression') return false
  return nodesIn(right, 'properties').every(({ type }) => type === 'Property')
}

/** Each operand alone; for `??`, the default is dropped. */
const logical: Mutator = (place) => {
  const { node } = place
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  if (textIn(node, 'operator') === '??')
    return [whole(node, `(${textOf(place, left)}) && (${textOf(place, right)})`)]
  if (isOptionalProperty(place))
    return [whole(node, 'undefined'), ...(hasTest(left) ? [whole(node, textOf(place, right))] : [])]
  return [whole(node, textOf(place, left)), whole(node, textOf(place, right))]
}
/** Whether it tests more than that a value is defined. */
const hasTest = (node: Node): boolean =>
  node.type === 'BinaryExpression' && !/^(undefined|null)$/.test(textIn(child(node, 'right'), 'name'))

const unary: Mutator = (place) => {
  const { node } = place
  return /^[!-]$/.test(textIn(node, 'operator'))
    ? [whole(node, `(${textOf(place, child(node, 'argument'))})`)]
    : []
}

const forced: Mutator = ({ node }) => {
  const test = child(node, 'test')
  return [whole(test, 'true'), whole(test, 'false')]
}

/** A default in an array pattern is only for the types: an element can be missing. */
const isDefault = ({ around: [parent, above] }: Place): boolean =>
  parent?.type === 'AssignmentPattern' && above?.type === 'ArrayPattern'

const literal: Mutator = (place) => {
  const { node } = place
  const { value } = node
  if (isDefault(place)) return []
  if (typeof value === 'boolean') return [whole(node, String(!value))]
  if (typeof node['bigint'] === 'string') return [whole(node, `${BigInt(node['bigint']) + 1n}n`)]
  if (typeof value === 'number') return numbers(value).map((other) => whole(node, String(other)))
  if (node['regex'] !== undefined) return patterns(textIn(node, 'raw')).map((text) => whole(node, text))
  if (typeof value !== 'string' || isProse(value)) return []
  return [whole(node, value === '' ? "'mutated'" : "''")]
}
const numbers = (value: number): readonly number[] => (value < 2 ? [value + 1] : [value + 1, value - 1])
/** Messages for people are only shown. */
const isProse = (text: string): boolean => /\S \S/.test(text)

/** A regular expression without an anchor, without its flags. */
function patterns(raw: string): readonly string[] {
  const end = raw.lastIndexOf('/')
  const [body, flags] = [raw.slice(1, end), raw.slice(end + 1)]
  return [
    ...(body.startsWith('^') ? [`/${body.slice(1)}/${flags}`] : []),
    ...(/[^\\]\$$/.test(body) ? [`/${body.slice(0, -1)}/${flags}`] : []),
    ...(/[gi]/.test(flags) ? [`/${body}/${flags.replace(/[gi]/, '')}`] : []),
  ]
}

const template: Mutator = ({ node, source, around: [parent] }) => {
  const isTagged = parent?.type === 'TaggedTemplateExpression'
  return isTagged || isProse(source.slice(node.start, node.end)) ? [] : [whole(node, "''")]
}

const call: Mutator = (place) => {
  const { node, around } = place
  const callee = child(node, 'callee')
  const isMethod = callee.type === 'MemberExpression'
  const named = isMethod ? child(callee, 'property') : callee
  const name = textIn(named, 'name')
  const other = METHODS.get(name)
  const [first, second, ...more] = nodesIn(node, 'arguments')
  const isOrder = name === 'isBefore' && first !== undefined && second !== undefined && more.length === 0
  const isNegated = around[0]?.type === 'UnaryExpression'
  return [
    ...(isMethod && other !== undefined ? [whole(named, other)] : []),
    ...(isMethod && DROPPED.test(name)
      ? [{ start: child(callee, 'object').end, end: node.end, text: '' }]
      : []),
    ...(JUDGES.test(name) && !isNegated ? [{ start: node.start, end: node.start, text: '!' }] : []),
    // The boundary: "not later" instead of "before".
    ...(isOrder ? [whole(node, `!isBefore(${textOf(place, second)}, ${textOf(place, first)})`)] : []),
  ]
}

const optional: Mutator = ({ node, source }) => {
  if (node['optional'] !== true) return []
  const before = child(node, node.type === 'CallExpression' ? 'callee' : 'object').end
  const start = source.indexOf('?.', before)
  const isDot = node.type === 'MemberExpression' && node['computed'] !== true
  return [{ start, end: start + 2, text: isDot ? '.' : '' }]
}

const assignment: Mutator = (place) => {
  const at = operatorOf(place)
  const other = ASSIGNED[at.text]
  return other === undefined ? [] : [{ ...at, text: other }]
}

const update: Mutator = (place) => {
  const other = textIn(place.node, 'operator') === '++' ? '--' : '++'
  return [whole(place.node, textOf(place, child(place.node, 'argument')) + other)]
}

const statement: Mutator = ({ node }) => (typeof node['directive'] === 'string' ? [] : [whole(node, '')])

/** The mutators of each node type. */
export const MUTATORS: Readonly<Record<string, readonly Mutator[]>> = {
  BinaryExpression: [binary],
  LogicalExpression: [logical],
  UnaryExpression: [unary],
  ConditionalExpression: [forced],
  IfStatement: [forced],
  Literal: [literal],
  TemplateLiteral: [template],
  CallExpression: [call, optional],
  MemberExpression: [optional],
  AssignmentExpression: [assignment],
  UpdateExpression: [update],
  ExpressionStatement: [statement],
}
