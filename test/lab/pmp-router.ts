/**
 * A NAT-PMP service (RFC 6886) that reports the address that it is given: pmp-router.ts ADDRESS [MS LATER]. "none" stands for
 * a router that has no address. After so many ms it reports the later one: that router has just been started, and others have
 * run for a day. AT is its own address, unless it is the usual one.
 */
import { createSocket } from 'node:dgram'
import { LAN_ROUTER } from './plan.ts'

const PORT = 5351
const [SUCCESS, UNSUPPORTED_VERSION, NETWORK_FAILURE] = [0, 1, 3]
const [first = 'none', span = 'Infinity', later = first] = process.argv.slice(2)
const start = performance.now()
/** In seconds. */
const uptime = span === 'Infinity' ? 86_400 : 0

function answerTo(query: Buffer): Buffer {
  const age = performance.now() - start
  const head = (code: number): Buffer => {
    const answer = Buffer.from([0, 128 | (query[1] ?? 0), 0, code, 0, 0, 0, 0])
    answer.writeUInt32BE(uptime + Math.floor(age / 1000), 4)
    return answer
  }
  if (query[0] !== 0) return head(UNSUPPORTED_VERSION)
  const address = age < Number(span) ? first : later
  if (address === 'none') return Buffer.concat([head(NETWORK_FAILURE), Buffer.alloc(4)])
  return Buffer.concat([head(SUCCESS), Buffer.from(address.split('.').map(Number))])
}

const socket = createSocket('udp4')
socket.on('message', (query, { address, port }) => {
  // Without a mapping: the only other request.
  if (query.length === 2 || query[0] !== 0) socket.send(answerTo(query), port, address, () => undefined)
})
socket.bind(PORT, process.env['AT'] ?? LAN_ROUTER, () => console.log('ready'))
