import { type ClientRequest, type IncomingMessage, request as requestInClear } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Http, HttpRequest } from '../ports/http.ts'
import { type About, LOOKUP_TIMEOUT, answered, flat, readUpTo, unreached } from './http-outcome.ts'
import { lookUp } from './resolve.ts'

/**
 * The port on Node's own client: for the update itself, which every start of the program sends. undici takes longer to
 * load than all the rest of an update (decision 0021).
 */
export const plainHttp: Http = async (request, signal) => {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(request.answerWithin)])
  const about: About = { url: request.url, isService: true }
  if (deadline.aborted) return unreached(deadline.reason, about)
  let exchange: ClientRequest | undefined
  const giveUp = (): void => void exchange?.destroy(deadline.reason as Error)
  deadline.addEventListener('abort', giveUp)
  try {
    exchange = open(request)
    const response = await responseTo(exchange, request)
    // A reset looks like the end of an answer that has no other end: what came before it may be half of it.
    let broken: Error | undefined
    exchange.on('error', (error: Error) => (broken ??= error))
    const head = { status: response.statusCode ?? 0, headers: flat(response.headersDistinct) }
    const { text, failure } = await readUpTo(response, request.longestBody + 1)
    // Where the end of the connection is the end of the answer, one that we broke off looks whole.
    const isBroken = failure !== undefined || broken !== undefined || deadline.aborted
    const reason = failure ?? broken ?? deadline.reason
    return answered(head, { text, ...(isBroken && { failure: reason }) }, deadline, about)
  } catch (error) {
    return unreached(error, about)
  } finally {
    deadline.removeEventListener('abort', giveUp)
    exchange?.destroy()
  }
}

/** A connection of its own: after a change of address a pooled one is dead. */
function open({ url, method = 'GET', headers, family, from, authorities, body }: HttpRequest): ClientRequest {
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const options: RequestOptions = {
    method,
    host: hostname.replace(/^\[|\]$/g, ''),
    path: `${pathname}${search}`,
    headers,
    agent: false,
    // Written out: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes only the default.
    rejectUnauthorized: true,
    lookup: lookUp,
    ...(port !== '' && { port }),
    ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
    ...(from !== undefined && { localAddress: from }),
    ...(authorities !== undefined && { ca: authorities }),
  }
  // What TLS needs is loaded for TLS alone.
  const make = protocol === 'https:' ? process.getBuiltinModule('node:https').request : requestInClear
  return make(options).end(body)
}

async function responseTo(exchange: ClientRequest, { connectWithin }: HttpRequest): Promise<IncomingMessage> {
  let isLookedUp = isIP(exchange.host) !== 0
  const late = (): void => {
    const code = isLookedUp ? 'CONNECT_TIMEOUT' : LOOKUP_TIMEOUT
    exchange.destroy(
      Object.assign(new Error(isLookedUp ? 'no connection' : 'no name server answered in time'), { code }),
    )
  }
  const patience = setTimeout(late, connectWithin)
  exchange.once('socket', (socket) => {
    socket.once('lookup', () => (isLookedUp = true))
    const isSecure = 'encrypted' in socket
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(patience))
  })
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      exchange.once('response', resolve)
      exchange.once('error', reject)
      // A service that changes protocols in the middle is none of ours (RFC 9110 §7.8).
      exchange.once('upgrade', (_, socket) => {
        socket.destroy()
        reject(new Error('the other side wants another protocol'))
      })
    })
  } finally {
    clearTimeout(patience)
  }
}
