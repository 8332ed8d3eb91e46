import { ProxyAgent } from 'undici'
import type { Http, HttpOutcome, HttpRequest } from '../ports/http.ts'
import { dispatched } from './dispatch.ts'
import type { Proxy } from './proxy.ts'

/**
 * The port through a proxy: CONNECT for https, so that the proxy sees no more than the name of the service, and the
 * absolute form of RFC 9112 §3.2.2 for http.
 */
export const proxiedHttp =
  (proxy: Proxy): Http =>
  async (request, signal) => {
    const about = { url: request.url, isService: true } as const
    return inWords(await dispatched(agentFor(proxy, request), request, signal, about), proxy, request)
  }

function agentFor({ url, authorization }: Proxy, { connectWithin, authorities }: HttpRequest): ProxyAgent {
  // Written out: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes only the default.
  const tls = { timeout: connectWithin, rejectUnauthorized: true }
  return new ProxyAgent({
    uri: url,
    proxyTunnel: false,
    allowH2: false,
    proxyTls: tls,
    requestTls: { ...tls, ...(authorities !== undefined && { ca: authorities }) },
    ...(authorization !== undefined && { token: authorization.reveal() }),
  })
}

/** By undici's words for what the proxy itself says, which is no word of the service. */
const REFUSAL = /^Proxy (?:response|Authentication Required) \((\d+)\)/

function inWords(outcome: HttpOutcome, { url }: Proxy, request: HttpRequest): HttpOutcome {
  if (outcome.kind === 'answered') return outcome
  const through = `(through the proxy ${url})`
  const [, status] = REFUSAL.exec(outcome.because) ?? []
  if (status === undefined) return { ...outcome, because: `${outcome.because} ${through}` }
  const says =
    status === '407'
      ? 'the proxy wants credentials, or others: 407'
      : `the proxy does not let us to ${new URL(request.url).host}: ${status}`
  return { ...outcome, stage: 'connect', because: `${says} ${through}` }
}
