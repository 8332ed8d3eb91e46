import { newLimit } from './new-limit.ts'
import { encodeName, readName } from '../../../src/shared/dns/name.ts'
import { readRecords, soaSerial } from '../../../src/shared/dns/request.ts'
import { parseResponse } from '../../../src/shared/dns/response.ts'
import { signTsig, type TsigKey, verifyTsig } from '../../../src/shared/dns/tsig.ts'
import { RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { type Fetch, handleDns } from '../../../src/service/publish/handle.ts'
import { RenderedAnswers } from '../../../src/service/publish/rendered-answers.ts'
import type { ResponseLimit } from '../../../src/service/publish/limit.ts'
import { soaRdata, type Wire, wire } from '../../shared/dns/wire.ts'
import { SETTINGS } from './flushed.ts'
import { NOW, textOf, type World } from './zones.ts'

const { CNAME, IXFR, NS, SOA } = RR_TYPES
export const SECONDS = Math.floor(NOW / 1000)
export const key = (name: string, over: Partial<TsigKey> = {}): TsigKey => ({
  name,
  algorithm: 'hmac-sha256',
  secret: new Secret(Buffer.from(name.padEnd(32)).toString('base64')),
  ...over,
})
export const [KEY, OTHER] = [key('ns1-key'), key('ns2-key', { algorithm: 'hmac-sha512' })]
const address = (text: string) => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(text)
  return parsed
}
const SECONDARIES = [
  { name: 'ns1', address: address('192.0.2.10'), port: 53, key: KEY, signs: false },
  { name: 'ns2', address: address('192.0.2.20'), port: 53, key: OTHER, signs: false },
]

export interface Call {
  readonly key?: TsigKey | undefined
  readonly peer?: string
  readonly isDatagram?: boolean
  readonly isAnswering?: boolean
  /** Of the requester, in seconds from ours. */
  readonly skew?: number
  readonly limit?: ResponseLimit
}
/** What is sent for one message. */
export async function sentFor(world: World, message: Buffer, call: Call = {}) {
  const fetches: Fetch[] = []
  const sent: Buffer[] = []
  const signed =
    call.key === undefined ? undefined : signTsig(message, call.key, { now: SECONDS + (call.skew ?? 0) })
  await world.store.read(async (reads) =>
    handleDns(
      {
        settings: () => ({
          ...SETTINGS,
          secondaries: SECONDARIES,
          nsid: 'ns1',
          isAnswering: call.isAnswering ?? true,
        }),
        read: async (work) => work(reads),
        rendered: new RenderedAnswers(),
        cookieSecret: new Secret('secret'),
        // The store in memory has one connection, which is in use.
        snapshot: async (_, work) => work(reads),
        limit: call.limit ?? newLimit(),
        now: () => NOW,
        onFetched: (fetch) => fetches.push(fetch),
        update: async () => undefined,
        accountKey: async () => undefined,
      },
      {
        bytes: signed?.message ?? message,
        peer: { address: address(call.peer ?? '192.0.2.10'), isDatagram: call.isDatagram ?? false },
      },
      async (octets) => void sent.push(octets),
    ),
  )
  return { sent, fetches, mac: signed?.mac }
}

const NAMES = Object.entries(RCODES)
export const rcodeOf = (octets: Buffer): string =>
  NAMES.find(([, code]) => code === ((octets[3] ?? 0) & 15))?.[0] ?? 'unknown'
export const tsigOf = (octets: Buffer) => parseResponse(octets)?.tsig
/** The records of messages, as "OWNER TTL TYPE VALUE"; of an SOA its serial. */
export const recordsIn = (messages: readonly Buffer[]): readonly string[] =>
  messages.flatMap((message) => {
    const end = 12 + encodeName(nameOf(message)).length + 4
    return (readRecords(message, end, message.readUInt16BE(6)) ?? []).map((record) => {
      const { name, type, ttl, rdataAt } = record
      if (type === SOA) return `${name} SOA ${soaSerial(message, record)}`
      // A name in RDATA may point to one before it.
      const target = type === NS || type === CNAME ? readName(message, rdataAt) : undefined
      const rdata = target === undefined ? message.subarray(rdataAt, record.end) : encodeName(target.name)
      return `${name} ${textOf({ type, ttl, rdata })}`
    })
  })
const nameOf = (message: Buffer): string => readName(message, 12)?.name ?? ''
/** Whether each message is signed in the chain from the request. */
export function areSigned(messages: readonly Buffer[], mac: Uint8Array | undefined, by = KEY): boolean {
  let previous = mac
  return messages.every((message, n) => {
    const tsig = tsigOf(message)
    if (tsig === undefined || previous === undefined) return false
    const check = verifyTsig(message, tsig, { keys: [by], now: SECONDS, previous, isFollowing: n > 0 })
    previous = tsig.mac
    return check.kind === 'valid'
  })
}
export const ixfr = (
  serial: number,
  { name, ...over }: Omit<Wire, 'name'> & { readonly name: string },
): Buffer =>
  wire({
    type: IXFR,
    name,
    authorities: [{ owner: encodeName(name), type: SOA, rdata: soaRdata(serial) }],
    ...over,
  })
