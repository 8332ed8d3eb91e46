import { connect } from 'node:net'
import { decodeMessage, isResponse } from '../fakes/update-decode.ts'
import { UPDATE_ORIGIN } from '../fakes/update-messages.ts'
import type { ZoneRecord } from '../fakes/update-model.ts'
import { CLASS, HEADER_OCTETS, messageOctets, octets16, RCODE, TYPE } from '../fakes/update-wire.ts'

/** Messages of UPDATE and transfers by TCP. */

/** In milliseconds: for an answer, and for the proof that there is none. */
const [ANSWER_TIMEOUT, SILENCE] = [10_000, 50]

/** The messages of a stream that are whole. */
function* framesOf(octets: Buffer): Generator<Buffer> {
  for (let at = 0; at + 2 <= octets.length; ) {
    const end = at + 2 + octets.readUInt16BE(at)
    if (end > octets.length) return
    yield octets.subarray(at + 2, end)
    at = end
  }
}

const rcodeOf = (answer: Buffer): number => (answer[3] ?? 0) & 15
const framed = (octets: Buffer): Buffer => Buffer.concat([octets16(octets.length), octets])

/** The RCODE by TCP: servers limit the rate of some answers by UDP. Undefined: the connection ends, or no answer comes. */
export async function answered(port: number, octets: Buffer): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1')
  const isSilent = octets.length < HEADER_OCTETS || isResponse(octets.readUInt16BE(2))
  socket.setTimeout(isSilent ? SILENCE : ANSWER_TIMEOUT, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(framed(octets))
  return new Promise((done) => {
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (const answer of framesOf(received)) done(rcodeOf(answer))
      if (!framesOf(received).next().done) socket.destroy()
    })
    socket.once('close', () => done(undefined))
  })
}

/** A question for the whole zone, without a signature. */
export const transferRequest = (): Buffer =>
  messageOctets({
    id: 1,
    flags: 0,
    zones: [{ name: UPDATE_ORIGIN, type: TYPE.AXFR, class: CLASS.IN }],
    prerequisites: [],
    updates: [],
    additional: [],
  })

/** The zone by AXFR (RFC 5936): the SOA is its first record and its last. */
export async function transferredZone(port: number, request: Buffer): Promise<readonly ZoneRecord[]> {
  const socket = connect(port, '127.0.0.1')
  socket.write(framed(request))
  let octets = Buffer.alloc(0)
  for await (const chunk of socket) {
    octets = Buffer.concat([octets, chunk as Buffer])
    const frames = [...framesOf(octets)]
    if (frames.some((frame) => rcodeOf(frame) !== RCODE.NOERROR)) break
    const records = frames.flatMap((frame) => decodeMessage(frame).prerequisites)
    if (records.length > 1 && records.at(-1)?.type === TYPE.SOA)
      return records.slice(0, -1).map(({ class: _, ...one }) => ({ ...one, owner: one.owner.toLowerCase() }))
  }
  throw new Error('the zone was not transferred')
}
