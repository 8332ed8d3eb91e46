import type { Log } from '../../ports/log.ts'
import type { IncomingRequest, OutgoingResponse } from './request.ts'

/** One part of the service: the paths that are its own, and what answers them. */
export interface PathHandler {
  readonly matches: (path: string) => boolean
  readonly handle: (request: IncomingRequest) => Promise<OutgoingResponse>
  /** What the log may show of an exchange; an answer of the API may hold a password. */
  readonly logFields: (
    request: IncomingRequest,
    response: OutgoingResponse,
  ) => Readonly<Record<string, string>>
}

interface Logging {
  readonly log: Log
  /** Whether each request is logFields at all; nothing is prepared for a line that is not written. */
  readonly isLogged: boolean
}

const LOGGED_PATH = 100

/** Hands each request to the part of the service that matches its path. */
export const dispatch =
  (parts: readonly PathHandler[], { log, isLogged }: Logging) =>
  async (request: IncomingRequest): Promise<OutgoingResponse> => {
    const part = parts.find(({ matches }) => matches(request.path))
    const response = part === undefined ? NOT_FOUND : await part.handle(request)
    if (isLogged)
      log('debug', 'answered', {
        fields: {
          peer: request.peer,
          path: request.path.slice(0, LOGGED_PATH),
          status: response.status,
          ...part?.logFields(request, response),
        },
      })
    return response
  }

const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

/** An answer of plain text. */
export const textResponse = (status: number, body: string): OutgoingResponse => ({
  status,
  headers: TEXT,
  body,
})

const NOT_FOUND = textResponse(404, 'there is nothing here\n')

/** Knows when no request is under way, so that the store is not closed under one. */
export function trackInFlight(handle: (request: IncomingRequest) => Promise<OutgoingResponse>) {
  let underWay = 0
  let done: (() => void) | undefined
  return {
    handle: async (request: IncomingRequest): Promise<OutgoingResponse> => {
      underWay++
      try {
        return await handle(request)
      } finally {
        underWay--
        if (underWay === 0) done?.()
      }
    },
    idle: async (): Promise<void> => {
      if (underWay > 0) await new Promise<void>((resolve) => (done = resolve))
    },
  }
}
