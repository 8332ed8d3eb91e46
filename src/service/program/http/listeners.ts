import type { TlsFiles } from '../../../shared/ports/dns-listener.ts'
import { ok, type Result } from '../../../shared/base/result.ts'
import { formatListener, type Listener, type ServiceSettings } from '../../settings/service-settings.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Log } from '../../../shared/ports/log.ts'
import {
  listen,
  type ListenSettings,
  type OpenListener,
  type RequestHandler,
  type SocketOptions,
} from '../../http/listen.ts'
import { configurationFailure, type Failure } from '../../../shared/program/exit-codes.ts'

/** The first descriptor that systemd passes (sd_listen_fds(3)). */
const FIRST_FD = 3

/** How many listening sockets the supervisor has passed to this process. */
export function passedSockets(environment: NodeJS.ProcessEnv, pid: number): number {
  const count = Number(environment['LISTEN_FDS'])
  return environment['LISTEN_PID'] === String(pid) && count > 0 ? count : 0
}

export interface ListenParts {
  readonly handle: RequestHandler
  /** The settings of the moment: a reload changes some of them. */
  readonly current: () => ServiceSettings
  readonly tls: TlsFiles | undefined
  /** Sockets that the supervisor has passed: one for each listener, in the same order. */
  readonly passed: number
  readonly log: Log
  /** A connection was accepted. */
  readonly accepted: () => void
}

/** Opens every listener of the settings. If one fails, the others are closed again. */
export async function listenAll(parts: ListenParts): Promise<Result<readonly OpenListener[], Failure>> {
  const { handle, current, tls, passed, log, accepted } = parts
  const { listen: listeners } = current()
  if (passed > 0 && passed !== listeners.length)
    return configurationFailure(
      `systemd passes ${passed} sockets, and listen has ${listeners.length} entries ` +
        `(${listeners.map(formatListener).join(', ')}); they must be the same, in the same order`,
    )
  const onUntrustedProxy = once((peer: Address) =>
    log('warn', 'the header of a proxy is ignored', untrusted(peer, current().clientHeader)),
  )
  const settings = (): ListenSettings => ({ ...current(), onUntrustedProxy, onConnection: accepted })
  const open: OpenListener[] = []
  for (const [at, listener] of listeners.entries()) {
    const problem = await openOne(listener).then(
      (opened) => void open.push(opened),
      (error: Error) => listenProblem(listener, error),
    )
    const found = problem ?? portProblem(listener, open[at])
    if (found === undefined) continue
    await Promise.all(open.map(async (one) => one.close(0)))
    return configurationFailure(found)
  }
  return ok(open)

  async function openOne(listener: Listener): Promise<OpenListener> {
    const { host, port, isTls } = listener
    const socket: SocketOptions = {
      host,
      port,
      ...(isTls && tls !== undefined && { tls }),
      ...(passed > 0 && { fd: FIRST_FD + listeners.indexOf(listener) }),
    }
    return listen(socket, settings, handle)
  }
}

export const listenProblem = (listener: Listener, error: Error): string =>
  `cannot listen on ${formatListener(listener)}: ${error.message}${adviceOn(error)}`

/** A passed socket must be the one that its entry means: with another order, http would be spoken on the port of https. */
const portProblem = (listener: Listener, opened: OpenListener | undefined): string | undefined =>
  opened === undefined || listener.port === 0 || portOf(opened.url) === listener.port
    ? undefined
    : `systemd passes the socket of port ${portOf(opened.url)} where listen has ` +
      `${formatListener(listener)}; they must be in the same order`

const portOf = (url: string): number => Number(/:(\d+)$/.exec(url)?.[1])

const adviceOn = ({ code }: NodeJS.ErrnoException): string => {
  if (code === 'EACCES') return '; ports below 1024 need root, CAP_NET_BIND_SERVICE, or the socket unit'
  return code === 'EADDRINUSE' ? '; another program listens there' : ''
}

const once = <A>(report: (about: A) => void): ((about: A) => void) => {
  let isDone = false
  return (about) => {
    if (!isDone) report(about)
    isDone = true
  }
}

const untrusted = (peer: Address, header: string) => ({
  fields: { peer, header },
  line:
    `${peer} sends ${header} and is not in trusted_proxies, so the header is ignored; ` +
    'if it is your reverse proxy, add it: until then all clients behind it count as one',
})
