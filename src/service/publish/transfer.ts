import { MessageBuilder } from '../../shared/dns/message.ts'
import type { DnsRequest } from '../../shared/dns/request.ts'
import { type DnsRecord, FLAGS, RR_TYPES } from '../../shared/dns/types.ts'
import type { PublishedReads, PublishedRow, PublishedZone } from '../store/published.ts'
import { answerFlags, limitOf } from './answer.ts'
import { decodeRows, ownerName } from './rows.ts'
import type { PublishSettings } from './settings.ts'
import { isNewer, soaRecord } from './soa.ts'

/** In octets: so that every owner can be pointed to (RFC 1035 §4.1.4), with room for a large record. */
const MAX_MESSAGE = 16_384
const LONGEST_MESSAGE = 65_535
/** Rows and steps that are read together. */
const PAGE = 500
const STEP_PAGE = 64

interface OwnedRecord extends DnsRecord {
  readonly owner: string
}

interface TransferContext {
  readonly reads: PublishedReads
  readonly zone: PublishedZone
  /** As the requester calls it: the catalog has no name in the store. */
  readonly apex: string
  readonly settings: Pick<PublishSettings, 'nameservers' | 'contact'>
  /** In octets: room for a signature in every message. */
  readonly reserved: number
}

/** The records of an AXFR: SOA, everything, SOA (RFC 5936 §2.2). */
async function* wholeZone({ reads, zone, apex, settings }: TransferContext): AsyncIterable<OwnedRecord> {
  const soa = soaOf({ zone, apex, settings })
  yield soa
  let last: PublishedRow | undefined
  do {
    const rows: readonly PublishedRow[] = await reads.publishedAfter(zone.id, last, PAGE)
    for (const row of rows) yield { ...row, owner: ownerName(row.owner, apex) }
    last = rows.at(-1)
  } while (last !== undefined)
  yield soa
}

const soaOf = ({
  zone,
  apex,
  settings,
}: Pick<TransferContext, 'zone' | 'apex' | 'settings'>): OwnedRecord => ({
  owner: apex,
  ...soaRecord({ apex, serial: zone.serial }, settings),
})

/** The steps from a serial (RFC 1995 §4): for each the SOA before, what went, the SOA after, what came. */
async function* steps(context: TransferContext, first: number): AsyncIterable<OwnedRecord> {
  const { reads, zone, apex } = context
  const soaAt = (serial: number) => soaOf({ ...context, zone: { ...zone, serial } })
  const owned = (octets: Uint8Array) =>
    decodeRows(octets).map((row) => ({ ...row, owner: ownerName(row.owner, apex) }))
  yield soaAt(zone.serial)
  for (let n = first; ; n += STEP_PAGE) {
    const page = await reads.steps(zone.id, n, STEP_PAGE)
    for (const { from, to, gone, come } of page) {
      yield soaAt(from)
      yield* owned(gone)
      yield soaAt(to)
      yield* owned(come)
    }
    if (page.length < STEP_PAGE) break
  }
  yield soaAt(zone.serial)
}

/** How an IXFR is answered. */
type IxfrAnswer =
  | { readonly kind: 'current' }
  /** The requester has a newer serial: a restored backup, or another primary. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'steps'; readonly first: number; readonly size: number }
  | { readonly kind: 'whole' }

async function ixfrAnswer(reads: PublishedReads, zone: PublishedZone, serial: number): Promise<IxfrAnswer> {
  if (serial === zone.serial) return { kind: 'current' }
  if (isNewer(serial, zone.serial)) return { kind: 'newer' }
  const first = await reads.stepNumber(zone.id, serial)
  if (first === undefined) return { kind: 'whole' }
  const size = await reads.stepsSize(zone.id, first)
  return size > zone.size ? { kind: 'whole' } : { kind: 'steps', first, size }
}

/** The messages of a transfer, unsigned. Each contains as many records as fit. */
export async function* messages(
  request: DnsRequest,
  records: AsyncIterable<OwnedRecord>,
  reserved: number,
): AsyncIterable<Buffer> {
  let builder = newMessage(request, { reserved, limit: MAX_MESSAGE })
  let count = 0
  for await (const { owner, ...record } of records) {
    count++
    if (builder.add('answer', owner, record)) continue
    if (count > 1) yield builder.done()
    builder = newMessage(request, { reserved, limit: MAX_MESSAGE })
    count = 1
    if (builder.add('answer', owner, record)) continue
    // A record that is larger than that has a message of its own.
    builder = newMessage(request, { reserved, limit: LONGEST_MESSAGE })
    builder.add('answer', owner, record)
  }
  yield builder.done()
}

function newMessage(
  request: DnsRequest,
  { reserved, limit }: { readonly reserved: number; readonly limit: number },
): MessageBuilder {
  const { id, question } = request
  const builder = new MessageBuilder({ id, flags: answerFlags(request) | FLAGS.AA, question, limit })
  builder.reserve(reserved)
  return builder
}

/** Only the SOA: of a query for it, and of an IXFR without steps, or that is to be repeated by TCP. */
export async function* soaAlone(context: TransferContext): AsyncIterable<OwnedRecord> {
  yield soaOf(context)
}

interface Transfer {
  readonly records: AsyncIterable<OwnedRecord>
  /** The requester has the zone after this. */
  readonly isComplete: boolean
}

/** The records of an AXFR or IXFR. `serial`: of the requester, with IXFR. */
export async function transferRecords(
  context: TransferContext,
  { serial, isDatagram }: { readonly serial: number | undefined; readonly isDatagram: boolean },
): Promise<Transfer> {
  if (serial === undefined) return { records: wholeZone(context), isComplete: true }
  const answer = await ixfrAnswer(context.reads, context.zone, serial)
  if (answer.kind === 'current' || answer.kind === 'newer')
    return { records: soaAlone(context), isComplete: true }
  if (answer.kind === 'steps') return { records: steps(context, answer.first), isComplete: true }
  return isDatagram
    ? { records: soaAlone(context), isComplete: false }
    : { records: wholeZone(context), isComplete: true }
}

/** Undefined if it is too large for the requester: then it is fetched by TCP (RFC 1995 §2). */
export async function datagramOf(
  request: DnsRequest,
  records: AsyncIterable<OwnedRecord>,
  reserved: number,
): Promise<Buffer | undefined> {
  const builder = newMessage(request, { reserved, limit: limitOf(request, true) })
  for await (const { owner, ...record } of records)
    if (!builder.add('answer', owner, record)) return undefined
  return builder.done()
}

export const isTransfer = (type: number): boolean => type === RR_TYPES.AXFR || type === RR_TYPES.IXFR
