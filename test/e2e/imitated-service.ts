import { createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Family } from '../../src/shared/base/address.ts'
import {
  confirmedHostnames,
  dialectResponse,
  type DialectResponse,
  plainRequest,
  readDialect,
  type ServiceDialect,
} from '../fakes/service-dialect.ts'
import { type Service, service } from './processes.ts'

/**
 * A service that also answers as another one does, at its path. What it says and stores is that of `holdfast serve --dev`, to which
 * every request goes: at the path of the other service in the form of the specification, else as it is.
 */
export async function imitatedService(provider: string): Promise<Service> {
  const at = await service()
  const dialect = readDialect(provider, at.hostnames)
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, { at, dialect })
      .catch((error: unknown) => ({
        status: 500,
        headers: TEXT,
        body: `the imitation failed: ${String(error)}`,
      }))
      .then((response) => send(outgoing, response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { ...at, url, urls: [url] }
}

interface Imitation {
  readonly at: Service
  readonly dialect: ServiceDialect
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

async function answer(incoming: IncomingMessage, { at, dialect }: Imitation): Promise<DialectResponse> {
  const [path = '', query = ''] = (incoming.url ?? '').split('?')
  if (path !== dialect.path) return forward(incoming, at, incoming.url ?? '')
  const plain = plainRequest({ query, peer: incoming.socket.remoteAddress ?? '' }, dialect)
  if (plain === undefined) return { status: 200, headers: TEXT, body: 'badsys\n' }
  const response = await forward(incoming, at, plain.target)
  for (const hostname of confirmedHostnames(response.body, plain.items, dialect))
    for (const family of plain.deleted) await deleteAddress(at, hostname, family)
  return dialectResponse(response, dialect)
}

/** The same request to the real service, with another target. */
async function forward(incoming: IncomingMessage, at: Service, target: string): Promise<DialectResponse> {
  const { method, headers } = incoming
  const outgoing = open(`${at.url}${target}`, { method, headers, agent: false })
  incoming.pipe(outgoing)
  const response = await new Promise<IncomingMessage>((done, failed) =>
    outgoing.on('response', done).on('error', failed),
  )
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const kept = Object.entries(response.headers).flatMap(([name, value]) =>
    typeof value === 'string' && !CONNECTION_HEADERS.includes(name) ? [[name, value] as const] : [],
  )
  const body = Buffer.concat(chunks).toString()
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(kept), body }
}

/** Of one connection (RFC 9110 §7.6.1), or of a body that may be another one afterwards. */
const CONNECTION_HEADERS: readonly string[] = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
]

function send(outgoing: ServerResponse, { status, headers, body }: DialectResponse): void {
  // RFC 9110 §15.3.5: without a body.
  outgoing.writeHead(status, headers).end(status === 204 ? undefined : body)
}

/** What the other service deletes, because a request does not name it. */
async function deleteAddress({ url, apiKey }: Service, hostname: string, family: Family): Promise<void> {
  const [label = '', ...zone] = hostname.split('.')
  const type = family === 'v4' ? 'A' : 'AAAA'
  const response = await fetch(`${url}/v1/dns/records/${zone.join('.')}/${label}/rrsets/${type}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${apiKey}` },
  })
  if (!response.ok && response.status !== 404)
    throw new Error(`${hostname} ${type} was not deleted: ${response.status} ${await response.text()}`)
}
