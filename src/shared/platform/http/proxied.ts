import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Http, HttpOutcome, HttpRequest } from '../../ports/http.ts'
import { type ExchangeContext, unreached } from './outcome.ts'
import { httpExchange, open, optionsFor, trackProgress } from './plain.ts'
import type { Proxy } from './proxy.ts'
import { timeoutSignal } from '../clock/timer.ts'

type Unreached = Extract<HttpOutcome, { kind: 'unreached' }>

/**
 * The HTTP port through a proxy: CONNECT for https, so that the proxy learns only the name of the service, and the
 * absolute form (RFC 9112 §3.2.2) for http.
 */
export const proxiedHttp =
  (proxy: Proxy): Http =>
  async (request, signal) => {
    const send = request.url.startsWith('https:') ? sendThroughTunnel : sendAbsolute
    const outcome = await send(proxy, request, signal)
    if (outcome.kind === 'answered') return outcome
    return { ...outcome, because: `${outcome.because} (through the proxy ${proxy.url})` }
  }

type Send = (proxy: Proxy, request: HttpRequest, signal: AbortSignal) => Promise<HttpOutcome>

const sendAbsolute: Send = async (proxy, request, signal) => {
  const { host } = new URL(request.url)
  const options = { ...toProxy(proxy, request, { ...request.headers, host }), path: request.url }
  const outcome = await httpExchange(request, signal, { options, context: { url: proxy.url } })
  return outcome.kind === 'answered' && outcome.status === 407 ? refusedByProxy(407, host) : outcome
}

/** One deadline for both the tunnel and the exchange. */
const sendThroughTunnel: Send = async (proxy, request, signal) => {
  const deadline = AbortSignal.any([signal, timeoutSignal(request.responseTimeout)])
  const tunnel = await tunnelThrough(proxy, request, deadline)
  if ('kind' in tunnel) return tunnel
  try {
    // tls.connect() gets these options and uses the socket instead of creating one.
    const options: RequestOptions & { readonly socket: Socket } = { ...optionsFor(request), socket: tunnel }
    return await httpExchange(request, deadline, { options, context: { url: request.url, isService: true } })
  } finally {
    tunnel.destroy()
  }
}

async function tunnelThrough(
  proxy: Proxy,
  request: HttpRequest,
  deadline: AbortSignal,
): Promise<Socket | Unreached> {
  const { hostname, host, port } = new URL(request.url)
  const context: ExchangeContext = { url: proxy.url }
  if (deadline.aborted) return unreached(deadline.reason, context)
  const target = `${hostname}:${port === '' ? 443 : port}`
  const headers = { host: target, connection: 'keep-alive' }
  const connect = open({ ...toProxy(proxy, request, headers), method: 'CONNECT', path: target })
  const progress = trackProgress(connect, request.connectTimeout)
  const giveUp = (): void => void connect.destroy(deadline.reason as Error)
  deadline.addEventListener('abort', giveUp)
  try {
    return await new Promise<Socket | Unreached>((resolve, reject) => {
      connect.on('error', reject)
      connect.once('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket) => {
        if (statusCode >= 200 && statusCode < 300) return resolve(socket)
        socket.on('error', () => undefined).destroy()
        resolve(refusedByProxy(statusCode, host))
      })
    })
  } catch (error) {
    return withoutTunnel(unreached(error, { ...context, ...progress.stage }))
  } finally {
    progress.stop()
    deadline.removeEventListener('abort', giveUp)
  }
}

/** A failure after the proxy was connected is still a failure to connect to the service. */
const withoutTunnel = (outcome: Unreached): Unreached => {
  const { stage } = outcome
  if (stage === 'exchange') return { ...outcome, stage: 'connect', because: CLOSED }
  return stage === 'malformed' || stage === 'time-out' ? { ...outcome, stage: 'connect' } : outcome
}
const CLOSED = 'the proxy closed the connection'

/** Options for the proxy itself. The certificate authorities and the name of the service do not apply to its certificate. */
function toProxy(
  { url, authorization }: Proxy,
  { method = 'GET', maxBodyBytes, connectTimeout, responseTimeout }: HttpRequest,
  headers: Readonly<Record<string, string>>,
): RequestOptions {
  const credentials = authorization && { 'proxy-authorization': authorization.reveal() }
  const options = optionsFor({
    method,
    url,
    headers: { ...headers, ...credentials },
    maxBodyBytes,
    connectTimeout,
    responseTimeout,
  })
  const host = options.host ?? ''
  // Explicit, because Node derives it from the Host header, which names the service. Not for an address (RFC 6066 §3).
  return { ...options, servername: isIP(host) === 0 ? host : '' }
}

const refusedByProxy = (status: number, host: string): Unreached => ({
  kind: 'unreached',
  stage: 'connect',
  because:
    status === 407
      ? 'the proxy requires credentials, or rejects these: 407'
      : `the proxy refuses the connection to ${host}: ${status}`,
})
