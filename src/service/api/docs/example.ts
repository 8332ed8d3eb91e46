import type { Schema } from '../openapi/schema.ts'
import { type PlacedOperation, referredSchema, type Schemas } from './described.ts'

/** Values of fields and parameters, by name; of a list, that of its members. */
// biome-ignore format: a table
const VALUES: Readonly<Record<string, unknown>> = {
  email: 'you@mail.example', plan: 'basic', account_name: 'acme', plan_name: 'basic', subject: 'abc1234', expires: '7d', types: 'A',
  zone_name: 'example.test', name: 'www', dns_type: 'A', label: 'one', value: '192.0.2.1', ttl: 300,
  description: 'router', hostnames: 'www.example.test', scopes: 'read', expires_at: '2999-01-31T00:00:00Z',
  old_password: 'the present password', new_password: 'another password', ddns_key_username: 'abc1234', update_group: 'abc1234', id: 1,
}

interface Named {
  readonly name: string
  readonly schemas: Schemas
}

/** A value that a schema accepts: required fields and lists; everything where no field is required. */
function exampleValue(schema: Schema, { name, schemas }: Named): unknown {
  const referred = referredSchema(schema)
  if (referred !== undefined) return exampleValue(schemas[referred] ?? {}, { name, schemas })
  const { type: types, enum: values, properties, items, oneOf } = schema
  const type: unknown = Array.isArray(types) ? types[0] : types
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(oneOf)) return exampleValue(oneOf[0] as Schema, { name, schemas })
  if (type === 'array') return [exampleValue(items as Schema, { name, schemas })]
  if (properties !== undefined) return exampleFields(schema, schemas)
  if (type === 'object') return { owner: 'me' }
  if (Object.hasOwn(VALUES, name)) return VALUES[name]
  if (type === 'integer') return schema['minimum'] ?? 1
  return type === 'boolean' ? true : 'text'
}

function exampleFields({ properties, required = [] }: Schema, schemas: Schemas): unknown {
  const needed = required as readonly string[]
  const all = Object.entries(properties as Schemas)
  const shown = all.filter(
    ([name, { type }]) => needed.length === 0 || needed.includes(name) || type === 'array',
  )
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleValue(schema, { name, schemas })]))
}

/** The body of the example of an operation; undefined without a body. */
export function exampleBody({ requestBody }: PlacedOperation, schemas: Schemas): unknown {
  const content = Object.values(requestBody?.content ?? {})[0]
  return content === undefined ? undefined : exampleValue(content.schema, { name: '', schemas })
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The lines of a request by curl, with the URL of the service and the API key in variables. */
export function curlLines(operation: PlacedOperation, schemas: Schemas): readonly string[] {
  const { method, path, requestBody, security } = operation
  const parameters = operation.parameters ?? []
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((one) => one.name === name)?.schema ?? {}
    return encodeURIComponent(String(exampleValue(schema, { name, schemas })))
  })
  const body = exampleBody(operation, schemas)
  const type = Object.keys(requestBody?.content ?? {})[0]
  const isGiven = method === 'GET' || (method === 'POST' && type !== undefined)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const line = [
    'curl',
    security === undefined ? '-u :$KEY' : '',
    isGiven ? '' : `-X ${method}`,
    `$URL${target}`,
  ]
  return [
    line.filter((word) => word !== '').join(' ') + (type === undefined ? '' : ' \\'),
    ...(type === undefined ? [] : [`  -H ${quoted(`content-type: ${type}`)} \\`, `  -d ${quoted(text)}`]),
  ]
}
