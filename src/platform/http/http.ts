import { Client } from 'undici'
import type { Http, HttpRequest } from '../../ports/http.ts'
import { dispatchRequest } from './dispatch.ts'
import { checkServerIdentity, serverNameOf } from './identity.ts'
import { lookUp } from '../names/resolve.ts'

/**
 * The HTTP port on undici, for address sources. One new connection per exchange: after an address change, pooled
 * connections are dead. No retries, redirects or decompression.
 */
export const undiciHttp: Http = async (request, signal) =>
  dispatchRequest(clientFor(request), request, signal)

function clientFor(request: HttpRequest): Client {
  const { family, from, authorities, connectTimeout, responseTimeout } = request
  const { origin, hostname } = new URL(request.url)
  return new Client(origin, {
    allowH2: false,
    pipelining: 0,
    headersTimeout: responseTimeout,
    bodyTimeout: responseTimeout,
    ...(from !== undefined && { localAddress: from }),
    connect: {
      timeout: connectTimeout,
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes the default.
      rejectUnauthorized: true,
      checkServerIdentity,
      ...serverNameOf(hostname),
      lookup: lookUp,
      ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
      ...(authorities !== undefined && { ca: authorities }),
    },
  })
}
