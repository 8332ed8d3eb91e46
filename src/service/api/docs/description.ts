import { plainError, type Rendered } from '../answer/render.ts'
import { openApi } from '../openapi/openapi.ts'
import { REQUEST_FAULTS } from '../request/faults.ts'
import type { ApiService } from '../request/context.ts'
import { DOCS_HEADERS, docsPage } from './docs-page.ts'

/** The description of the API, for programs as JSON and for people as a page. */
export interface ApiDescription {
  readonly json: () => string
  readonly page: () => string
}

/** Each is made once: it needs no login, and making it takes longer than most requests. */
export function describedOnce(service: Pick<ApiService, 'name' | 'version'>): ApiDescription {
  let json: string | undefined
  let page: string | undefined
  return {
    json: () => (json ??= JSON.stringify(openApi(service))),
    page: () => (page ??= docsPage(openApi(service))),
  }
}

interface DescriptionRequest {
  readonly method: string
  readonly path: string
  readonly query: string
}

/** The response to a request for the description; undefined for every other request. */
export function descriptionAt(
  { json, page }: ApiDescription,
  { method, path, query }: DescriptionRequest,
): Rendered | undefined {
  const place = path.replace(/\/$/, '')
  if (place !== '/v1/openapi.json' && place !== '/v1/docs') return undefined
  if (method !== 'GET' && method !== 'HEAD')
    return plainError(REQUEST_FAULTS.methodNotAllowed, { headers: { allow: 'GET, HEAD' } })
  if (query !== '')
    return plainError(REQUEST_FAULTS.queryInvalid, { detail: 'the document has no parameters' })
  return place === '/v1/docs'
    ? { status: 200, body: page(), headers: DOCS_HEADERS }
    : { status: 200, body: json(), headers: {} }
}
