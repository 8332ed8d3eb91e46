/** In a namespace whose link is down: prints when the outside could be reached for the first time. */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Lab } from '../lab/lab.ts'
import { STUN_PORT, serviceV4 } from '../lab/plan.ts'

/**
 * Asks a STUN service each 20 ms. Each request has its number in it, so that the answer, which comes 50 ms
 * later, tells when its question left.
 */
const ASKER = `
  const socket = require('dgram').createSocket('udp4')
  const asked = []
  const now = () => performance.timeOrigin + performance.now()
  socket.on('error', () => undefined)
  socket.on('message', (answer) => {
    console.log(asked[answer.readUInt32BE(16)])
    process.exit()
  })
  const ask = () => {
    const query = Buffer.alloc(20)
    query.writeUInt16BE(1, 0); query.writeUInt32BE(0x2112a442, 4); query.writeUInt32BE(asked.length, 16)
    asked.push(now())
    socket.send(query, ${STUN_PORT}, '${serviceV4(2)}', () => undefined)
  }
  socket.bind(0, () => { console.log('ready'); setInterval(ask, 20) })`

export interface Watch {
  readonly usableAt: Promise<number>
}

/** Is asking already when this is done. */
export async function watchForNetwork(lab: Lab): Promise<Watch> {
  const child: ChildProcess = lab.spawn('host', process.execPath, ['-e', ASKER])
  if (child.stdout === null) throw new Error('the asker has no output')
  child.stderr?.resume()
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value } = await lines.next()
    if (value === undefined) throw new Error('the asker has ended')
    return value
  }
  await next()
  const usableAt = next().then(Number)
  usableAt.catch(() => undefined)
  return { usableAt }
}
