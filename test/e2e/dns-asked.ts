import { once } from 'node:events'
import { parseResponse } from '../../src/shared/dns/response.ts'
import { RCODES, RR_TYPES } from '../../src/shared/dns/types.ts'
import { addressOfBytes } from '../../src/shared/base/address.ts'
import { wire } from '../shared/dns/wire.ts'
import { datagramSocket } from './dns-traffic.ts'

const HOST = '127.0.0.1'
/** In milliseconds: a datagram may be lost, and then the caller asks again, as a resolver does. */
const ANSWER_TIME = 1000

const nameIn = (table: Readonly<Record<string, number>>, wanted: number): string =>
  Object.keys(table).find((one) => table[one] === wanted) ?? String(wanted)

/** What comes back by UDP, as the RCODE and what the answer has: "NOERROR 192.0.2.1", "NOERROR SOA". */
export async function askedAt(port: number, name: string, type: 'A' | 'SOA' | 'TXT' = 'A'): Promise<string> {
  const socket = await datagramSocket()
  const signal = AbortSignal.timeout(ANSWER_TIME)
  socket.send(wire({ name, type: RR_TYPES[type] }), port, HOST)
  const answered = once(socket, 'message', { signal }) as Promise<[Buffer]>
  const [bytes] = await answered.catch(() => [undefined])
  socket.close()
  const response = bytes === undefined ? undefined : parseResponse(bytes)
  if (response === undefined) return 'no answer'
  const { rcode, answers, message } = response
  const shown = answers.map((record) =>
    record.type === RR_TYPES.A
      ? addressOfBytes(message.subarray(record.rdataAt, record.rdataAt + 4))
      : nameIn(RR_TYPES, record.type),
  )
  return [nameIn(RCODES, rcode), ...shown].join(' ')
}
