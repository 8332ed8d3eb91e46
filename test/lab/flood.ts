import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A request that connections repeat. */
export interface Repeated {
  readonly url: string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** In turn. */
  readonly bodies?: readonly string[]
  readonly connections: number
  /** Whence they come. */
  readonly localAddress?: string
}

/** Answers are not parsed: the program that floods must not be what is measured. */
const PROGRAM = `
const { connect } = require('node:net')
const { url, method, path, headers, bodies = [''], connections, localAddress } = JSON.parse(process.argv[1])
const { hostname, port } = new URL(url)
const requests = bodies.map((body) => {
  const lines = Object.entries({ host: hostname, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) })
  return method + ' ' + path + ' HTTP/1.1\\r\\n' + lines.map(([k, v]) => k + ': ' + v + '\\r\\n').join('') + '\\r\\n' + body
})
const counts = {}
let nth = 0
const next = () => requests[nth++ % requests.length]
function open() {
  const socket = connect({ host: hostname, port, localAddress }, () => socket.write(next()))
  let left = -1, head = ''
  socket.on('data', (chunk) => {
    let length = chunk.length
    if (left < 0) {
      head += chunk.toString('latin1')
      const end = head.indexOf('\\r\\n\\r\\n')
      if (end < 0) return
      const status = head.slice(9, 12)
      counts[status] = (counts[status] ?? 0) + 1
      left = Number(/content-length: (\\d+)/i.exec(head)?.[1] ?? 0)
      length = head.length - end - 4
    }
    left -= length
    if (left > 0) return
    left = -1
    head = ''
    socket.write(next())
  })
  socket.on('error', () => undefined)
  socket.on('close', () => setTimeout(open, 10))
}
for (let n = 0; n < connections; n++) open()
console.log('open')
process.stdin.on('end', () => { console.log(JSON.stringify(counts)); process.exit() }).resume()
`

/** Repeats a request without end; the function it resolves with ends that, and gives the number of answers by status. */
export async function flood(repeated: Repeated): Promise<() => Promise<Readonly<Record<string, number>>>> {
  const child = spawn(process.execPath, ['-e', PROGRAM, JSON.stringify(repeated)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return async () => {
    const last = once(lines, 'line')
    child.stdin.end()
    const [text] = await last
    await once(child, 'close')
    return JSON.parse(String(text)) as Record<string, number>
  }
}
