import type { Log } from '../../shared/ports/log.ts'
import { MAX_BODY_BYTES } from './listen.ts'
import type { IncomingRequest, OutgoingResponse } from './request.ts'

/** A handler with the paths that it serves. */
export interface PathHandler {
  readonly matches: (path: string) => boolean
  readonly handle: (request: IncomingRequest) => Promise<OutgoingResponse>
  /** HTTP/1.1 without Host is handled too. */
  readonly takesNoHost?: true
  /** It rejects long bodies of all methods itself. A handler without this does so for POST, PUT and PATCH. */
  readonly rejectsLongBodies?: true
  /** Fields for the log. A response of the API may contain a password, so each handler selects its own. */
  readonly logFields: (
    request: IncomingRequest,
    response: OutgoingResponse,
  ) => Readonly<Record<string, string>>
}

interface Logging {
  readonly log: Log
  /** Whether requests are logged: without it no fields are prepared. */
  readonly isLogged: boolean
}

const MAX_LOGGED_PATH = 100

/** Passes each request to the handler of its path; 404 without one. */
export const dispatch =
  (handlers: readonly PathHandler[], { log, isLogged }: Logging) =>
  async (request: IncomingRequest): Promise<OutgoingResponse> => {
    const handler = handlers.find(({ matches }) => matches(request.path))
    const response = rejectionOf(request, handler) ?? (await handler?.handle(request)) ?? NOT_FOUND
    if (isLogged)
      log('debug', 'answered', {
        fields: {
          peer: request.peer,
          path: request.path.slice(0, MAX_LOGGED_PATH),
          status: response.status,
          ...handler?.logFields(request, response),
        },
      })
    return response
  }

function rejectionOf(
  { lacksHost, hasLongBody }: IncomingRequest,
  handler: PathHandler | undefined,
): OutgoingResponse | undefined {
  if (lacksHost === true && handler?.takesNoHost !== true) return HOST_MISSING
  return hasLongBody === true && handler?.rejectsLongBodies !== true ? BODY_TOO_LONG : undefined
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

/** A plain-text response. */
export const textResponse = (status: number, body: string): OutgoingResponse => ({
  status,
  headers: TEXT,
  body,
})

const HOST_MISSING = textResponse(400, 'the request has no Host header\n')
const BODY_TOO_LONG = textResponse(413, `the body is longer than ${MAX_BODY_BYTES} bytes\n`)
const NOT_FOUND = textResponse(404, 'not found\n')

/** Counts requests in flight. `idle` resolves when there are none, so that the store can be closed. */
export function trackInFlight(handle: (request: IncomingRequest) => Promise<OutgoingResponse>) {
  let inFlight = 0
  let onIdle: (() => void) | undefined
  return {
    handle: async (request: IncomingRequest): Promise<OutgoingResponse> => {
      inFlight++
      try {
        return await handle(request)
      } finally {
        inFlight--
        if (inFlight === 0) onIdle?.()
      }
    },
    idle: async (): Promise<void> => {
      if (inFlight > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}
