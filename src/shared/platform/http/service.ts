import type { HttpRequest, OutgoingRequest, ServiceHttp } from '../../ports/http.ts'
import { plainHttp } from './plain.ts'
import { proxyFor } from './proxy.ts'
import type { SecretText } from '../../base/secret.ts'

/** The request as it is sent, with its secrets. Nothing but the port sees it, so that nothing can show it. */
export const toWire = ({ url, headers, body, ...rest }: OutgoingRequest): HttpRequest => ({
  ...rest,
  ...(body !== undefined && { body: revealed(body) }),
  url: url.reveal(),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, revealed(value)])),
})

const revealed = (value: string | SecretText): string => (typeof value === 'string' ? value : value.reveal())

/**
 * The HTTP port for the update service, through the proxy of the environment if there is one. Address sources never use
 * a proxy: they would report its address.
 */
export const serviceHttp: ServiceHttp = async (outgoing, signal) => {
  const request = toWire(outgoing)
  const proxy = proxyFor(request.url, process.env)
  if (!proxy.ok || proxy.value === undefined) return plainHttp(request, signal)
  const { proxiedHttp } = await import('./proxied.ts')
  return proxiedHttp(proxy.value)(request, signal)
}
