import { parametersOf } from './parameters.ts'
import {
  errorResponses,
  json,
  NOT_MODIFIED,
  SHARED_COMPONENTS,
  successResponse,
  zoneFile,
} from './responses.ts'
import { ZONE_FILE } from '../contract/shared.ts'
import type { ApiService } from '../request/context.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes.ts'
import type { Schema } from './schema.ts'
import { SCHEMAS, withChanges } from './schemas.ts'

/** By its media type. A master file may come as a plain text too. */
const contentOf = (request: Schema): Schema =>
  request === ZONE_FILE ? { ...zoneFile(request), 'text/plain': { schema: request } } : json(request)

function operationOf(id: string, route: Route): Schema {
  const { request, isRequestOptional = false, response, statuses, headers = [], faults = [] } = route
  const shown = route.method !== 'GET' && 'properties' in response ? withChanges(response) : response
  const isTagged = headers.some((name) => name === 'ETag')
  const parameters = parametersOf({ ...route, isTagged })
  return {
    operationId: id,
    summary: route.summary,
    tags: [route.tag],
    ...(parameters.length > 0 && { parameters }),
    ...(request !== undefined && {
      requestBody: { required: !isRequestOptional, content: contentOf(request) },
    }),
    responses: {
      ...Object.fromEntries(
        statuses.map((status) => [
          String(status),
          {
            ...successResponse(status, shown, headers),
            ...(response === ZONE_FILE && { content: zoneFile(response) }),
          },
        ]),
      ),
      ...(isTagged && { 304: NOT_MODIFIED }),
      ...errorResponses(route, faults),
    },
    ...(route.isOpen && { security: [] }),
  }
}

const DESCRIPTION = `Zones, names, records, DDNS keys and API keys.

Objects of responses are closed: they have the described fields and no others. Unknown fields of a request are ignored,
with a warning; where additionalProperties is false, such as in the bodies that make keys, they are refused. A request
with an error changes nothing. All errors have the schema ErrorResponse, also 404 for an unknown path, 405 with Allow for
a method that a path does not have, and 413.`

/** What the API is. Its version is independent of that of the program (spec, "Versioning"). */
export const API_IDENTITY = { name: 'Holdfast DNS management API', version: '1.0.0' } as const

/** The OpenAPI 3.1 document of this API, from the table of routes. */
export function openApi({ name, version }: Pick<ApiService, 'name' | 'version'>): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const [id, route] of Object.entries<Route>(ROUTES)) {
    const path = `/v1${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(id, route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: name, version, description: DESCRIPTION },
    security: [{ Basic: [] }, { Bearer: [] }],
    paths,
    components: {
      schemas: SCHEMAS,
      ...SHARED_COMPONENTS,
      securitySchemes: {
        Basic: { type: 'http', scheme: 'basic' },
        Bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
