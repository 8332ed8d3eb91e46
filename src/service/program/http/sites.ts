import { after, type Instant, seconds } from '../../../shared/base/time.ts'
import { steadyClock } from '../../../shared/platform/clock/clock.ts'
import { isApiPath } from '../../api/handle.ts'
import type { RequestHandler } from '../../http/listen.ts'
import type { IncomingRequest } from '../../http/request.ts'
import { pageResponse, redirectResponse } from '../../http/site-response.ts'
import { type Site, siteOf } from '../../publish/site.ts'
import type { Store } from '../../store/store.ts'
import { isUpdatePath } from '../../../shared/protocol/request.ts'

/** For this long, a host without a site is not looked up again, such as the name of the service itself. */
const ABSENT_AGE = seconds(1)
const MAX_ABSENT = 1000

/**
 * The same handler, which also answers requests for the host of a redirect or an offline page. The paths of the service
 * never belong to a site: otherwise an account could catch the updates of others with a name that is the host of the
 * service.
 */
export function withSites(handle: RequestHandler, store: Store): RequestHandler {
  const absent = new Map<string, Instant>()
  const lookUp = async (host: string): Promise<Site | undefined> => {
    if ((absent.get(host) ?? 0) > steadyClock.now()) return undefined
    const site = await store.read(async (r) => siteOf(host, r))
    if (site !== undefined) return site
    if (absent.size >= MAX_ABSENT) absent.clear()
    absent.set(host, after(steadyClock.now(), ABSENT_AGE))
    return undefined
  }
  return async (request) => {
    const host = isServicePath(request.path) ? undefined : siteName(request)
    const site = host === undefined ? undefined : await lookUp(host)
    if (site === undefined) return handle(request)
    return site.kind === 'redirect' ? redirectResponse(request.method, site.url) : pageResponse(site)
  }
}

const isServicePath = (path: string): boolean =>
  isUpdatePath(path) ||
  isApiPath(path) ||
  path.startsWith('/console') ||
  path === '/healthz' ||
  path === '/readyz'

/** The host name without its port and last dot; undefined for an address and for one label. */
function siteName({ host = '' }: IncomingRequest): string | undefined {
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name) && !/^[\d.]+$/.test(name) ? name : undefined
}
