import { Client } from 'undici'
import type { Http, HttpRequest } from '../ports/http.ts'
import { dispatched } from './dispatch.ts'
import { lookUp } from './resolve.ts'

/**
 * One exchange over a connection of its own: after a change of address a pooled connection is a dead one.
 * Nothing here retries, follows a redirect or decompresses.
 */
export const undiciHttp: Http = async (request, signal) =>
  dispatched(clientFor(request), request, signal, { url: request.url })

function clientFor(request: HttpRequest): Client {
  const { family, from, authorities, connectTimeout, responseTimeout } = request
  return new Client(new URL(request.url).origin, {
    allowH2: false,
    pipelining: 0,
    headersTimeout: responseTimeout,
    bodyTimeout: responseTimeout,
    ...(from !== undefined && { localAddress: from }),
    connect: {
      timeout: connectTimeout,
      // Written out: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes only the default.
      rejectUnauthorized: true,
      lookup: lookUp,
      ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
      ...(authorities !== undefined && { ca: authorities }),
    },
  })
}
