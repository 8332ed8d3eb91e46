import { challengeName } from '../model/delegation/proof.ts'
import { type Instant, milliseconds, seconds } from '../../shared/base/time.ts'
import { readName } from '../../shared/dns/name.ts'
import {
  isResponseTruncated,
  plainQuery,
  responseOfStream,
  responseToPlain,
  streamQuery,
} from '../../shared/dns/plain-query.ts'
import { type ReadRecord, soaSerial } from '../../shared/dns/request.ts'
import type { DnsResponse } from '../../shared/dns/response.ts'
import { CLASSES, FLAGS, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import { type Address, FAMILIES } from '../../shared/base/address.ts'
import type { Entropy } from '../../shared/ports/clock.ts'
import type { QuestionPorts } from '../../shared/ports/system.ts'
import { delegationAdvice } from '../model/delegation/advice.ts'
import type { DelegatedServer, Delegation, DelegationParent } from '../model/delegation/delegation.ts'
import { isNewer } from './soa.ts'

const QUESTION_TIMEOUT = seconds(2)
const RETRANSMISSIONS = [milliseconds(700)]
/** Of the parent; the next one is asked where one does not answer. */
const MAX_PARENT_SERVERS = 3
/** Of the zone. */
const MAX_SERVERS = 10
/** A zone is a few labels below its parent. */
const MAX_DEPTH = 10

export interface DelegationParts {
  readonly ports: QuestionPorts
  readonly entropy: Entropy
  readonly now: () => Instant
  /** Ends all questions: what is not known then stays unknown. */
  readonly signal: AbortSignal
  readonly port: number
  /** TXT values from the resolver of this host. */
  readonly texts: (name: string, signal: AbortSignal) => Promise<readonly string[]>
  /** Names lead to any address, also of the network of the service: that is not asked. */
  readonly mayAsk: (address: Address) => boolean
}

export interface DelegatedZone {
  readonly name: string
  readonly serial: number
  /** The zone is not published before its ownership is proved. */
  readonly awaitsProof?: boolean
  /** Of the service. */
  readonly nameservers: readonly string[]
}

/** Looks at what the parent and the name servers of a zone give. Never rejects. */
export async function lookAtDelegation(zone: DelegatedZone, parts: DelegationParts): Promise<Delegation> {
  const looks = new Map<string, Promise<ServerLook>>()
  const lookAt = async (name: string): Promise<ServerLook> => {
    const look = looks.get(name) ?? askForZone(name, zone.name, parts)
    looks.set(name, look)
    return look
  }
  const own = zone.nameservers.slice(0, MAX_SERVERS)
  const texts = async (): Promise<readonly string[]> => parts.texts(challengeName(zone.name), parts.signal)
  const [parent, challenges] = await Promise.all([
    parentOfZone(zone.name, parts),
    zone.awaitsProof === true ? texts() : undefined,
    ...own.map(lookAt),
  ])
  const { nameservers = [] } = parent
  const names = [...new Set([...own, ...nameservers])].slice(0, MAX_SERVERS)
  const servers = await Promise.all(
    names.map(
      async (name): Promise<DelegatedServer> => ({
        name,
        isOwn: own.includes(name),
        isAtParent: parent.nameservers?.includes(name),
        ...(await lookAt(name)),
      }),
    ),
  )
  const isOlder = (serial: number): boolean => isNewer(zone.serial, serial)
  const advice = delegationAdvice({ zone: zone.name, parent, servers, isOlder })
  return { checkedAt: parts.now(), parent, servers, advice, ...(challenges !== undefined && { challenges }) }
}

const UNKNOWN_PARENT: DelegationParent = { zone: undefined, nameservers: undefined, ds: undefined }

/** By the name servers of the parent themselves: a resolver that validates gives nothing of a zone that is broken. */
async function parentOfZone(zone: string, parts: DelegationParts): Promise<DelegationParent> {
  const labels = zone.split('.')
  for (let depth = 1; depth <= Math.min(MAX_DEPTH, labels.length - 1); depth++) {
    const above = labels.slice(depth).join('.')
    const found = await parts.ports.nameServers(above, parts.signal)
    if (!found.ok) return UNKNOWN_PARENT
    const names = found.value.filter((name) => name !== '').toSorted()
    if (names.length > 0) return askParent(zone, { zone: above, names }, parts)
  }
  return UNKNOWN_PARENT
}

async function askParent(
  zone: string,
  parent: { readonly zone: string; readonly names: readonly string[] },
  parts: DelegationParts,
): Promise<DelegationParent> {
  for (const name of parent.names.slice(0, MAX_PARENT_SERVERS)) {
    const addresses = await addressesOf(name, parts)
    const [ns, ds] = await Promise.all(
      [RR_TYPES.NS, RR_TYPES.DS].map(async (type) => ask(addresses, { name: zone, type }, parts)),
    )
    const nameservers = ns === undefined ? undefined : delegatedTo(ns, zone)
    if (nameservers !== undefined)
      return { zone: parent.zone, nameservers, ds: ds === undefined ? undefined : dsOf(ds) }
  }
  return { ...UNKNOWN_PARENT, zone: parent.zone }
}

/** The NS of a referral, or of a server that has the zone too; none of an answer that denies the name. */
function delegatedTo(response: DnsResponse, zone: string): readonly string[] | undefined {
  const { rcode, flags, message, answers, authorities } = response
  const isDenied = rcode === RCODES.NXDOMAIN
  if (rcode !== RCODES.NOERROR && !isDenied) return undefined
  const found = [...answers, ...authorities].filter(
    (record) => record.type === RR_TYPES.NS && record.class === CLASSES.IN && record.name === zone,
  )
  if (found.length > 0)
    return [...new Set(found.flatMap(({ rdataAt }) => readName(message, rdataAt)?.name ?? []))].toSorted()
  return isDenied || (flags & FLAGS.AA) !== 0 ? [] : undefined
}

/** RFC 4034 §5.3; undefined without an answer of the parent. */
function dsOf({ rcode, flags, message, answers }: DnsResponse): readonly string[] | undefined {
  if ((flags & FLAGS.AA) === 0 || (rcode !== RCODES.NOERROR && rcode !== RCODES.NXDOMAIN)) return undefined
  return answers
    .filter((record) => record.type === RR_TYPES.DS && record.end - record.rdataAt > DS_HEAD)
    .map(({ rdataAt: at, end }) => {
      const [tag, digest] = [message.readUInt16BE(at), message.subarray(at + DS_HEAD, end).toString('hex')]
      return `${tag} ${message[at + 2]} ${message[at + 3]} ${digest.toUpperCase()}`
    })
}
/** In octets: tag, algorithm, type of the digest. */
const DS_HEAD = 4

type ServerLook = Omit<DelegatedServer, 'name' | 'isOwn' | 'isAtParent'>

/** What one name server gives of the zone itself. */
async function askForZone(server: string, zone: string, parts: DelegationParts): Promise<ServerLook> {
  const addresses = await addressesOf(server, parts)
  const isCut = parts.signal.aborted
  const hasAddress = addresses.length > 0 || (isCut ? undefined : false)
  const [soa, dnskey] = await Promise.all(
    [RR_TYPES.SOA, RR_TYPES.DNSKEY].map(async (type) => ask(addresses, { name: zone, type }, parts)),
  )
  const serial = soa === undefined ? undefined : serialIn(soa)
  return {
    hasAddress,
    isAnswering: soa !== undefined,
    isAuthoritative: serial !== undefined,
    serial,
    dnskeys: dnskey !== undefined && isOfAuthority(dnskey) ? keysIn(dnskey).length : undefined,
  }
}

const isOfAuthority = ({ flags, rcode }: DnsResponse): boolean =>
  (flags & FLAGS.AA) !== 0 && rcode === RCODES.NOERROR
const keysIn = ({ answers }: DnsResponse): readonly ReadRecord[] =>
  answers.filter(({ type }) => type === RR_TYPES.DNSKEY)

function serialIn(response: DnsResponse): number | undefined {
  const soa = response.answers.find(({ type }) => type === RR_TYPES.SOA)
  return soa === undefined || !isOfAuthority(response) ? undefined : soaSerial(response.message, soa)
}

/** One of each family. */
async function addressesOf(
  host: string,
  { ports, signal, mayAsk }: DelegationParts,
): Promise<readonly Address[]> {
  const found = await Promise.all(FAMILIES.map(async (family) => ports.addresses(host, family, signal)))
  return found.flatMap((addresses) => addresses.filter(mayAsk).slice(0, 1))
}

interface ServerQuestion {
  readonly name: string
  readonly type: number
}

/** By UDP, and by TCP where the answer was truncated; the next address where one does not answer. */
async function ask(
  addresses: readonly Address[],
  { name, type }: ServerQuestion,
  { ports, entropy, signal, port }: DelegationParts,
): Promise<DnsResponse | undefined> {
  for (const to of addresses) {
    const query = plainQuery(name, type, entropy)
    const endpoint = { to, port, timeout: QUESTION_TIMEOUT }
    const isAnswer = (bytes: Uint8Array): boolean => responseToPlain(query, bytes) !== undefined
    const { bytes } = query
    const outcome = await ports.datagram({ ...endpoint, bytes, again: RETRANSMISSIONS, isAnswer }, signal)
    const response = outcome.kind === 'answered' ? responseToPlain(query, outcome.bytes) : undefined
    if (response === undefined) continue
    if (!isResponseTruncated(response)) return response
    return responseOfStream(query, await ports.stream({ ...endpoint, ...streamQuery(query) }, signal))
  }
  return undefined
}
