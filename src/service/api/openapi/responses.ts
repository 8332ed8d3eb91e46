import { ERRORS } from '../../model/errors.ts'
import { REQUEST_FAULTS, type RequestFaultName } from '../request/faults.ts'
import { type HeaderName, isAccountChange, type Route, refusalsOf, type SuccessStatus } from '../route.ts'
import { ZONE_FILE_TYPE } from '../zones/zone-export.ts'
import { ref, type Schema, string, wholeNumber } from './schema.ts'

export const json = (schema: Schema): Schema => ({ 'application/json': { schema } })

export const zoneFile = (schema: Schema): Schema => ({ [ZONE_FILE_TYPE]: { schema } })

/** The headers of responses. */
const HEADERS = {
  ETag: string(
    'The entity tag of the data (RFC 9110 §8.8.3), for If-Match and If-None-Match; of a list, for the second alone.',
  ),
  'Created-Labels': string(
    'The labels that the service created: a list of strings, each with its DNS type (RFC 9651 §3.1), such as "_1";type="A".',
  ),
  'Retry-After': wholeNumber('Seconds until the next request may succeed (RFC 9110 §10.2.3).', {
    minimum: 0,
  }),
  Allow: string('The methods of this path (RFC 9110 §10.2.1).'),
  'WWW-Authenticate': string('How the caller can identify itself (RFC 9110 §11.6.1).'),
} as const satisfies Readonly<Record<HeaderName, Schema>>

const headersOf = (names: readonly HeaderName[]): Schema =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }

const HEADERS_OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** The faults of every route of a kind: each is refused before the handler, or by what all handlers share. */
function commonFaults(route: Route): readonly RequestFaultName[] {
  const { method, path, isOpen, isRateLimited, takesFile } = route
  const isWrite = method !== 'GET'
  const hasBody = isWrite && method !== 'DELETE'
  const groups: readonly (readonly [applies: boolean | undefined, ...faults: readonly RequestFaultName[]])[] =
    [
      [path.includes('{'), 'pathInvalid'],
      [true, 'queryInvalid'],
      [true, 'bodyTooLarge'],
      [hasBody, 'bodyInvalid'],
      [hasBody, takesFile === true ? 'zoneFileExpected' : 'mediaTypeUnsupported'],
      [isWrite, 'ifMatchInvalid', 'preconditionFailed'],
      [isAccountChange(route), 'accountWebsiteOnly'],
      [!isOpen, 'accountSuspended', 'secondFactorMissing', 'tooManyFailedLogins'],
      [isRateLimited, 'tooManyRequests'],
      [true, 'overShare', 'internalError'],
      [true, 'storeAway', 'storeBusy'],
    ]
  return groups.flatMap(([applies, ...faults]) => (applies === true ? faults : []))
}

/** A response with an error; its description lists the codes. */
const errorResponse = (status: number, codes: readonly string[]): Schema => ({
  description: [...new Set(codes)].join('; '),
  ...headersOf(HEADERS_OF_STATUS[status] ?? []),
  content: json(ref('ErrorResponse')),
})

/** The error responses of a route; each description lists the error codes of its status. */
export function errorResponses(
  route: Route,
  ownFaults: readonly RequestFaultName[],
): Readonly<Record<string, Schema>> {
  const rows = [
    ...refusalsOf(route).map((name) => ERRORS[name]),
    ...[...ownFaults, ...commonFaults(route)].map((name) => ({
      ...REQUEST_FAULTS[name],
      meaning: REQUEST_FAULTS[name].title,
    })),
  ]
  const statuses = [...new Set(rows.map(({ status }) => status))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = rows.filter((row) => row.status === status)
      return [
        String(status),
        errorResponse(
          status,
          codes.map(({ code, meaning }) => `${code} ${meaning}`),
        ),
      ]
    }),
  )
}

/** The statuses of a success. */
const SUCCESSES = {
  200: 'Done: what was read, or what is as requested now.',
  201: 'Created.',
  202: 'Changed.',
} as const

/** A response of a success. The listed headers may be left out where they have no value. */
export const successResponse = (
  status: SuccessStatus,
  schema: Schema,
  headers: readonly HeaderName[],
): Schema => ({
  description: SUCCESSES[status],
  ...headersOf(headers),
  content: json(schema),
})

/** RFC 9110 §15.4.5: no body. */
export const NOT_MODIFIED: Schema = {
  description: 'Not changed since the response with the tag of If-None-Match.',
  ...headersOf(['ETag']),
}

const components = (names: readonly RequestFaultName[]): Schema =>
  Object.fromEntries(
    names.map((name) => {
      const { status, code, title } = REQUEST_FAULTS[name]
      return [name, errorResponse(status, [`${code} ${title}`])]
    }),
  )

/** What a request gets that belongs to no operation, and the headers of all responses. */
export const SHARED_COMPONENTS: Schema = {
  headers: Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }]),
  ),
  responses: components(['pathUnknown', 'methodNotAllowed', 'bodyTooLarge']),
}
