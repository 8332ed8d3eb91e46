import { describe, expect, it } from 'vitest'
import { type ApiDocument, API_DOCUMENT, callTable, declarations } from '../../../../.build/api-client.ts'
import { typeOf, typesOf } from '../../../../.build/json-types.ts'
import { ROUTES } from '../../../../src/service/api/routes.ts'

type Operation = ApiDocument['paths'][string][string]

const OK = {
  200: { content: { 'application/json': { schema: { type: 'object', properties: { warnings: {} } } } } },
}
/** A document with one operation. */
const documentOf = (more: Partial<Operation>): ApiDocument => ({
  info: { version: '1' },
  paths: { '/v1/a/{b}': { post: { operationId: 'a', summary: 'Does a', responses: OK, ...more } } },
  components: {
    schemas: { Used: { type: 'object', properties: { of: { $ref: '#/x/Other' } } }, Other: {}, Unused: {} },
  },
})
const memberOf = (more: Partial<Operation>): string =>
  /^  a: ([^]*)\n\}$/m.exec(declarations(documentOf(more)))?.[1] ?? ''
const inPath = { name: 'b', in: 'path', required: true, schema: { type: 'string' } }

describe('the types of the client', () => {
  it('have each operation', () => {
    const members = [...declarations(API_DOCUMENT).matchAll(/^  (\w+): [({]/gm)].map(([, name]) => name)
    expect(members.toSorted()).toEqual(Object.keys(ROUTES).toSorted())
  })

  // biome-ignore format: a table
  it.each<[what: string, more: Partial<Operation>, row: string, member: string]>([
    ['nothing but a path', { parameters: [inPath] }, 'POST /v1/a/{b}',
      '(parameters: { b: string }, options?: CallOptions) => Promise<Done>'],
    ['an optional body', { requestBody: { content: { 'application/json': { schema: { type: 'string' } } } } }, 'POST:application/json /v1/a/{b}',
      '(parameters?: Nothing, body?: string, options?: CallOptions) => Promise<Done>'],
    ['a text as its body', { requestBody: { required: true, content: { 'text/dns': {} } } }, 'POST:text/dns /v1/a/{b}',
      '(parameters: Nothing, body: string, options?: CallOptions) => Promise<Done>'],
    ['a text as its answer', { responses: { 200: { content: { 'text/dns': {} } } } }, 'POST /v1/a/{b} text/dns',
      '(parameters?: Nothing, options?: CallOptions) => Promise<Answer<string>>'],
    ['a query as JSON', { parameters: [{ name: 'q[]', in: 'query', content: { 'application/json': { schema: {} } } }] }, 'POST /v1/a/{b}?q[]',
      "(parameters?: { 'q[]'?: unknown }, options?: CallOptions) => Promise<Done>"],
    ['headers', { parameters: [{ name: 'If-Match', in: 'header' }], responses: { 200: { ...OK[200], headers: { ETag: {} } } } }, 'POST /v1/a/{b}',
      "(parameters?: Nothing, options?: CallOptions<'If-Match'>) => Promise<Done<'ETag'>>"],
    ['a condition', { parameters: [inPath, { name: 'c', in: 'query' }, { name: 'If-None-Match', in: 'header' }] }, 'POST /v1/a/{b}',
      '{\n    (parameters: { b: string; c?: unknown }, options: ConditionalOptions): Promise<Done | NotModified>\n' +
      '    (parameters: { b: string; c?: unknown }, options?: CallOptions): Promise<Done>\n  }'],
  ])('of an operation with %s', (_, more, row, member) => {
    expect(callTable(documentOf(more))).toEqual({ a: row })
    expect(memberOf(more)).toBe(member)
  })

  it('are those of the schemas that are used', () => {
    const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Used' } } } }
    const text = declarations(documentOf({ requestBody }))
    expect(
      [...text.matchAll(/^export (?:interface|type) (Used|Other|Unused)\b/gm)].map(([, name]) => name),
    ).toEqual(['Used', 'Other'])
  })

  it('cannot be made where two parameters have one name', () =>
    expect(() => declarations(documentOf({ parameters: [inPath, { ...inPath, in: 'query' }] }))).toThrow(
      'a: a parameter has the name',
    ))
})

// biome-ignore format: a table
it.each([
  [{ type: 'integer', minimum: 0 },                                   'number'],
  [{ type: ['string', 'null'] },                                      'string | null'],
  [{ enum: ["it's", 1] },                                             String.raw`'it\'s' | 1`],
  [{ const: true },                                                   'true'],
  [{ type: 'array', items: { enum: ['a', 'b'] } },                    "readonly ('a' | 'b')[]"],
  [{ anyOf: [{ $ref: '#/x/Error' }, { type: 'null' }] },              'ApiError | null'],
  [{ type: 'object', properties: { 'a-b': {}, c: { type: 'boolean' } }, required: ['c'] }, "{ 'a-b'?: unknown; c: boolean }"],
  [{ type: 'object', additionalProperties: { type: 'string' } },      '{ [key: string]: string }'],
  [{ type: 'object' },                                                '{ [key: string]: unknown }'],
  [{ allOf: [] },                                                     'unknown'],
])('the schema %j is the type %s', (schema, type) => expect(typeOf(schema)).toBe(type))

it('a schema is an interface, or another type, with a name that no global class has', () =>
  expect(typesOf({ Error: { type: 'object', properties: {} }, B: { type: 'string' } })).toEqual({
    ApiError: 'export interface ApiError {}\n',
    B: 'export type B = string\n',
  }))
