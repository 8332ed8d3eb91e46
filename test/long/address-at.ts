import { createSocket } from 'node:dgram'
import { parseResponse, questionWire } from '../../src/shared/dns/response.ts'

/** The IPv4 address that a server gives for a name; undefined without an answer. */
export async function addressAt(port: number, name: string): Promise<string | undefined> {
  const socket = createSocket('udp4')
  const header = Buffer.alloc(12)
  header.writeUInt16BE(Math.floor(Math.random() * 65_536), 0)
  header.writeUInt16BE(1, 4)
  try {
    return await new Promise<string | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), 2000)
      socket.once('message', (bytes) => {
        clearTimeout(timer)
        const [record] = parseResponse(bytes)?.answers ?? []
        resolve(record === undefined ? undefined : [...bytes.subarray(record.rdataAt, record.end)].join('.'))
      })
      socket.send(Buffer.concat([header, questionWire(name, 1)]), port, '127.0.0.1')
    })
  } finally {
    socket.close()
  }
}
