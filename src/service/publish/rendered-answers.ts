import type { DnsRequest } from '../../shared/dns/request.ts'
import { FLAGS, HEADER_LENGTH } from '../../shared/dns/types.ts'
import type { PublishedZone } from '../store/published.ts'
import type { PublishSettings } from './settings.ts'

/** In octets, with what an entry takes besides its answer. */
const MAX_SIZE = 32 * 1024 * 1024
const ENTRY_SIZE = 300
/** Of the flags, what an answer has from its request. */
const COPIED = FLAGS.RD | FLAGS.CD

export type Soa = Pick<PublishSettings, 'nameservers' | 'contact'>

interface Rendered {
  readonly zoneId: number
  readonly serial: number
  readonly soa: Soa
  readonly message: Buffer
}

const sizeOf = (key: string, { message }: Rendered): number => message.length + key.length + ENTRY_SIZE

/**
 * Answers with records as they were rendered: equal until the serial of their zone is another one. Answers without any are
 * not kept, because their names can be invented. Beyond the size, the oldest go.
 */
export class RenderedAnswers {
  readonly #rendered = new Map<string, Rendered>()
  #size = 0

  /** For this request; undefined where it must be rendered. `limit` in octets. */
  get(
    request: DnsRequest,
    { zone, soa, limit }: { readonly zone: PublishedZone; readonly soa: Soa; readonly limit: number },
  ): Buffer | undefined {
    const found = this.#rendered.get(keyOf(request, limit))
    const isCurrent =
      found?.zoneId === zone.id &&
      found.serial === zone.serial &&
      found.soa.nameservers === soa.nameservers &&
      found.soa.contact === soa.contact
    return isCurrent ? addressed(found.message, request) : undefined
  }

  keep(
    request: DnsRequest,
    message: Buffer,
    { zone, soa, limit }: { readonly zone: PublishedZone; readonly soa: Soa; readonly limit: number },
  ): void {
    const key = keyOf(request, limit)
    // The message is a part of a buffer that may be as long as the limit.
    const rendered = { zoneId: zone.id, serial: zone.serial, soa, message: Buffer.from(message) }
    this.#drop(key)
    this.#rendered.set(key, rendered)
    this.#size += sizeOf(key, rendered)
    for (const oldest of this.#rendered.keys()) {
      if (this.#size <= MAX_SIZE) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const rendered = this.#rendered.get(key)
    if (rendered === undefined) return
    this.#rendered.delete(key)
    this.#size -= sizeOf(key, rendered)
  }
}

/** What an answer depends on besides its zone. */
const keyOf = ({ question, edns }: DnsRequest, limit: number): string =>
  `${limit} ${edns === undefined ? '' : edns.isDnssecOk ? 'DO' : 'E'} ${question.type} ${question.name}`

/** The same answer to this request, whose name may be in other letters (RFC 1035 §2.3.3). */
function addressed(message: Buffer, { id, flags, question }: DnsRequest): Buffer {
  const answer = Buffer.from(message)
  answer.writeUInt16BE(id, 0)
  answer.writeUInt16BE((answer.readUInt16BE(2) & ~COPIED) | (flags & COPIED), 2)
  answer.set(question.wire, HEADER_LENGTH)
  return answer
}
