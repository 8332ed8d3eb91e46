import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'
import { parseRequest } from '../../src/shared/dns/request.ts'
import { FLAGS } from '../../src/shared/dns/types.ts'
import { wire, type WireRecord } from '../shared/dns/wire.ts'

export interface Asked {
  readonly name: string
  readonly type: number
  readonly isDatagram: boolean
}

export interface Given {
  /** Default: a response with AA. */
  readonly flags?: number
  readonly rcode?: number
  readonly answers?: readonly WireRecord[]
  readonly authorities?: readonly WireRecord[]
  /** Other octets than a response to the question. */
  readonly raw?: Buffer
}

/** Undefined: no answer. */
export type Answerer = (asked: Asked) => Given | undefined

const AUTHORITATIVE = FLAGS.QR | FLAGS.AA

function responseTo(bytes: Buffer, isDatagram: boolean, answer: Answerer): Buffer | undefined {
  const parsed = parseRequest(bytes)
  if (parsed.kind !== 'request') return undefined
  const { id, question } = parsed.request
  const { name, type } = question
  const given = answer({ name, type, isDatagram })
  if (given === undefined || given.raw !== undefined) return given?.raw
  const { flags = AUTHORITATIVE, rcode = 0, answers = [], authorities = [] } = given
  return wire({ id, flags: flags | rcode, name, type, answers, authorities })
}

/** Answers by UDP and TCP on one port; port 0 is a free one. */
export async function dnsResponder(answer: Answerer, host: string, wanted = 0) {
  const streams = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      const message = responseTo(bytes.subarray(2), false, answer)
      if (message !== undefined)
        socket.write(Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message]))
    })
  })
  await new Promise<void>((done) => streams.listen(wanted, host, done))
  const { port } = streams.address() as AddressInfo
  const datagrams = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  datagrams.on('message', (bytes, from) => {
    const message = responseTo(bytes, true, answer)
    if (message !== undefined) datagrams.send(message, from.port, from.address)
  })
  await new Promise<void>((done, fail) => datagrams.once('error', fail).bind(port, host, done))
  const close = async (): Promise<void> => {
    streams.close()
    await new Promise<void>((done) => datagrams.close(() => done()))
  }
  return { port, close }
}
