import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { checkServerIdentity, serverNameOf } from './identity.ts'

/** Opens a connection to an origin, with TLS for https, and closes it. No request is sent. Undefined, or why it failed. */
export async function connectionProblem(origin: string, timeout: number): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const isSecure = protocol === 'https:'
    const socket = isSecure
      ? connectTls({
          host,
          port: Number(port === '' ? 443 : port),
          checkServerIdentity,
          ...(/^[\d.:]+$/.test(host) ? {} : { servername: host, ...serverNameOf(host) }),
        })
      : connectTcp({ host, port: Number(port === '' ? 80 : port) })
    const finish = (problem: string | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(problem)
    }
    const timer = setTimeout(() => finish('it does not answer'), timeout)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => finish(undefined))
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
  })
}
