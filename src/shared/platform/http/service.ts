import type { ServiceHttp } from '../../ports/http.ts'
import { plainHttp } from './plain.ts'
import { proxyFor } from './proxy.ts'
import { toWire } from './wire.ts'

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
