/** The client of the management API, from its OpenAPI document: the table of its calls, and their types. */
import { API_IDENTITY, openApi } from '../src/service/api/openapi/openapi.ts'
import type { Schema } from '../src/service/api/openapi/schema.ts'
import type { CallTable } from '../src/service/api/library/api-client.ts'
import { typeOf, typesOf } from './json-types.ts'

interface Media {
  readonly [type: string]: { readonly schema?: Schema }
}
interface ParameterRow {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
  readonly content?: Media
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly ParameterRow[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Media }
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: Media }>>
}
interface Row extends Operation {
  readonly method: string
  readonly path: string
}
export interface ApiDocument {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export const API_DOCUMENT = openApi(API_IDENTITY) as unknown as ApiDocument

const JSON_TYPE = 'application/json'

const rowsOf = ({ paths }: ApiDocument): readonly Row[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

const mediaOf = (content: Media): readonly [type: string, schema: Schema] => {
  const [type = JSON_TYPE, { schema = {} } = {}] = Object.entries(content)[0] ?? []
  return [type, schema]
}

/** The content of the first success. */
const successOf = ({ responses }: Operation): readonly [type: string, schema: Schema] =>
  mediaOf(Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {})

/** The table of `src/service/api/library/api-client.ts`. */
export const callTable = (document: ApiDocument): CallTable =>
  Object.fromEntries(
    rowsOf(document).map((row) => {
      const { operationId, method, path, parameters = [], requestBody } = row
      const sends = requestBody === undefined ? '' : `:${mediaOf(requestBody.content)[0]}`
      const json = parameters.filter(({ content }) => content !== undefined).map(({ name }) => name)
      const [reads] = successOf(row)
      return [
        operationId,
        `${method}${sends} ${path}${json.length > 0 ? `?${json.join('&')}` : ''}${reads === JSON_TYPE ? '' : ` ${reads}`}`,
      ]
    }),
  )

/** The types of parameters: each with its name as the API spells it. */
function fieldsOf(parameters: readonly ParameterRow[]): string {
  const fields = parameters.map(({ name, required, schema, content }) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${key}${required === true ? '' : '?'}: ${typeOf(schema ?? mediaOf(content ?? {})[1])}`
  })
  return `{ ${fields.join('; ')} }`
}

const union = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ')

/** What a call gives: `Listed<Zone>`, `Answer<Name, 'ETag'>`, or `Done` for a change without data. */
function resultOf(row: Operation): string {
  const [type, schema] = successOf(row)
  const { data, page } = (schema['properties'] ?? {}) as Readonly<Record<string, Schema | undefined>>
  const all = Object.entries(row.responses).filter(([status]) => status.startsWith('2'))
  const headers = union([...new Set(all.flatMap(([, one]) => Object.keys(one.headers ?? {})))])
  const more = headers === '' ? '' : `, ${headers}`
  if (type !== JSON_TYPE) return `Answer<string${more}>`
  if (data === undefined) return `Done${headers && `<${headers}>`}`
  return page === undefined
    ? `Answer<${typeOf(data)}${more}>`
    : `Listed<${typeOf((data['items'] ?? {}) as Schema)}${more}>`
}

/** One call as a member of the client, with a comment. */
function memberOf(row: Row): string {
  const { operationId, summary, parameters = [], requestBody } = row
  const own = parameters.filter((one) => one.in === 'path' || one.in === 'query')
  const names = own.map(({ name }) => name)
  if (new Set(names).size < names.length)
    throw new Error(`${operationId}: a parameter has the name of another`)
  const isNeeded = own.some(({ required }) => required === true)
  const body = requestBody && mediaOf(requestBody.content)
  const bodyType = body && (body[0] === JSON_TYPE ? typeOf(body[1]) : 'string')
  const isBodyNeeded = requestBody?.required === true
  const given = [
    `parameters${isNeeded || isBodyNeeded ? '' : '?'}: ${own.length === 0 ? 'Nothing' : fieldsOf(own)}`,
    ...(bodyType === undefined ? [] : [`body${isBodyNeeded ? '' : '?'}: ${bodyType}`]),
  ]
  const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
  const others = union(headers.filter((name) => name !== IF_NONE_MATCH))
  const options = `options?: CallOptions${others && `<${others}>`}`
  const result = resultOf(row)
  const plain = `(${[...given, options].join(', ')})`
  // The overload that may give 304 is first: `Parameters` and `ReturnType` read the last one.
  const conditional = `(${[...given.map((one) => one.replace(/^(\w+)\?:/, '$1:')), 'options: ConditionalOptions'].join(', ')})`
  const type = headers.includes(IF_NONE_MATCH)
    ? `{\n    ${conditional}: Promise<${result} | NotModified>\n    ${plain}: Promise<${result}>\n  }`
    : `${plain} => Promise<${result}>`
  return `  /** ${summary.replaceAll('*/', '* /')}. */\n  ${operationId}: ${type}\n`
}
const IF_NONE_MATCH = 'If-None-Match'

/** The text of `holdfast-api.d.cts`. */
export function declarations(document: ApiDocument): string {
  const rows = rowsOf(document)
  const members = rows.map(memberOf).join('')
  const used = usedIn(members + BASE, typesOf(document.components.schemas))
  return `${BASE.replace('VERSION', document.info.version)}${used}export interface HoldfastApi {\n${members}}\n`
}

/** The declarations that a text uses, and those that they use. */
function usedIn(text: string, types: Readonly<Record<string, string>>): string {
  const found = new Set<string>()
  const visit = (one: string): void => {
    for (const [word] of one.matchAll(/\b[A-Z]\w+/g))
      if (Object.hasOwn(types, word) && !found.has(word)) {
        found.add(word)
        visit(types[word] ?? '')
      }
  }
  visit(text)
  return Object.entries(types)
    .filter(([name]) => found.has(name))
    .map(([, type]) => type)
    .join('')
}

const BASE = `/** The client of the Holdfast DNS management API VERSION, from its OpenAPI document. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : object
type Names<H extends string> = { get(name: H): string | null }
type Nothing = { [name: string]: never }
export interface CallOptions<H extends string = never> { signal?: Signal; headers?: [H] extends [never] ? Nothing : { [N in H]?: string } }
export interface ConditionalOptions { signal?: Signal; headers: { 'If-None-Match': string } }
/** A change that was made. */
export interface Done<H extends string = never> {
  status: number
  headers: Names<H>
  warnings: readonly Warning[]
  /** Of a dry run. */
  changes?: readonly PreviewedChange[]
}
export interface Answer<T, H extends string = never> extends Done<H> { data: T }
/** A page of a list. */
export interface Listed<T, H extends string = never> extends Answer<readonly T[], H> { page: Page }
export interface NotModified { status: 304; headers: Names<'ETag'>; data?: undefined; warnings: readonly Warning[] }
export interface HoldfastApiOptions {
  /** The URL of the service, before \`/v1\`. */
  server: string
  /** An API key; or the username and the password of an account. */
  token?: string
  username?: string
  password?: string
  fetch?: (url: string, init: { method: string; headers: Record<string, string>; redirect: 'manual'; body?: string; signal?: Signal }) =>
    Promise<{ status: number; headers: Names<string>; text(): Promise<string> }>
  signal?: Signal
}
/** The service refused the request, or the answer is not of the API: then \`errors\` is empty. */
export declare class HoldfastApiError extends Error {
  readonly operation: string
  readonly status: number
  readonly errors: readonly ApiError[]
  /** In seconds. */
  readonly retryAfter: number | undefined
}
export declare function holdfastApi(options: HoldfastApiOptions): HoldfastApi
/** All objects of a list, page by page: \`each(api.listNames, { limit: 500 })\`. */
export declare function each<L extends (...given: any) => Promise<Listed<any>>>(
  list: L, ...given: Parameters<L>): AsyncGenerator<Awaited<ReturnType<L>>['data'][number], void, undefined>
`
