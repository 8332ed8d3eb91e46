import { createHmac } from 'node:crypto'
import { encodeName } from '../../../src/shared/dns/name.ts'
import type { TsigKey } from '../../../src/shared/dns/tsig.ts'

/** RFC 8945 §4.3: a signature with a fudge of its sender's choice. */
export function withFudge(
  message: Buffer,
  { name, algorithm, secret }: TsigKey,
  { time, fudge }: { readonly time: number; readonly fudge: number },
): Buffer {
  const timers = Buffer.alloc(8)
  timers.writeUIntBE(time, 0, 6)
  timers.writeUInt16BE(fudge, 6)
  const head = Buffer.concat([encodeName(name), Buffer.from([0, 255, 0, 0, 0, 0])])
  const tail = Buffer.from([0, 0, 0, 0])
  const mac = createHmac('sha256', Buffer.from(secret.reveal(), 'base64'))
    .update(message)
    .update(Buffer.concat([head, encodeName(algorithm), timers, tail]))
    .digest()
  const rdata = Buffer.concat([
    encodeName(algorithm),
    timers,
    Buffer.from([0, 32]),
    mac,
    message.subarray(0, 2),
    tail,
  ])
  const fixed = Buffer.from([0, 250, 0, 255, 0, 0, 0, 0, rdata.length >> 8, rdata.length & 255])
  const all = Buffer.concat([message, encodeName(name), fixed, rdata])
  all.writeUInt16BE(all.readUInt16BE(10) + 1, 10)
  return all
}
