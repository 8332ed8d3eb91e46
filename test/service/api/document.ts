import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openApi } from '../../../src/service/api/openapi/openapi.ts'
import type { Route } from '../../../src/service/api/route.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'

/** Checks responses against the OpenAPI document of the service. */
export const DOCUMENT = openApi({ name: 'x', version: '1.0.0' }) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly responses: Readonly<Record<string, DocumentedResponse>>
  }
}
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema?: {
    readonly properties?: Readonly<
      Record<
        string,
        {
          readonly type: string
          readonly format?: string
          readonly items?: { readonly enum?: readonly string[] }
        }
      >
    >
    readonly enum?: readonly string[]
    readonly default?: unknown
  }
}
interface DocumentedResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
}
export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'doc', ...DOCUMENT })

const PATTERNS = Object.values(ROUTES).map((route: Route) => ({
  route,
  pattern: new RegExp(`^/v1${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))

/** Headers of HTTP and of CORS: they are those of every response. */
const GENERAL =
  /^(cache-control|connection|content-length|content-type|date|keep-alive|transfer-encoding|vary|access-control-.+)$/
/** These depend on the data: a response may leave them out. */
const OPTIONAL = ['created-labels']

/** The responses without an operation, by status. */
const SHARED: Readonly<Record<number, string>> = {
  404: 'pathUnknown',
  405: 'methodNotAllowed',
  413: 'bodyTooLarge',
}

export interface Answer {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: unknown
}

interface Place {
  readonly response: DocumentedResponse
  readonly pointer: string
}

const escaped = (path: string): string => encodeURIComponent(path.replaceAll('/', '~1'))

/** The difference between the body of a request that succeeded and the document; undefined if it conforms. */
export function requestMisfit(
  { method, path }: Pick<Answer, 'method' | 'path'>,
  body: unknown,
): string | undefined {
  const found = PATTERNS.find(({ route, pattern }) => route.method === method && pattern.test(path))
  const at = `doc#/paths/${escaped(`/v1${found?.route.path}`)}/${method.toLowerCase()}/requestBody`
  const type = found?.route.takesFile ? 'text~1dns' : 'application~1json'
  const validate = ajv.getSchema(`${at}/content/${type}/schema`)
  if (validate === undefined) return `${method} ${path} has no body`
  return validate(body) === true ? undefined : `${method} ${path}: ${ajv.errorsText(validate.errors)}`
}

function placeOf({ method: asked, path, status }: Answer): Place | undefined {
  const method = asked === 'HEAD' ? 'GET' : asked
  const found = PATTERNS.find(({ route, pattern }) => route.method === method && pattern.test(path))
  const shared = SHARED[status] ?? ''
  const documented = `/v1${found?.route.path ?? ''}`
  const response =
    found === undefined
      ? DOCUMENT.components.responses[shared]
      : DOCUMENT.paths[documented]?.[method.toLowerCase()]?.responses[status]
  const at =
    found === undefined
      ? `components/responses/${shared}`
      : `paths/${escaped(documented)}/${method.toLowerCase()}/responses/${status}`
  const [type = 'application/json'] = Object.keys(
    (response as { content?: object } | undefined)?.content ?? {},
  )
  return response && { response, pointer: `doc#/${at}/content/${escaped(type)}/schema` }
}

/** The difference between a response and the document; undefined if it conforms. */
export function misfit(answer: Answer): string | undefined {
  const { method, path, status, body } = answer
  if (path === '/v1/openapi.json' && (status === 200 || status === 400)) return undefined
  const place = placeOf(answer)
  if (place === undefined) return `${method} ${path} may not answer ${status}`
  const validate = ajv.getSchema(place.pointer)
  if (validate === undefined) return `there is no schema at ${place.pointer}`
  const faults = [
    ...(validate(body) === true ? [] : [ajv.errorsText(validate.errors)]),
    ...headerFaults(answer, place.response),
    ...unknownCodes(body, place.response),
  ]
  return faults.length === 0 ? undefined : `${method} ${path} ${status}: ${faults.join(', ')}`
}

function headerFaults({ headers }: Answer, { headers: known = {} }: DocumentedResponse): readonly string[] {
  const names = [...headers].map(([name]) => name.toLowerCase()).filter((name) => !GENERAL.test(name))
  const documented = Object.keys(known).map((name) => name.toLowerCase())
  return [
    ...names.filter((name) => !documented.includes(name)).map((name) => `unknown header ${name}`),
    ...documented
      .filter((name) => !OPTIONAL.includes(name) && !names.includes(name))
      .map((name) => `no header ${name}`),
  ]
}

/** The description of a status names the codes of its errors. */
function unknownCodes(body: unknown, { description }: DocumentedResponse): readonly string[] {
  const { errors = [] } = body as {
    readonly errors?: readonly { readonly code: string; readonly title: string }[]
  }
  // The status is that of the first error.
  return errors
    .slice(0, 1)
    .filter(({ code, title }) => !`; ${description};`.includes(`; ${code} ${title};`))
    .map(({ code, title }) => `unknown error ${code} ${title}`)
}
