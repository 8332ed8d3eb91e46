import { readFile } from 'node:fs/promises'
import { err, ok, type Result } from '../../base/result.ts'
import { formatListener, type Listener, type ServiceSettings } from '../../config/service-settings.ts'
import {
  listen,
  type OpenListener,
  type RequestHandler,
  type SocketOptions,
} from '../../server/http/listen.ts'
import type { Address } from '../../net/address.ts'
import type { Log } from '../../ports/log.ts'
import type { Failure } from '../failure.ts'

export type Pem = SocketOptions['tls']

/** The certificate chain and the key; undefined without TLS. */
export async function readTls({ tlsCert, tlsKey }: ServiceSettings): Promise<Result<Pem, Failure>> {
  if (tlsCert === undefined || tlsKey === undefined) return ok(undefined)
  const [cert, key] = await Promise.all(
    [tlsCert, tlsKey].map(async (path) => readFile(path, 'utf8').catch(() => undefined)),
  )
  const missing = cert === undefined ? tlsCert : tlsKey
  return cert === undefined || key === undefined
    ? err({ exit: 'configuration', messages: [`${missing} cannot be read`] })
    : ok({ cert, key })
}

/** Opens every listener of the settings. If one fails, the others are closed again. */
export async function listenAll(
  settings: ServiceSettings,
  tls: Pem,
  { handle, log }: { readonly handle: RequestHandler; readonly log: Log },
): Promise<Result<readonly OpenListener[], Failure>> {
  const onUntrustedProxy = once((peer: Address) => log('warn', 'X-Forwarded-For is ignored', untrusted(peer)))
  const open: OpenListener[] = []
  for (const listener of settings.listen) {
    try {
      open.push(await listen(socketOptions(listener, tls), { ...settings, onUntrustedProxy }, handle))
    } catch (error) {
      await Promise.all(open.map(async (one) => one.close(0)))
      return err({
        exit: 'configuration',
        messages: [`cannot listen on ${formatListener(listener)}: ${(error as Error).message}`],
      })
    }
  }
  return ok(open)
}

const once = <A>(report: (about: A) => void): ((about: A) => void) => {
  let isDone = false
  return (about) => {
    if (!isDone) report(about)
    isDone = true
  }
}

const untrusted = (peer: Address) => ({
  fields: { peer },
  line: `${peer} sends X-Forwarded-For and is not in trusted_proxies, so the header is ignored; if it is your reverse proxy, add it: until then all clients behind it count as one`,
})

const socketOptions = ({ host, port, isTls }: Listener, tls: Pem): SocketOptions =>
  isTls && tls !== undefined ? { host, port, tls } : { host, port }
