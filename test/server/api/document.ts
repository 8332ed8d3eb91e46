import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openApi } from '../../../src/server/api/openapi.ts'
import { ROUTES, type Route } from '../../../src/server/api/routes.ts'

/** Checks responses against the OpenAPI document of the service. */
export const DOCUMENT = openApi({ name: 'x', version: '1.0.0' }) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
export interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: unknown }>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'doc', ...DOCUMENT })

const PATTERNS = Object.values(ROUTES).map((route: Route) => ({
  route,
  pattern: new RegExp(`^/v1${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))

/** The difference between a response and the document; undefined if it conforms. */
export function misfit(asked: string, target: string, status: number, body: unknown): string | undefined {
  const method = asked === 'HEAD' ? 'GET' : asked
  const [path = ''] = target.split('?')
  const found = PATTERNS.find(({ route, pattern }) => route.method === method && pattern.test(path))
  const isTold =
    found !== undefined &&
    DOCUMENT.paths[`/v1${found.route.path}`]?.[method.toLowerCase()]?.responses[status] !== undefined
  // Errors before a route is found have one schema.
  if (!isTold && ![401, 404, 405, 413, 415, 429].includes(status) && path !== '/v1/openapi.json')
    return `${method} ${path} may not answer ${status}`
  if (path === '/v1/openapi.json') return undefined
  const pointer = isTold
    ? `doc#/paths/${encodeURIComponent(`/v1${found.route.path}`.replaceAll('/', '~1'))}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
    : 'doc#/components/schemas/ErrorResponse'
  const validate = ajv.getSchema(pointer)
  if (validate === undefined) return `there is no schema at ${pointer}`
  return validate(body) === true
    ? undefined
    : `${method} ${target} ${status}: ${ajv.errorsText(validate.errors)}`
}
