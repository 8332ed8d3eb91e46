import type { Result } from '../../shared/base/result.ts'
import { after, between, type Duration, milliseconds, minutes, seconds } from '../../shared/base/time.ts'
import { addressOfBytes, FAMILIES, type Family } from '../../shared/base/address.ts'
import type { VerifyContext, VerifyPorts } from './ports.ts'
import {
  checkOf,
  type Confirmed,
  MAX_PROPAGATION,
  type Publication,
  type ServerAnswer,
  type ServerCheck,
  stateOf,
} from './publication.ts'
import { findZoneServers, type ZoneServer } from './zone-servers.ts'
import {
  isResponseTruncated,
  type PlainQuery,
  plainQuery,
  responseOfStream,
  responseToPlain,
  streamQuery,
} from '../../shared/dns/plain-query.ts'
import type { DnsResponse } from '../../shared/dns/response.ts'
import { CLASSES, FLAGS, RCODES, RR_TYPES } from '../../shared/dns/types.ts'

const QUESTION_TIMEOUT = seconds(2)
const RETRANSMISSIONS = [milliseconds(700)]
const TYPE_OF = { v4: RR_TYPES.A, v6: RR_TYPES.AAAA } as const satisfies Record<Family, number>

/**
 * Asks a server for the address of a hostname, without recursion. By UDP without EDNS, because an address of one name fits
 * into 512 octets (RFC 1035 §2.3.4) and each server knows that form; by TCP where the answer was truncated.
 */
export async function askServer(
  server: ZoneServer,
  question: { readonly hostname: string; readonly family: Family },
  context: VerifyContext,
): Promise<ServerAnswer> {
  const { ports, signal } = context
  for (const to of server.addresses) {
    const endpoint = { to, port: server.port, timeout: QUESTION_TIMEOUT }
    const query = plainQuery(question.hostname, TYPE_OF[question.family], ports.entropy)
    const isAnswer = (bytes: Uint8Array): boolean => responseToPlain(query, bytes) !== undefined
    const again = RETRANSMISSIONS
    const outcome = await ports.datagram({ ...endpoint, bytes: query.bytes, again, isAnswer }, signal)
    if (outcome.kind !== 'answered') continue
    const response = responseToPlain(query, outcome.bytes)
    const isTruncated = response !== undefined && isResponseTruncated(response)
    const whole = isTruncated ? await byStream(query, endpoint, context) : response
    if (whole !== undefined) return answerIn(whole, query.type)
  }
  return { kind: 'silent' }
}

async function byStream(
  query: PlainQuery,
  endpoint: Omit<Parameters<VerifyPorts['stream']>[0], 'bytes' | 'lengthOf'>,
  { ports, signal }: VerifyContext,
): Promise<DnsResponse | undefined> {
  return responseOfStream(query, await ports.stream({ ...endpoint, ...streamQuery(query) }, signal))
}

/**
 * Only an authoritative answer counts (AA): a resolver that answers in the place of the server gives its copy. After a CNAME
 * the address is that of the last name.
 */
function answerIn({ flags, rcode, message, answers }: DnsResponse, type: number): ServerAnswer {
  const isDenied = rcode === RCODES.NXDOMAIN
  if ((flags & FLAGS.AA) === 0 || (rcode !== RCODES.NOERROR && !isDenied)) return { kind: 'lame' }
  const records = answers.filter((record) => record.class === CLASSES.IN)
  const addresses = records
    .filter((record) => record.type === type)
    .flatMap(({ rdataAt, end }) => addressOfBytes(message.subarray(rdataAt, end)) ?? [])
  if (addresses.length > 0) return { kind: 'addresses', addresses }
  return { kind: records.some((record) => record.type === RR_TYPES.CNAME) ? 'alias' : 'missing' }
}

/** When name servers are asked after a confirmation: within the first seconds often, then until `MAX_PROPAGATION`. */
export const ROUNDS: readonly Duration[] = [
  milliseconds(100),
  milliseconds(500),
  seconds(1),
  seconds(2),
  seconds(5),
  seconds(15),
  seconds(30),
  minutes(1),
  minutes(2),
  MAX_PROPAGATION,
]

/** For a question at any other time. */
export const ONE_ROUND: readonly Duration[] = [milliseconds(0)]

/** A process that waits for the result goes on without silent and lame servers after this many rounds. */
const MAX_UNANSWERED = 2

export interface Verification extends Confirmed {
  readonly hostname: string
  /** In the place of the servers that the zone names. */
  readonly servers?: readonly ZoneServer[]
  readonly rounds: readonly Duration[]
  /** How long before the first round the addresses were confirmed; undefined: just now, and results say how long it took. */
  readonly age?: Duration
  /** Families that are switched off for the hostname: their addresses are no part of the state. */
  readonly off?: readonly Family[]
  /** Whether the service itself has the addresses; undefined: it cannot be asked. Asked once, where its DNS gives others. */
  readonly askService?: (() => Promise<boolean | undefined>) | undefined
  /** Ends early: the others give the addresses, and only silent or lame servers are left. */
  readonly isAwaited: boolean
}

/**
 * Asks the name servers of a zone whether they give the confirmed addresses, in rounds, until all do or the rounds are over.
 * `report` gets the result of each round, and the last one is returned; where the signal ends a round, with the servers that
 * have answered in it. Undefined where none has. Never rejects, and sends no update: the result is information
 * (decision 0036).
 */
export async function verify(
  verification: Verification,
  context: VerifyContext,
  report: (publication: Publication) => void = () => undefined,
): Promise<Publication | undefined> {
  const { clock } = context.ports
  const { signal } = context
  const start = clock.now()
  const checks = new Map<string, ServerCheck>()
  const age = (): Duration => between(start, clock.now())
  let servers: Result<readonly ZoneServer[], string> | undefined
  let last: Publication | undefined
  let asked: Promise<boolean | undefined> | undefined
  for (const [round, at] of verification.rounds.entries()) {
    await clock.sleep(after(start, at), signal)
    if (signal.aborted) return last
    if (servers?.ok !== true) servers = await serversOf(verification, context)
    if (servers.ok) await askServers(servers.value, checks, { ...context, verification, age })
    if (signal.aborted)
      return servers.ok && checks.size > 0 ? resultOf(servers, checks, { verification, age }) : last
    last = resultOf(servers, checks, { verification, age })
    if (last.servers.some(({ finding }) => finding === 'other' || finding === 'alias'))
      asked ??= verification.askService?.().catch(() => undefined)
    if ((await asked) === true) last = { ...last, state: 'hidden' }
    report(last)
    if (isDone(last, verification, round + 1)) return last
  }
  return last
}

async function serversOf(
  { hostname, servers }: Verification,
  context: VerifyContext,
): Promise<Result<readonly ZoneServer[], string>> {
  return servers === undefined ? findZoneServers(hostname, context) : { ok: true, value: servers }
}

interface Asking {
  readonly verification: Verification
  /** Since the first moment of the verification. */
  readonly age: () => Duration
}

/** Adds the check of each server when it has answered. A server that gave the confirmed addresses is not asked again. */
async function askServers(
  servers: readonly ZoneServer[],
  checks: Map<string, ServerCheck>,
  { verification, age, ...context }: VerifyContext & Asking,
): Promise<void> {
  const { hostname, addresses, off = [] } = verification
  const families = FAMILIES.filter((family) => addresses[family] !== undefined)
  await Promise.all(
    servers.map(async (server) => {
      const earlier = checks.get(server.name)
      if (earlier !== undefined && isWhole(earlier)) return
      const answers = await Promise.all(
        [...families, ...off].map(
          async (family) => [family, await askServer(server, { hostname, family }, context)] as const,
        ),
      )
      if (context.signal.aborted) return
      const took = verification.age === undefined ? age() : null
      const stray = answers.flatMap(([family, one]) =>
        off.includes(family) && one.kind === 'addresses' ? one.addresses : [],
      )
      checks.set(server.name, {
        ...checkOf(server.name, Object.fromEntries(answers), verification),
        took,
        ...(stray.length > 0 && { stray }),
      })
    }),
  )
}

/** Servers that have not answered are silent. */
function resultOf(
  servers: Result<readonly ZoneServer[], string>,
  checks: ReadonlyMap<string, ServerCheck>,
  { verification, age }: Asking,
): Publication {
  if (!servers.ok) return { state: 'unverified', servers: [], because: servers.error }
  const all = servers.value.map(({ name }) => checks.get(name) ?? silent(name))
  const sinceConfirmation = milliseconds((verification.age ?? 0) + age())
  return { state: stateOf(all, sinceConfirmation), servers: all, because: null }
}

const silent = (server: string): ServerCheck => ({
  server,
  finding: 'silent',
  family: null,
  addresses: [],
  unanswered: [],
  took: null,
})

/** It gives all confirmed addresses. */
const isWhole = ({ finding, unanswered }: ServerCheck): boolean =>
  finding === 'seen' && unanswered.length === 0

function isDone({ state, servers }: Publication, { isAwaited }: Verification, rounds: number): boolean {
  const isEverySeen = servers.every(isWhole)
  if (state === 'hidden') return true
  return state === 'published' && (isEverySeen || (isAwaited && rounds >= MAX_UNANSWERED))
}
