import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Http, HttpOutcome, HttpRequest } from '../ports/http.ts'
import { type ExchangeContext, unreached } from './http-outcome.ts'
import { exchanged, follow, open, optionsFor } from './plain-http.ts'
import type { Proxy } from './proxy.ts'

type Unreached = Extract<HttpOutcome, { kind: 'unreached' }>

/**
 * The port through a proxy: CONNECT for https, so that the proxy sees no more than the name of the service, and the
 * absolute form of RFC 9112 §3.2.2 for http.
 */
export const proxiedHttp =
  (proxy: Proxy): Http =>
  async (request, signal) => {
    const ask = request.url.startsWith('https:') ? askInTunnel : askInClear
    const outcome = await ask(proxy, request, signal)
    if (outcome.kind === 'answered') return outcome
    return { ...outcome, because: `${outcome.because} (through the proxy ${proxy.url})` }
  }

type Ask = (proxy: Proxy, request: HttpRequest, signal: AbortSignal) => Promise<HttpOutcome>

const askInClear: Ask = async (proxy, request, signal) => {
  const { host } = new URL(request.url)
  const options = { ...toProxy(proxy, request, { ...request.headers, host }), path: request.url }
  const outcome = await exchanged(request, signal, { options, about: { url: proxy.url } })
  return outcome.kind === 'answered' && outcome.status === 407 ? refusal(407, host) : outcome
}

/** One deadline for both: the tunnel, and what is asked through it. */
const askInTunnel: Ask = async (proxy, request, signal) => {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(request.responseTimeout)])
  const tunnel = await tunnelThrough(proxy, request, deadline)
  if ('kind' in tunnel) return tunnel
  try {
    // The agent hands its options on to tls.connect(), which takes the socket instead of making one.
    const options: RequestOptions & { readonly socket: Socket } = { ...optionsFor(request), socket: tunnel }
    return await exchanged(request, deadline, { options, about: { url: request.url, isService: true } })
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
  const about: ExchangeContext = { url: proxy.url }
  if (deadline.aborted) return unreached(deadline.reason, about)
  const target = `${hostname}:${port === '' ? 443 : port}`
  const headers = { host: target, connection: 'keep-alive' }
  const exchange = open({ ...toProxy(proxy, request, headers), method: 'CONNECT', path: target })
  const progress = follow(exchange, request.connectTimeout)
  const giveUp = (): void => void exchange.destroy(deadline.reason as Error)
  deadline.addEventListener('abort', giveUp)
  try {
    return await new Promise<Socket | Unreached>((resolve, reject) => {
      exchange.on('error', reject)
      exchange.once('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket) => {
        if (statusCode >= 200 && statusCode < 300) return resolve(socket)
        socket.on('error', () => undefined).destroy()
        resolve(refusal(statusCode, host))
      })
    })
  } catch (error) {
    return withoutTunnel(unreached(error, { ...about, ...progress.stage }))
  } finally {
    progress.stop()
    deadline.removeEventListener('abort', giveUp)
  }
}

/** The service is not reached, however far the proxy is. */
const withoutTunnel = (outcome: Unreached): Unreached => {
  const { stage } = outcome
  if (stage === 'exchange') return { ...outcome, stage: 'connect', because: CLOSED }
  return stage === 'malformed' || stage === 'time-out' ? { ...outcome, stage: 'connect' } : outcome
}
const CLOSED = 'the proxy closed the connection'

/** The proxy is none of the service's: neither the service's authorities nor its name are for its certificate. */
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
    maxBodyBytes: maxBodyBytes,
    connectTimeout: connectTimeout,
    responseTimeout: responseTimeout,
  })
  const host = options.host ?? ''
  // Written out, for Node takes it from the Host header, which names the service. No address is one (RFC 6066 §3).
  return { ...options, servername: isIP(host) === 0 ? host : '' }
}

const refusal = (status: number, host: string): Unreached => ({
  kind: 'unreached',
  stage: 'connect',
  because:
    status === 407
      ? 'the proxy wants credentials, or others: 407'
      : `the proxy does not let us to ${host}: ${status}`,
})
