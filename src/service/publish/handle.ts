import type { Instant } from '../../shared/base/time.ts'
import { cookieFor, isOwnCookie } from '../../shared/dns/cookie.ts'
import { ednsOption, withOptions } from '../../shared/dns/message.ts'
import { type DnsRequest, parseRequest } from '../../shared/dns/request.ts'
import {
  signTsig,
  type TsigCheck,
  type TsigKey,
  tsigLength,
  verifyTsig,
  withTsigFault,
} from '../../shared/dns/tsig.ts'
import { isUpdate } from '../../shared/dns/update-request.ts'
import { CLASSES, EDNS_OPTIONS, FLAGS, OPCODES, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import type { Address } from '../../shared/base/address.ts'
import type { Secret } from '../../shared/base/secret.ts'
import type { PublishedReads, PublishedZone } from '../store/published.ts'
import {
  type Answer,
  type AnsweredRequest,
  answerQuestion,
  emptyAnswer,
  hasRecords,
  isRendered,
  malformedAnswer,
} from './answer.ts'
import type { ResponseLimit } from './limit.ts'
import type { RenderedAnswers } from './rendered-answers.ts'
import type { PublishSettings, Secondary } from './settings.ts'
import { datagramOf, isTransfer, messages, soaAlone, transferRecords } from './transfer.ts'
import { isNewer } from './soa.ts'

export interface DnsPeer {
  readonly address: Address
  readonly isDatagram: boolean
}

/** What a secondary fetched, or is told that it has already. */
export interface Fetch {
  readonly secondary: Secondary
  readonly zone: PublishedZone
  readonly apex: string
  /** The secondary has a newer serial than this service. */
  readonly newer?: number
}

export interface DnsContext {
  readonly settings: () => PublishSettings & {
    readonly secondaries: readonly Secondary[]
    /** Whether questions of the public are answered. */
    readonly isAnswering: boolean
    /** What this server calls itself, to who asks (RFC 5001). */
    readonly nsid: string | undefined
  }
  /** Of the cookies that this service gives (RFC 7873 §6). */
  readonly cookieSecret: Secret
  readonly read: <T>(work: (reads: PublishedReads) => Promise<T>) => Promise<T>
  readonly rendered: RenderedAnswers
  /** One state of the zones for as long as a transfer takes; a few at a time for each secondary. */
  readonly snapshot: <T>(secondary: Secondary, work: (reads: PublishedReads) => Promise<T>) => Promise<T>
  readonly limit: ResponseLimit
  readonly now: () => Instant
  readonly onFetched: (fetch: Fetch) => void
  /** Answers UPDATE messages (RFC 2136). */
  readonly update: (call: { readonly bytes: Uint8Array; readonly peer: DnsPeer }, send: Send) => Promise<void>
  /** The key of an account by its name, which signs UPDATE messages and questions, and no transfers. */
  readonly accountKey: (name: string) => Promise<TsigKey | undefined>
}

type Send = (message: Buffer) => Promise<void>

/**
 * Answers one message; sends nothing to what is no request. The order of checks: header, question, signature, peer, zone,
 * type. A request of a secondary is signed by it, and so is every message of its answer (RFC 8945 §5.3).
 */
export async function handleDns(
  context: DnsContext,
  { bytes, peer }: { readonly bytes: Uint8Array; readonly peer: DnsPeer },
  send: Send,
): Promise<void> {
  if (isUpdate(bytes)) return context.update({ bytes, peer }, send)
  const parsed = parseRequest(bytes)
  if (parsed.kind === 'dropped') return
  const refuse = async ({ id, opcode }: Pick<DnsRequest, 'id' | 'opcode'>): Promise<void> =>
    isAllowed(context, peer, { kind: 'FORMERR', length: bytes.length })
      ? send(malformedAnswer(id, opcode))
      : undefined
  if (parsed.kind === 'malformed') return refuse(parsed)
  const { request } = parsed
  const { tsig } = request
  if (tsig === undefined) return answerPlain(context, { request, peer }, send)
  const keys = context.settings().secondaries.map(({ key }) => key)
  const isOfSecondary = keys.some(({ name }) => name === tsig.keyName)
  const accountKey = isOfSecondary ? undefined : await context.accountKey(tsig.keyName)
  const check = verifyTsig(bytes, tsig, {
    keys: accountKey === undefined ? keys : [accountKey],
    now: secondsOf(context.now()),
  })
  if (check.kind === 'malformed') return refuse(request)
  if (check.kind === 'fault') {
    if (!isAllowed(context, peer, { kind: 'TSIG', length: bytes.length })) return undefined
    const answer = faultAnswer(request, check, secondsOf(context.now()))
    // A forged request must not be answered by much more than it has.
    return send(answer.length > bytes.length * MAX_GAIN ? emptyAnswer(request, RCODES.NOTAUTH) : answer)
  }
  const signer = signerOf(check.key, check.mac, () => secondsOf(context.now()))
  const sendSigned: Send = async (message) => send(signer(message))
  const signed = { request, peer, key: check.key }
  if (accountKey === undefined) return answerSigned(context, signed, sendSigned)
  const isQuestion = request.opcode === OPCODES.QUERY && !isTransfer(request.question.type)
  return isQuestion
    ? answerPlain(context, signed, sendSigned)
    : sendSigned(emptyAnswer(request, RCODES.REFUSED))
}

/** The most that an answer without a check of the peer is larger than its request. */
const MAX_GAIN = 2

/** Answers to what no honest peer sends have no truncated form. */
const isAllowed = (
  { limit, now }: DnsContext,
  { address, isDatagram }: DnsPeer,
  { kind, length }: { readonly kind: string; readonly length: number },
): boolean => !isDatagram || limit.check(address, kind, { length, now: now() }) === 'send'

const secondsOf = (now: Instant): number => Math.floor(now / 1000)

/**
 * Signs the messages of one answer: each covers the MAC of the one before,
 * the first that of the request (RFC 8945 §5.3.1).
 */
function signerOf(key: TsigKey, requestMac: Uint8Array, now: () => number): (message: Buffer) => Buffer {
  let [previous, isFollowing] = [requestMac, false]
  return (message) => {
    const signed = signTsig(message, key, { now: now(), previous, isFollowing })
    previous = signed.mac
    isFollowing = true
    return signed.message
  }
}

export function faultAnswer(
  request: AnsweredRequest & Pick<DnsRequest, 'tsig'>,
  { fault: kind, key, mac }: Extract<TsigCheck, { readonly kind: 'fault' }>,
  now: number,
): Buffer {
  const answer = emptyAnswer(request, RCODES.NOTAUTH)
  const { tsig } = request
  if (tsig === undefined) return answer
  if (key === undefined || mac === undefined || kind === 'BADKEY' || kind === 'BADSIG')
    return withTsigFault(answer, tsig, kind)
  return signTsig(answer, key, { now, fault: { kind, request: tsig }, previous: mac }).message
}

interface PlainCall {
  readonly request: DnsRequest
  readonly peer: DnsPeer
  /** Which signs the answer. */
  readonly key?: TsigKey
}

/** The first fault that every request may have, signed or not. */
function commonFault({ opcode, question, edns }: DnsRequest): number | undefined {
  if (opcode !== OPCODES.QUERY) return RCODES.NOTIMP
  if (question.class !== CLASSES.IN) return RCODES.REFUSED
  return edns !== undefined && edns.version > 0 ? RCODES.BADVERS : undefined
}

async function answerPlain(context: DnsContext, call: PlainCall, send: Send): Promise<void> {
  const { request, peer } = call
  const { isAnswering, nsid, ...soa } = context.settings()
  const fault = commonFault(request)
  const isRefused = !isAnswering || isTransfer(request.question.type)
  const { isDatagram } = peer
  const { rendered } = context
  const cookie = cookieOf(context, call)
  const options = Buffer.concat([
    ...(cookie === undefined ? [] : [ednsOption(EDNS_OPTIONS.COOKIE, cookie.next)]),
    ...(nsid === undefined || request.edns?.wantsNsid !== true
      ? []
      : [ednsOption(EDNS_OPTIONS.NSID, Buffer.from(nsid))]),
  ])
  const reserved = options.length + (call.key === undefined ? 0 : tsigLength(call.key))
  const answer =
    fault !== undefined || isRefused
      ? { message: emptyAnswer(request, fault ?? RCODES.REFUSED), apex: '' }
      : await context.read(async (reads) =>
          answerQuestion(request, { reads, soa, isDatagram, reserved, rendered }),
        )
  // Four bits of the RCODE are in the header; those of BADVERS are in the OPT too (RFC 6891 §6.1.3).
  const rcode = fault ?? (answer.message[3] ?? 0) & 15
  // Who has a cookie of this service received an answer before: the address is not forged (RFC 7873 §5.2.3).
  const isLimited = isDatagram && cookie?.isOwn !== true
  const verdict = isLimited ? limited(context, call, { ...answer, rcode }) : 'send'
  if (verdict === 'send') await send(withOptions(answer.message, options))
  if (verdict === 'truncate') await send(withOptions(truncated(request, rcode), options))
}

/** The cookie for the next request, and whether this one has an earlier one of it. */
function cookieOf({ cookieSecret, now }: DnsContext, { request, peer }: PlainCall) {
  const cookie = request.edns?.cookie
  if (cookie === undefined) return undefined
  const asking = { secret: cookieSecret, address: peer.address, now: secondsOf(now()) }
  return { next: cookieFor(cookie, asking), isOwn: isOwnCookie(cookie, asking) }
}

/** Answers with records are equal for one name and type; others for one RCODE in one zone, because names can be invented. */
function limited(
  context: DnsContext,
  { request, peer }: PlainCall,
  { message, apex, rcode }: Answer & { readonly rcode: number },
) {
  const { name, type } = request.question
  const kind = hasRecords(message) ? `${type} ${name}` : `${rcode} ${apex}`
  return context.limit.check(peer.address, kind, { length: message.length, now: context.now() })
}

function truncated(request: DnsRequest, rcode: number): Buffer {
  const empty = emptyAnswer(request, rcode)
  empty.writeUInt16BE(empty.readUInt16BE(2) | FLAGS.TC, 2)
  return empty
}

interface SignedCall extends PlainCall {
  readonly key: TsigKey
}

async function answerSigned(context: DnsContext, call: SignedCall, send: Send): Promise<void> {
  const { request, peer, key } = call
  const { name, type } = request.question
  const { secondaries, catalog } = context.settings()
  const secondary = secondaries.find((one) => one.key.name === key.name && one.address === peer.address)
  const fault = commonFault(request) ?? requestFault(request, peer, secondary)
  if (fault !== undefined || secondary === undefined)
    return send(emptyAnswer(request, fault ?? RCODES.REFUSED))
  const apexInStore = apexOf(name, catalog)
  const transfer = async (reads: PublishedReads, sendOne: Send): Promise<void> => {
    const zone = apexInStore === undefined ? undefined : await reads.publishedZone(apexInStore)
    if (!isRendered(zone)) return sendOne(emptyAnswer(request, RCODES.NOTAUTH))
    await sendZone(context, { ...call, reads, zone, secondary }, sendOne)
  }
  if (type !== RR_TYPES.SOA) return context.snapshot(secondary, async (reads) => transfer(reads, send))
  // The store does not wait for the peer.
  const answers: Buffer[] = []
  await context.read(async (reads) => transfer(reads, async (answer) => void answers.push(answer)))
  for (const answer of answers) await send(answer)
}

/** As the store calls a zone: the catalog is the empty name there, so that the root is none. */
const apexOf = (name: string, catalog: string): string | undefined => {
  if (name === catalog) return ''
  return name === '' ? undefined : name
}

function requestFault(
  { question, serial }: DnsRequest,
  peer: DnsPeer,
  secondary: Secondary | undefined,
): number | undefined {
  const { type } = question
  if (secondary === undefined || !(isTransfer(type) || type === RR_TYPES.SOA)) return RCODES.REFUSED
  // RFC 5936 §4.2: an AXFR is by TCP only. RFC 1995 §3: an IXFR says which serial it has.
  const isMalformed =
    (type === RR_TYPES.AXFR && peer.isDatagram) || (type === RR_TYPES.IXFR && serial === undefined)
  return isMalformed ? RCODES.FORMERR : undefined
}

interface ZoneCall extends SignedCall {
  readonly reads: PublishedReads
  readonly zone: PublishedZone
  readonly secondary: Secondary
}

async function sendZone(context: DnsContext, call: ZoneCall, send: Send): Promise<void> {
  const { request, peer, key, reads, zone, secondary } = call
  const apex = request.question.name
  const transfer = { reads, zone, apex, settings: context.settings(), reserved: tsigLength(key) }
  const { records, isComplete } =
    request.question.type === RR_TYPES.SOA
      ? { records: soaAlone(transfer), isComplete: false }
      : await transferRecords(transfer, { serial: request.serial, isDatagram: peer.isDatagram })
  const datagram = peer.isDatagram ? await datagramOf(request, records, transfer.reserved) : undefined
  const others = peer.isDatagram ? soaAlone(transfer) : records
  if (datagram !== undefined) await send(datagram)
  else for await (const message of messages(request, others, transfer.reserved)) await send(message)
  if (!isComplete || (peer.isDatagram && datagram === undefined)) return
  const { serial } = request
  context.onFetched({
    secondary,
    zone,
    apex,
    ...(serial !== undefined && isNewer(serial, zone.serial) && { newer: serial }),
  })
}
