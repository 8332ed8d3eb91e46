import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Requested {
  readonly method: string
  readonly path: string
  /** What the browser does with the answer (Sec-Fetch-Dest): "empty" for a script; undefined for other programs. */
  readonly destination: string | undefined
}

/** A server in front of a service, which notes every request that reaches it. It ends with the test. */
export async function countingServer(service: string) {
  const requests: Requested[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    requests.push({ method, path: url, destination: headers['sec-fetch-dest']?.toString() })
    const passed = request(new URL(url, service), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
