import type { Address, Addresses } from '../../src/shared/base/address.ts'
import { address } from '../fakes/address.ts'
import { dnsAnswer } from './outside.ts'

export const ZONE = 'example.test'
export const NAME_SERVER = { name: 'ns1.dns.example', address: address('20.0.1.1') } as const

const [AA, NAME_ERROR, AAAA] = [0x0400, 3, 28]

/** The name servers of the zone: what they answer, which is some time behind the service. */
export class NameServers {
  readonly names = new Map<string, Addresses>()

  /** RFC 1035 §4.1, authoritative. */
  answer(query: Uint8Array): Uint8Array {
    const { name, type } = questionIn(query)
    const stored: Address | undefined = this.names.get(name)?.[type === AAAA ? 'v6' : 'v4']
    const message = Buffer.from(dnsAnswer(query, stored))
    const code = this.names.has(name) ? 0 : NAME_ERROR
    message.writeUInt16BE(0x8000 | AA | code, 2)
    return message
  }
}

function questionIn(query: Uint8Array): { name: string; type: number } {
  const message = Buffer.from(query)
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1) }
}
