import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

interface Questions {
  readonly port: number
  /** Question sections, in turn. */
  readonly wires: readonly Uint8Array[]
  /** Questions a second. */
  readonly rate: number
  /** Networks (/24) that they come from. */
  readonly networks: number
}

/** Answers are counted, not read: the program that floods must not be what is measured. */
const PROGRAM = `
const { createSocket } = require('node:dgram')
const { port, wires, rate, networks } = JSON.parse(process.argv[1])
const packets = wires.map((one) => Buffer.from(one, 'base64'))
let [sent, answered] = [0, 0]
const sockets = Array.from({ length: Math.max(networks, 8) }, (_, n) => {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4e6, sendBufferSize: 4e6 })
  socket.on('message', () => answered++)
  socket.on('error', () => undefined)
  socket.bind(0, '127.0.' + (1 + (n % networks)) + '.' + (1 + Math.floor(n / networks)), () => socket.connect(port, '127.0.0.1'))
  return socket
})
setTimeout(() => {
  const began = performance.now()
  setInterval(() => {
    for (const due = ((performance.now() - began) * rate) / 1000; sent < due; sent++) {
      const packet = packets[sent % packets.length]
      packet.writeUInt16BE(sent & 65535, 0)
      sockets[sent % sockets.length].send(packet, () => undefined)
    }
  }, 2)
  console.log('open')
}, 500)
process.stdin.on('end', () => { console.log(JSON.stringify({ sent, answered })); process.exit() }).resume()
`

/** Of one question, with any id (RFC 1035 §4.1.1). */
const HEADER = Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])

/** Asks without end; the function it resolves with ends that, and gives what was sent and answered. */
export async function questionFlood(
  questions: Questions,
): Promise<() => Promise<{ readonly sent: number; readonly answered: number }>> {
  const wires = questions.wires.map((wire) => Buffer.concat([HEADER, wire]).toString('base64'))
  const child = spawn(process.execPath, ['-e', PROGRAM, JSON.stringify({ ...questions, wires })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return async () => {
    const last = once(lines, 'line')
    child.stdin.end()
    const [line] = (await last) as [string]
    return JSON.parse(line) as { sent: number; answered: number }
  }
}
