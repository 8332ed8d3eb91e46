import { MAX_DATAGRAM, MessageBuilder } from '../../shared/dns/message.ts'
import { nameAndAncestors, parentName, readName } from '../../shared/dns/name.ts'
import type { DnsRequest } from '../../shared/dns/request.ts'
import { type DnsRecord, FLAGS, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import { WILDCARD } from '../model/dns-name.ts'
import type { PublishedReads, PublishedZone } from '../store/published.ts'
import { childKey, MAX_CHAIN, ownerKey, ownerName, parentKey } from './rows.ts'
import type { RenderedAnswers, Soa } from './rendered-answers.ts'
import { negativeSoa, soaRecord } from './soa.ts'

/** In octets, without EDNS (RFC 1035 §4.2.1). */
const MIN_DATAGRAM = 512
const MAX_MESSAGE = 65_535
/** RFC 4034 and RFC 5155: a zone that is not signed has none of them. */
const DNSSEC_TYPES: ReadonlySet<number> = new Set([46, 47, 48, 50, 51])

type Zone = Pick<PublishedZone, 'id' | 'apex' | 'serial'>

interface Answered {
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly answer: readonly Owned[]
  readonly authority: readonly Owned[]
  /** Addresses of name servers beneath the cut: without them the referral is of no use. */
  readonly glue: readonly Owned[]
}
interface Owned extends DnsRecord {
  readonly owner: string
}

export interface Answering {
  readonly reads: PublishedReads
  readonly soa: Soa
  readonly isDatagram: boolean
  /** In octets: what is added to the message later. */
  readonly reserved: number
  readonly rendered: RenderedAnswers
}

export interface Answer {
  readonly message: Buffer
  /** Of the zone that it is from; empty where there is none. */
  readonly apex: string
}

/** The answer of an authoritative server from the published records (RFC 1034 §4.3.2, RFC 4592). No recursion. */
export async function answerQuestion(
  request: DnsRequest,
  { reads, soa, isDatagram, reserved, rendered }: Answering,
): Promise<Answer> {
  const zone = await zoneToAsk(request.question, reads)
  const limit = limitOf(request, isDatagram) - reserved
  const apex = zone?.apex ?? ''
  if (!isRendered(zone)) return { message: written(request, REFUSED, limit), apex }
  const place = { zone, soa, limit }
  const known = rendered.get(request, place)
  if (known !== undefined) return { message: known, apex }
  const isDnssecOk = request.edns?.isDnssecOk === true
  const message = written(request, await lookUp({ zone, reads, soa, isDnssecOk }, request.question), limit)
  if (hasRecords(message)) rendered.keep(request, message, place)
  return { message, apex }
}

/** Where the header has the number of records in the answer section (RFC 1035 §4.1.1). */
const ANSWER_COUNT = 6

export const hasRecords = (message: Buffer): boolean => message.readUInt16BE(ANSWER_COUNT) > 0

const REFUSED: Answered = {
  rcode: RCODES.REFUSED,
  isAuthoritative: false,
  answer: [],
  authority: [],
  glue: [],
}

/** The DS of a zone is in the zone above it, if that is here (RFC 4035 §3.1.4.1). */
async function zoneToAsk(
  { name, type }: NameAndType,
  reads: PublishedReads,
): Promise<PublishedZone | undefined> {
  const zone = await publishedZoneOf(name, reads)
  if (type !== RR_TYPES.DS || zone?.apex !== name) return zone
  return (await publishedZoneOf(parentName(name) ?? '', reads)) ?? zone
}

/** A zone that was just made has no records before its first flush: other name servers refuse it. */
export const isRendered = (zone: PublishedZone | undefined): zone is PublishedZone =>
  zone !== undefined && zone.size > 0

/** The deepest zone that contains the name. */
export async function publishedZoneOf(
  name: string,
  reads: PublishedReads,
): Promise<PublishedZone | undefined> {
  for (const ancestor of nameAndAncestors(name)) {
    const zone = ancestor === '' ? undefined : await reads.publishedZone(ancestor)
    if (zone !== undefined) return zone
  }
  return undefined
}

interface Lookup {
  readonly zone: Zone
  readonly reads: PublishedReads
  readonly soa: Soa
  readonly isDnssecOk: boolean
}

interface NameAndType {
  readonly name: string
  readonly type: number
}

async function lookUp(lookup: Lookup, { name, type }: NameAndType): Promise<Answered> {
  const { zone } = lookup
  const answer: Owned[] = []
  for (let at = name; ; ) {
    const cut = await cutAbove(lookup, { name: at, type })
    // RFC 1035 §4.1.1: AA is of the first owner in the answer.
    if (cut !== undefined)
      return { ...(await referral(lookup, cut)), isAuthoritative: answer.length > 0, answer }
    const { records, exists } = await recordsFor(lookup, at)
    const owned = records.map((record) => ({ owner: at, ...record }))
    const [cname] = owned.filter((one) => one.type === RR_TYPES.CNAME)
    const isFollowed = cname !== undefined && type !== RR_TYPES.CNAME && type !== RR_TYPES.ANY
    if (!isFollowed) return final(lookup, { answer, own: ofType(withSoa(lookup, at, owned), type), exists })
    answer.push(cname)
    const target = readName(cname.rdata, 0)?.name ?? ''
    // The resolver follows a target outside the zone, and detects a loop.
    const isSeen = answer.some(({ owner }) => owner === target) || answer.length > MAX_CHAIN
    const isInside = target === zone.apex || target.endsWith(`.${zone.apex}`)
    if (!isInside || isSeen) return { ...REFUSED, rcode: RCODES.NOERROR, isAuthoritative: true, answer }
    at = target
  }
}

/** RFC 2308 §2: without records of the type, the SOA says how long that is known. */
function final(
  { zone, soa }: Lookup,
  found: { readonly answer: readonly Owned[]; readonly own: readonly Owned[]; readonly exists: boolean },
): Answered {
  const negative = { owner: zone.apex, ...negativeSoa(soaRecord(zone, soa)) }
  return {
    rcode: found.exists ? RCODES.NOERROR : RCODES.NXDOMAIN,
    isAuthoritative: true,
    answer: [...found.answer, ...found.own],
    authority: found.own.length > 0 ? [] : [negative],
    glue: [],
  }
}

const withSoa = ({ zone, soa }: Lookup, name: string, records: readonly Owned[]): readonly Owned[] =>
  name === zone.apex ? [{ owner: zone.apex, ...soaRecord(zone, soa) }, ...records] : records

/** For ANY the records of one type (RFC 8482 §4.1). */
function ofType(records: readonly Owned[], type: number): readonly Owned[] {
  if (type !== RR_TYPES.ANY) return records.filter((one) => one.type === type && !DNSSEC_TYPES.has(type))
  return records.filter((one) => one.type === records[0]?.type)
}

const ownerIn = (name: string, { apex }: Zone): string =>
  name === apex ? '' : ownerKey(name.slice(0, -apex.length - 1))

/** The highest delegation at or above a name. The DS of a cut belongs to this side of it (RFC 4035 §3.1.4.1). */
async function cutAbove(
  { zone, reads }: Pick<Lookup, 'zone' | 'reads'>,
  { name, type }: NameAndType,
): Promise<string | undefined> {
  const key = ownerIn(name, zone)
  const ancestors = [key]
  for (let at = parentKey(key); at !== undefined; at = parentKey(at)) ancestors.unshift(at)
  for (const ancestor of ancestors.slice(1)) {
    const isOwnDs = ancestor === key && type === RR_TYPES.DS
    const records = isOwnDs ? [] : await reads.publishedAt(zone.id, ancestor)
    if (records.some((one) => one.type === RR_TYPES.NS)) return ancestor
  }
  return undefined
}

async function referral(
  { zone, reads, isDnssecOk }: Lookup,
  cut: string,
): Promise<Omit<Answered, 'answer' | 'isAuthoritative'>> {
  const owner = ownerName(cut, zone.apex)
  const records = await reads.publishedAt(zone.id, cut)
  // RFC 4035 §3.1.4.1: a DS is sent only with DO.
  const authority = records.filter(({ type }) => type === RR_TYPES.NS || (isDnssecOk && type === RR_TYPES.DS))
  const glue: Owned[] = []
  for (const { type, rdata } of authority) {
    const host = type === RR_TYPES.NS ? (readName(rdata, 0)?.name ?? '') : ''
    if (!host.endsWith(`.${zone.apex}`)) continue
    const addresses = await reads.publishedAt(zone.id, ownerIn(host, zone))
    for (const record of addresses.filter(isAddress)) glue.push({ owner: host, ...record })
  }
  return {
    rcode: RCODES.NOERROR,
    authority: authority.map((record) => ({ owner, ...record })),
    glue,
  }
}

const isAddress = ({ type }: DnsRecord): boolean => type === RR_TYPES.A || type === RR_TYPES.AAAA

interface OwnRecords {
  /** The key of the name that has them; undefined without one. */
  readonly owner: string | undefined
  readonly records: readonly DnsRecord[]
  readonly exists: boolean
}
const absent = (exists: boolean): OwnRecords => ({ owner: undefined, records: [], exists })

/** The records at a name, or of the wildcard that makes it; and whether it exists (RFC 4592 §2.2.2, §3.3.1; RFC 8020). */
async function recordsFor(
  { zone, reads }: Pick<Lookup, 'zone' | 'reads'>,
  name: string,
): Promise<OwnRecords> {
  const key = ownerIn(name, zone)
  const own = await reads.publishedAt(zone.id, key)
  if (own.length > 0 || key === '') return { owner: key, records: own, exists: true }
  if (await reads.hasPublishedBelow(zone.id, key)) return absent(true)
  for (let encloser = parentKey(key); encloser !== undefined; encloser = parentKey(encloser)) {
    const owner = childKey(encloser, WILDCARD)
    const wildcard = await reads.publishedAt(zone.id, owner)
    if (wildcard.length > 0) return { owner, records: wildcard, exists: true }
    const exists =
      encloser === '' ||
      (await reads.publishedAt(zone.id, encloser)).length > 0 ||
      (await reads.hasPublishedBelow(zone.id, encloser))
    if (exists) return absent(false)
  }
  return absent(false)
}

/** The key of the name whose records answer for an address of this one; undefined without one, and beneath a delegation. */
export async function answeringOwner(
  name: string,
  lookup: Pick<Lookup, 'zone' | 'reads'>,
): Promise<string | undefined> {
  const cut = await cutAbove(lookup, { name, type: RR_TYPES.A })
  return cut === undefined ? (await recordsFor(lookup, name)).owner : undefined
}

/** RFC 6891 §6.2.3 and the limit of fragments; a stream has the limit of its length field. */
export const limitOf = ({ edns }: DnsRequest, isDatagram: boolean): number => {
  if (!isDatagram) return MAX_MESSAGE
  return edns === undefined ? MIN_DATAGRAM : Math.min(Math.max(edns.size, MIN_DATAGRAM), MAX_DATAGRAM)
}

/** The flags of every answer: those of the request that are copied, without RA. */
export const answerFlags = ({ flags, opcode }: Pick<DnsRequest, 'flags' | 'opcode'>): number =>
  FLAGS.QR | (opcode << 11) | (flags & (FLAGS.RD | FLAGS.CD))

function written(request: DnsRequest, result: Answered, limit: number): Buffer {
  const { id, question, edns } = request
  const flags = answerFlags(request) | (result.isAuthoritative ? FLAGS.AA : 0)
  const head = { id, flags, question, limit }
  const builder = new MessageBuilder(head)
  if (edns !== undefined) builder.withEdns(edns)
  builder.setRcode(result.rcode)
  const isWhole =
    result.answer.every(({ owner, ...record }) => builder.add('answer', owner, record)) &&
    result.authority.every(({ owner, ...record }) => builder.add('authority', owner, record)) &&
    result.glue.every(({ owner, ...record }) => builder.add('additional', owner, record))
  if (isWhole) return builder.done()
  // RFC 2181 §9: a truncated answer is asked again by TCP, so that its content has no use.
  const truncated = new MessageBuilder({ ...head, flags: flags | FLAGS.TC })
  if (edns !== undefined) truncated.withEdns(edns)
  truncated.setRcode(result.rcode)
  return truncated.done()
}

/** What an answer repeats. */
export type AnsweredRequest = Pick<DnsRequest, 'id' | 'flags' | 'opcode' | 'question' | 'edns'>

/** An answer without records. */
export function emptyAnswer(request: AnsweredRequest, rcode: number): Buffer {
  const { id, question, edns } = request
  const builder = new MessageBuilder({ id, flags: answerFlags(request), question, limit: MIN_DATAGRAM })
  if (edns !== undefined) builder.withEdns(edns)
  builder.setRcode(rcode)
  return builder.done()
}

/** To a message that cannot be parsed: its header alone (RFC 1035 §4.1.1). */
export const malformedAnswer = (id: number, opcode: number): Buffer => {
  const builder = new MessageBuilder({ id, flags: FLAGS.QR | (opcode << 11), limit: MIN_DATAGRAM })
  builder.setRcode(RCODES.FORMERR)
  return builder.done()
}
