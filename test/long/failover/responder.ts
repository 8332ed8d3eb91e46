import { createSocket } from 'node:dgram'
import { parseRequest } from '../../../src/shared/dns/request.ts'
import { questionWire } from '../../../src/shared/dns/response.ts'
import { signTsig, type TsigKey } from '../../../src/shared/dns/tsig.ts'
import { OPCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { wire } from '../../shared/dns/wire.ts'
import { SECRET } from '../../system/name-server-programs.ts'

export const keyOf = (name: string): TsigKey => ({
  name: `${name}-key`,
  algorithm: 'hmac-sha256',
  secret: new Secret(SECRET),
})
export const secondsNow = (): number => Math.floor(Date.now() / 1000)

/** What a service hears from a secondary by UDP: NOTIFY is acknowledged, and a question for a serial answered. */
export async function startResponder(name: string, serialOf: (zone: string) => number | undefined) {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  let asked = 0
  socket.on('message', (message, { port, address }) => {
    asked++
    const answer = answerOf(message, keyOf(name), serialOf)
    if (answer !== undefined) socket.send(answer, port, address)
  })
  return { name, port: socket.address().port, asked: () => asked, close: () => void socket.close() }
}

function answerOf(
  message: Buffer,
  key: TsigKey,
  serialOf: (zone: string) => number | undefined,
): Buffer | undefined {
  const parsed = parseRequest(message)
  if (parsed.kind !== 'request') return undefined
  const { question, opcode, tsig } = parsed.request
  if (opcode === OPCODES.NOTIFY && tsig !== undefined) {
    const answer = Buffer.from(message.subarray(0, tsig.start))
    answer.writeUInt16BE(answer.readUInt16BE(10) - 1, 10)
    answer.writeUInt8((answer[2] ?? 0) | 0x80, 2)
    return signTsig(answer, key, { now: secondsNow(), previous: tsig.mac }).message
  }
  const { name, type } = question
  const serial = type === RR_TYPES.SOA ? serialOf(name) : undefined
  const head = { id: message.readUInt16BE(0), name, type }
  // REFUSED, as of a zone that it does not have.
  if (serial === undefined) return wire({ ...head, flags: 0x8005 })
  // MNAME and RNAME are the root; then five numbers.
  const rdata = Buffer.alloc(22)
  rdata.writeUInt32BE(serial, 2)
  return wire({
    ...head,
    flags: 0x8400,
    answers: [{ owner: questionWire(name, type).subarray(0, -4), type, rdata }],
  })
}
