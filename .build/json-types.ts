/** Types of TypeScript from the JSON schemas of an OpenAPI document. */
import type { Schema } from '../src/service/api/openapi/schema.ts'

/** A schema with the name of a global class. */
const RENAMED: Readonly<Record<string, string>> = { Error: 'ApiError' }
const nameOf = (schema: string): string => RENAMED[schema] ?? schema

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'` : JSON.stringify(value)
const asUnion = (types: readonly string[]): string => [...new Set(types)].join(' | ')
const inList = (type: string): string => (type.includes(' | ') ? `(${type})` : type)

/** The type of a schema: `unknown` where it says nothing that a type can say. */
export function typeOf(schema: Schema): string {
  const { $ref, enum: values, const: value, oneOf, anyOf, type } = schema
  if (typeof $ref === 'string') return nameOf($ref.replace(/^.*\//, ''))
  if (Array.isArray(values)) return asUnion(values.map(literal))
  if (value !== undefined) return literal(value)
  const several = oneOf ?? anyOf
  if (Array.isArray(several)) return asUnion((several as readonly Schema[]).map(typeOf))
  if (Array.isArray(type)) return asUnion(type.map((one: string) => typeOf({ ...schema, type: one })))
  if (type === 'array') return `readonly ${inList(typeOf((schema['items'] ?? {}) as Schema))}[]`
  if (type === 'object') return objectOf(schema)
  return PLAIN[String(type)] ?? 'unknown'
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined)
    return `{ [key: string]: ${typeof additionalProperties === 'object' ? typeOf(additionalProperties as Schema) : 'unknown'} }`
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${key}${(required as readonly string[]).includes(name) ? '' : '?'}: ${typeOf(schema)}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`
}

/** The declaration of each schema, by the name of its type. */
export const typesOf = (schemas: Readonly<Record<string, Schema>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(schemas).map(([schema, content]) => {
      const type = typeOf(content)
      const name = nameOf(schema)
      const isInterface = type.startsWith('{') && content['type'] === 'object'
      return [name, isInterface ? `export interface ${name} ${type}\n` : `export type ${name} = ${type}\n`]
    }),
  )
