import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { readRecords, parseRequest, soaSerial } from '../../../src/shared/dns/request.ts'
import { questionWire } from '../../../src/shared/dns/response.ts'
import { signTsig, type TsigKey, verifyTsig } from '../../../src/shared/dns/tsig.ts'
import { FLAGS, OPCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { soaRdata, wire } from '../../shared/dns/wire.ts'

const HOST = '127.0.0.1'

/** What a name server does with a NOTIFY. */
export type Answering = 'signed' | 'unsigned' | 'refused' | 'silent' | 'another id'

/** A name server that answers NOTIFY and questions for the SOA by UDP; the test decides how, and what it serves. */
export async function nameServer(key: TsigKey) {
  const socket = createSocket('udp4')
  socket.bind(0, HOST)
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  const state = {
    port: socket.address().port,
    answering: 'signed' as Answering,
    /** Of each NOTIFY: zone, serial, and whether its signature is valid. */
    told: [] as (readonly [zone: string, serial: number | undefined, isSigned: boolean])[],
    asked: [] as string[],
    serves: new Map<string, number>(),
  }
  socket.on('message', (bytes, from) => {
    const parsed = parseRequest(bytes)
    if (parsed.kind !== 'request') return
    const { id, opcode, question, tsig } = parsed.request
    const send = (answer: Buffer): void => socket.send(answer, from.port, from.address)
    const { name } = question
    if (opcode !== OPCODES.NOTIFY) {
      state.asked.push(name)
      const serial = state.serves.get(name)
      const answers = serial === undefined ? [] : [{ type: RR_TYPES.SOA, rdata: soaRdata(serial) }]
      return send(wire({ id, flags: FLAGS.QR | FLAGS.AA, name, type: RR_TYPES.SOA, answers }))
    }
    const now = Math.floor(Date.now() / 1000)
    const check = tsig === undefined ? undefined : verifyTsig(bytes, tsig, { keys: [key], now })
    const [soa] = readRecords(bytes, 12 + questionWire(name, RR_TYPES.SOA).length, 1) ?? []
    state.told.push([name, soa === undefined ? undefined : soaSerial(bytes, soa), check?.kind === 'valid'])
    if (state.answering === 'silent' || tsig === undefined) return undefined
    const rcode = state.answering === 'refused' ? 5 : 0
    const answerId = state.answering === 'another id' ? id ^ 1 : id
    const flags = FLAGS.QR | (OPCODES.NOTIFY << 11) | rcode
    const answer = wire({ id: answerId, flags, name, type: RR_TYPES.SOA })
    return send(
      state.answering === 'unsigned' ? answer : signTsig(answer, key, { now, previous: tsig.mac }).message,
    )
  })
  return state
}
