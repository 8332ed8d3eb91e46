import { Client } from 'undici'
import type { Http, HttpRequest } from '../ports/http.ts'
import { answered, flat, readUpTo, unreached } from './http-outcome.ts'

/**
 * One exchange over a connection of its own: after a change of address a pooled connection is a dead one.
 * Nothing here retries, follows a redirect or decompresses.
 */
export const undiciHttp: Http = async (request, signal) => {
  const { origin, pathname, search } = new URL(request.url)
  const client = clientFor(origin, request)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(request.answerWithin)])
  // undici hears a signal only once it is connected: a look-up that hangs would outlast every deadline.
  const giveUp = (): void => void client.destroy(deadline.reason as Error).catch(() => undefined)
  deadline.addEventListener('abort', giveUp)
  try {
    const path = `${pathname}${search}`
    const answer = await client.request({
      method: request.method ?? 'GET',
      ...(request.body !== undefined && { body: request.body }),
      path,
      headers: request.headers,
      signal: deadline,
      reset: true,
    })
    const body = await readUpTo(answer.body, request.longestBody + 1)
    return answered({ status: answer.statusCode, headers: flat(answer.headers) }, body, deadline, request)
  } catch (error) {
    return unreached(error, request)
  } finally {
    deadline.removeEventListener('abort', giveUp)
    await client.destroy().catch(() => undefined)
  }
}

function clientFor(origin: string, request: HttpRequest): Client {
  const { family, from, authorities, connectWithin, answerWithin } = request
  return new Client(origin, {
    allowH2: false,
    pipelining: 0,
    headersTimeout: answerWithin,
    bodyTimeout: answerWithin,
    ...(from !== undefined && { localAddress: from }),
    connect: {
      timeout: connectWithin,
      // Written out: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes only the default.
      rejectUnauthorized: true,
      ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
      ...(authorities !== undefined && { ca: authorities }),
    },
  })
}
