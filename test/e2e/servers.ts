import { execFileSync } from 'node:child_process'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { scratch } from './processes.ts'

interface ServerAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
}

/** An HTTP service on loopback; ends with the test. */
export async function answering(
  answer: (target: string, headers: IncomingHttpHeaders) => ServerAnswer | 'hang up' | 'never',
): Promise<string> {
  const server = createServer(({ url = '', headers }, response) => {
    const given = answer(url, headers)
    if (given === 'never') return
    if (given === 'hang up') response.destroy()
    else response.writeHead(given.status, given.headers).end(given.body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Flags of an account at such a service, with all that it keeps in this folder. */
export const accountAt = (service: string, folder: string): readonly string[] => [
  '--server',
  service.replace(/\/$/, ''),
  '--username',
  'abc1234',
  '--hostname',
  'home.example.test',
  '--state-dir',
  join(folder, 'state'),
  '--runtime-dir',
  folder,
]

/** A source of the address that the test chooses. */
export const echo = async (address: () => string): Promise<string> =>
  answering(() => ({ status: 200, body: address() }))

interface Certificate {
  /** Paths. */
  readonly cert: string
  readonly key: string
}

/** A self-signed certificate and its key, in a folder that is deleted after the test. */
export const certificate = (subject: string): Certificate => certificateIn(scratch(), subject)

export function certificateIn(folder: string, subject: string): Certificate {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const names = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${subject}`]
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...names],
    { stdio: 'pipe' },
  )
  return { cert, key }
}
