import { ERRORS } from '../errors/errors.ts'
import { ROUTES, type Route, refusalsOf } from './routes.ts'
import type { ApiService } from './request-context.ts'
import { list, metadata, record, ref, type Schema, SCHEMAS, STRING } from './schemas.ts'

const item = (name: string): Schema => record({ data: ref(name), warnings: list(ref('Warning')) })
const items = (name: string): Schema =>
  record({ data: list(ref(name)), page: ref('Page'), warnings: list(ref('Warning')) })
const SUCCESS = ref('CommandSuccess')

/** Request and response schema of each operation, with its success statuses. */
// biome-ignore format: a table
const SHAPES: { readonly [K in keyof typeof ROUTES]: { readonly request?: Schema; readonly response: Schema; readonly statuses: readonly number[] } } = {
  listKeys:         { response: items('Key'), statuses: [200] },
  createKey:        { request: ref('KeyChange'), response: item('Key'), statuses: [201] },
  getKey:           { response: item('Key'), statuses: [200] },
  changeKey:        { request: ref('KeyChange'), response: item('KeyChanged'), statuses: [202] },
  deleteKey:        { response: item('KeyChanged'), statuses: [200] },
  listApiKeys:      { response: items('ApiKey'), statuses: [200] },
  createApiKey:     { request: ref('NewApiKey'), response: item('ApiKey'), statuses: [201] },
  deleteApiKey:     { response: item('KeyChanged'), statuses: [200] },
  about:            { response: item('About'), statuses: [200] },
  listZones:        { response: items('Zone'), statuses: [200] },
  createZone:       { request: ref('NewZone'), response: SUCCESS, statuses: [201] },
  getZone:          { response: item('Zone'), statuses: [200] },
  deleteZone:       { response: SUCCESS, statuses: [200] },
  publishZone:      { response: SUCCESS, statuses: [202] },
  getZoneMetadata:  { response: item('Metadata'), statuses: [200] },
  setZoneMetadata:  { request: record({ metadata }), response: SUCCESS, statuses: [202] },
  listAuthorities:  { response: items('Authority'), statuses: [200] },
  listClients:      { response: items('Client'), statuses: [200] },
  listNames:        { response: items('ListedName'), statuses: [200] },
  listZoneNames:    { response: items('Name'), statuses: [200] },
  createName:       { request: ref('NewName'), response: SUCCESS, statuses: [201] },
  changeRRSets:     { request: list(ref('RRSetPatch')), response: SUCCESS, statuses: [200, 202] },
  getName:          { response: item('Name'), statuses: [200] },
  deleteName:       { response: SUCCESS, statuses: [200] },
  publishName:      { response: SUCCESS, statuses: [202] },
  getNameMetadata:  { response: item('Metadata'), statuses: [200] },
  setNameMetadata:  { request: record({ metadata }), response: SUCCESS, statuses: [202] },
  getOffline:       { response: item('OfflineSettings'), statuses: [200] },
  setOffline:       { request: ref('OfflineSettings'), response: SUCCESS, statuses: [202] },
  deleteOffline:    { response: SUCCESS, statuses: [200] },
  listRRSets:       { response: items('RRSet'), statuses: [200] },
  createRRSets:     { request: list(ref('NewRRSet')), response: SUCCESS, statuses: [201] },
  getRRSet:         { response: item('RRSet'), statuses: [200] },
  replaceRRSet:     { request: ref('RRSetChange'), response: SUCCESS, statuses: [200, 201, 202] },
  deleteRRSet:      { response: SUCCESS, statuses: [200] },
  getRRSetMetadata: { response: item('Metadata'), statuses: [200] },
  setRRSetMetadata: { request: record({ metadata }), response: SUCCESS, statuses: [202] },
  replaceRdata:     { request: list(ref('NewRdata')), response: SUCCESS, statuses: [202] },
  appendRdata:      { request: list(ref('NewRdata')), response: SUCCESS, statuses: [201] },
  setRdata:         { request: record({ value: STRING, update_group: STRING }, ['value']), response: SUCCESS, statuses: [200, 201, 202] },
  deleteRdata:      { response: SUCCESS, statuses: [200] },
}

/** The headers of a success, by the method of its operation. */
const HEADERS: Readonly<Record<string, Schema>> = {
  GET: { ETag: { schema: STRING } },
  POST: { 'Created-Labels': { schema: STRING } },
  PUT: { 'Created-Labels': { schema: STRING } },
}
const hasHeaders = ({ method, path }: Route): boolean =>
  method === 'GET'
    ? /\{(name|dns_type)\}$/.test(path)
    : /^\/dns\/records\/(.*\/(rrsets|rdata|\{dns_type\})|[^/]+)$/.test(path)

const json = (schema: Schema): Schema => ({ 'application/json': { schema } })

/** The error responses of a route; each description lists the error codes of its status. */
function errorResponses(route: Route): Readonly<Record<string, Schema>> {
  const errors = refusalsOf(route).map((name) => ERRORS[name])
  const statuses = [
    ...new Set(errors.map(({ status }) => status)),
    400,
    ...(route.method === 'GET' ? [] : [412]),
    ...(route.isOpen ? [] : [403]),
    ...(route.isRateLimited ? [402, 404, 409, 429, 500] : [404, 409, 500]),
  ]
  return Object.fromEntries(
    [...new Set(statuses)]
      .toSorted((a, b) => a - b)
      .map((status) => {
        const codes = errors
          .filter((row) => row.status === status)
          .map(({ code, meaning }) => `${code} ${meaning}`)
        const description = codes.length > 0 ? codes.join('; ') : 'refused; see errors'
        return [String(status), { description, content: json(ref('ErrorResponse')) }]
      }),
  )
}

/** RFC 9110 §13.1.1: the tag of the name or of the RRSet in the path. */
const IF_MATCH = { name: 'If-Match', in: 'header', required: false, schema: STRING } as const

function operationOf(id: keyof typeof ROUTES, route: Route): Schema {
  const { request, response, statuses } = SHAPES[id]
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return {
    operationId: id,
    summary: route.summary,
    tags: [route.tag],
    ...(names.length > 0 && {
      parameters: [
        ...names.map((name) => ({ name, in: 'path', required: true, schema: STRING })),
        ...(names.includes('name') && route.method !== 'GET' ? [IF_MATCH] : []),
      ],
    }),
    ...(request !== undefined && { requestBody: { required: true, content: json(request) } }),
    responses: {
      ...Object.fromEntries(
        statuses.map((status) => [
          String(status),
          {
            description: 'success',
            content: json(response),
            ...(hasHeaders(route) && HEADERS[route.method] && { headers: HEADERS[route.method] }),
          },
        ]),
      ),
      ...errorResponses(route),
    },
    ...(route.isOpen && { security: [] }),
  }
}

/** The OpenAPI 3.1 document of this API, from the table of routes. */
export function openApi({ name, version }: Pick<ApiService, 'name' | 'version'>): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const [id, route] of Object.entries(ROUTES) as [keyof typeof ROUTES, Route][]) {
    const path = `/v1${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(id, route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: name, version },
    security: [{ Basic: [] }, { Bearer: [] }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        Basic: { type: 'http', scheme: 'basic' },
        Bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
