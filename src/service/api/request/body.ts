import { type CodedAs, OWN_CODE, RULE, type Schema } from '../openapi/schema.ts'
import { METADATA } from '../openapi/request-schemas.ts'
import { SCHEMAS, type Whole } from '../openapi/schemas.ts'
import { type JsonBody, type RequestContext, unexpected, type Warning } from './context.ts'
import { badBody, type Malformed, type RequestFault } from './faults.ts'

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether it can be stored: half of a surrogate pair is no character and would
 * become U+FFFD, U+0000 ends a text in many programs.
 */
export const isText = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

/** A body of the form that its row gives, or all faults of its form (decision 0073). */
export function readBody<B>({ body, form }: JsonBody<B>): B | Malformed {
  const malformed = formFaults(form ?? {}, body, '')
  return malformed.length > 0 ? { malformed } : (body as B)
}

/** Where a value does not fit its schema. What has a code of the specification is left to the handler. */
export function formFaults(
  schema: Schema,
  value: unknown,
  pointer: string,
): readonly RequestFault<'bodyInvalid'>[] {
  const whole = resolved(schema)
  const { [OWN_CODE]: coded, [RULE]: rule } = whole
  if (coded !== undefined) return codedFaults(coded, value, pointer)
  if (!isOfType(whole, value) || (rule !== undefined && !rule.accepts(value)))
    return [badBody(`${fieldOf(pointer)} is ${rule?.what ?? typeIn(whole)}`, pointer)]
  if (Array.isArray(value))
    return value.flatMap((one, n) => formFaults((whole['items'] ?? {}) as Schema, one, `${pointer}/${n}`))
  return isObject(value) ? memberFaults(whole, value, pointer) : []
}

/** What the specification has no code for. */
function codedFaults(how: CodedAs, value: unknown, pointer: string): readonly RequestFault<'bodyInvalid'>[] {
  if (how === 'characters' && typeof value !== 'string')
    return [badBody(`${fieldOf(pointer)} is a string`, pointer)]
  return how === 'text' && typeof value === 'string' && !isText(value) ? [badBody(NOT_TEXT, pointer)] : []
}

const NOT_TEXT = 'the text contains U+0000 or half of a surrogate pair'

function memberFaults(
  schema: Schema,
  value: Fields,
  pointer: string,
): readonly RequestFault<'bodyInvalid'>[] {
  const { additionalProperties: others } = schema
  const [properties, required] = [propertiesOf(schema), (schema['required'] ?? []) as readonly string[]]
  const known = Object.keys(properties)
  return [
    ...Object.entries(value).flatMap(([key, one]) => {
      if (Object.hasOwn(properties, key)) return []
      const at = `${pointer}/${shownKey(key)}`
      if (others === false) return [badBody(`it is none of the fields ${known.join(', ')}`, at)]
      if (typeof others !== 'object' || others === null) return []
      const name = { type: 'string', ...(schema['propertyNames'] as object) }
      return isOfType(name, key)
        ? formFaults(others as Schema, one, at)
        : [badBody(`a key is ${typeIn(name)}`, at)]
    }),
    ...known.flatMap((key) =>
      value[key] !== undefined || required.includes(key)
        ? formFaults(properties[key] ?? {}, value[key], `${pointer}/${key}`)
        : [],
    ),
  ]
}

/** The faults of the metadata of RRSets; `list` may have other values. */
export const metadataFaults = (
  list: readonly unknown[],
  pointer: string,
): readonly RequestFault<'bodyInvalid'>[] =>
  list.flatMap((one, n) =>
    isObject(one) && one['metadata'] !== undefined
      ? formFaults(METADATA, one['metadata'], `${pointer}/${n}/metadata`)
      : [],
  )

/** The same request with another body, for the handler of another operation. */
export const withBody = <S extends Schema>(context: RequestContext, form: S, body: Whole<S>) =>
  ({ ...context, form, body }) as RequestContext<Whole<S>>

/** What openObject ignores, also further down: each with a warning. */
export function ignoredFields({ body, form }: JsonBody): readonly Warning[] {
  return form === undefined ? [] : ignoredIn(form, body, '')
}

function ignoredIn(schema: Schema, value: unknown, pointer: string): readonly Warning[] {
  const whole = resolved(schema)
  if (Array.isArray(value))
    return value.flatMap((one, n) => ignoredIn((whole['items'] ?? {}) as Schema, one, `${pointer}/${n}`))
  if (!isObject(value) || whole['properties'] === undefined) return []
  const properties = propertiesOf(whole)
  const [known, unknown] = [Object.keys(properties), Object.keys(value)]
  return [
    ...unknown
      .filter((key) => whole['additionalProperties'] !== false && !Object.hasOwn(properties, key))
      .map((key) => unexpected(`${pointer}/${shownKey(key)} is not a known field and was ignored`)),
    ...known.flatMap((key) => ignoredIn(properties[key] ?? {}, value[key], `${pointer}/${key}`)),
  ]
}

const propertiesOf = ({ properties = {} }: Schema) => properties as Readonly<Record<string, Schema>>

const RESOLVED = new WeakMap<Schema, Schema>()

/** With what its reference names. */
function resolved(schema: Schema): Schema {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const known = RESOLVED.get(schema)
  if (known !== undefined) return known
  const { $ref: _, ...own } = schema
  const named = SCHEMAS[$ref.slice($ref.lastIndexOf('/') + 1) as keyof typeof SCHEMAS]
  const whole = { ...resolved(named), ...own }
  RESOLVED.set(schema, whole)
  return whole
}

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type])

/** By the words of JSON Schema that our schemas of requests use. */
function isOfType(schema: Schema, value: unknown): boolean {
  const types = typesOf(schema)
  if (value === null) return types.includes('null')
  if (typeof value === 'string')
    return (
      types.includes('string') &&
      isText(value) &&
      isWithinLimits(schema, 'Length', Array.from(value).length) &&
      isListed(schema, value)
    )
  if (typeof value === 'number')
    return types.includes('integer') && Number.isInteger(value) && isWithinLimits(schema, 'imum', value)
  if (Array.isArray(value)) return types.includes('array') && isWithinLimits(schema, 'Items', value.length)
  return types.includes(typeof value)
}

/** `what`: the end of the names of the limits, such as minItems and maxItems. */
const isWithinLimits = (schema: Schema, what: 'Length' | 'Items' | 'imum', size: number): boolean => {
  const { [`min${what}`]: min = 0, [`max${what}`]: max = Infinity } = schema
  return size >= Number(min) && size <= Number(max)
}
const isListed = ({ enum: values }: Schema, value: string): boolean =>
  !Array.isArray(values) || values.includes(value)

const fieldOf = (pointer: string): string => {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1)
  return last === '' ? 'the body' : /^\d+$/.test(last) ? 'an item' : last
}

/** A field in a pointer (RFC 6901). */
const shownKey = (key: string): string =>
  key
    .slice(0, 255)
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')

/** What a value of a schema is, in words. */
function typeIn(schema: Schema): string {
  const types = typesOf(schema)
  const type = types.find((one) => one !== 'null')
  const what = Array.isArray(schema['enum'])
    ? `one of ${schema['enum'].join(', ')}`
    : TYPE_WORDS[String(type)]?.(schema)
  return `${what ?? 'a value'}${types.includes('null') ? ', or null' : ''}`
}

const TYPE_WORDS: Readonly<Record<string, (schema: Schema) => string>> = {
  string: (schema) => `a string${limitsIn(schema, 'Length', ' characters')}, without U+0000`,
  integer: (schema) => `a whole number${limitsIn(schema, 'imum', '')}`,
  boolean: () => 'true or false',
  array: (schema) => `a list${limitsIn(schema, 'Items', ' items')}`,
  object(schema) {
    const example = Object.entries(propertiesOf(schema)).map(([key, one]) => `"${key}": ${exampleOf(one)}`)
    return example.length === 0
      ? 'an object'
      : `{${example.slice(0, 3).join(', ')}${example.length > 3 ? ', …' : ''}}`
  },
}

function limitsIn(schema: Schema, what: 'Length' | 'Items' | 'imum', unit: string): string {
  const [min, max] = [`min${what}`, `max${what}`].map((key) => schema[key] as number | undefined)
  if (max === undefined) return min === undefined ? '' : ` of at least ${min}${unit}`
  return min === undefined ? ` of at most ${max}${unit}` : ` of ${min} to ${max}${unit}`
}

const exampleOf = (schema: Schema): string => {
  const type = typesOf(resolved(schema)).find((one) => one !== 'null')
  return { array: '[…]', object: '{…}', boolean: 'true', integer: '1' }[String(type)] ?? '"…"'
}
