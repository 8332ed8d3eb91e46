import type { Instant } from '../../base/time.ts'
import { addressOfBytes, bytesOf } from '../../net/address.ts'
import { type DnsResponse, parseResponse } from '../../dns/response.ts'
import { signTsig, type TsigKey } from '../../dns/tsig.ts'
import { RCODES, RR_TYPES } from '../../dns/types.ts'
import {
  encodeQuestion,
  encodeUpdate,
  nameIsInUse,
  recordAddition,
  rrsetDeletion,
  rrsetIsAbsent,
  type UpdateRecord,
} from '../../dns/update.ts'
import type { LocalWord, ReplyWord } from '../../protocol/reply.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { DnsStep, NameServer, StepOutcome, UpdateProtocol } from './protocol.ts'
import { current, type FoundRecord, foundText, labelWithin, planOf, wantedOf, withFound } from './records.ts'
import { refusalBy } from './refusals.ts'
import { notReadable, updateOutcome, secondsOf, type SentUpdate } from './update-response.ts'

/** A name server, and the key that may update names there. */
export interface NameServerAccount {
  readonly nameServer: NameServer
  readonly key: TsigKey
  /** As it is set. */
  readonly zone: string | undefined
  /** In seconds, of records that are made. */
  readonly ttl: number | undefined
  /** Whether a missing record is made. */
  readonly create: boolean
}

/**
 * RFC 2136 with TSIG (RFC 8945). All names are read first, on one connection; then those that differ are changed, all or
 * none. A name that the key may not change does not hold up the others (decision 0055).
 */
export const rfc2136 = (account: NameServerAccount): UpdateProtocol => ({
  begin: ({ request }) => new DnsUpdate(account, request).begin(),
})

interface DnsQuestion {
  readonly id: number
  readonly name: string
  readonly type: number
}

/** What the server has at a name. */
interface FoundName {
  readonly name: string
  readonly zone: string | undefined
  /** Why the name could not be read. */
  readonly failed: ReplyWord | LocalWord | undefined
  readonly records: readonly (FoundRecord & { readonly ttl: number })[]
}

/** A name with its outcome, or the change that it needs. */
type NamePlan =
  | { readonly kind: 'done'; readonly outcome: StepOutcome }
  | { readonly kind: 'update'; readonly zone: string; readonly updates: readonly UpdateRecord[] }

class DnsUpdate {
  readonly #account: NameServerAccount
  readonly #request: UpdateRequest

  constructor(account: NameServerAccount, request: UpdateRequest) {
    this.#account = account
    this.#request = request
  }

  begin(): DnsStep {
    const asked = this.#request.hostnames.flatMap((name) =>
      [RR_TYPES.SOA, ...this.#types()].map((type) => ({ name, type })),
    )
    return {
      nameServer: this.#account.nameServer,
      shown: asked.map(({ name, type }) => `${TYPE_NAMES[type] ?? type} ${name}`),
      compose: ({ newId }) => {
        const questions = asked.map((one): DnsQuestion => ({ id: newId(), ...one }))
        return {
          messages: questions.map(({ id, name, type }) => encodeQuestion(id, name, type)),
          read: (answers) => this.#planned(questions, answers.map(parseResponse)),
        }
      },
    }
  }

  #types(): readonly number[] {
    return this.#request.offline === 'YES'
      ? [RR_TYPES.A, RR_TYPES.AAAA]
      : wantedOf(this.#request).map(({ type }) => RR_TYPES[type])
  }

  #planned(
    questions: readonly DnsQuestion[],
    responses: readonly (DnsResponse | undefined)[],
  ): DnsStep | StepOutcome {
    const answers = questions.map(({ id, name, type }) =>
      responses.find((one) => one?.id === id && one.name === name && one.type === type),
    )
    if (answers.includes(undefined)) return notReadable('an answer that is none to its question')
    const known = answers as readonly DnsResponse[]
    const names = this.#request.hostnames.map((name) => foundAt(name, known))
    const plans = names.map((one) => this.#planFor(one))
    const found = names.map(({ name, zone, records }) => foundText(name, zone ?? '?', records)).join('; ')
    const isLeft = plans.some(({ kind }) => kind === 'update')
    return isLeft ? { ...this.#update(plans, { isEach: false }), found } : withFound(together(plans), found)
  }

  #planFor({ name, zone: found, failed, records }: FoundName): NamePlan {
    const request = { ...this.#request, hostnames: [name] }
    const { zone: configured, ttl = DEFAULT_TTL, create } = this.#account
    const zone = configured ?? found
    const refused =
      failed ?? (zone === undefined || labelWithin(name, zone) === undefined ? 'no-zone' : undefined)
    if (zone === undefined || refused !== undefined)
      return { kind: 'done', outcome: refusalBy(request, refused ?? 'no-zone') }
    if (request.offline === 'YES') {
      const there = this.#types().filter((type) => records.some((one) => RR_TYPES[one.type as 'A'] === type))
      if (there.length === 0) return { kind: 'done', outcome: current(request) }
      return { kind: 'update', zone, updates: there.map((type) => rrsetDeletion(name, type)) }
    }
    const plan = planOf(request, records, { create })
    if (plan.kind !== 'write')
      return { kind: 'done', outcome: plan.kind === 'refused' ? plan.outcome : current(request) }
    const updates = plan.changes.flatMap(({ type, address, replaced }) => [
      rrsetDeletion(name, RR_TYPES[type]),
      recordAddition({
        name,
        type: RR_TYPES[type],
        ttl: records.find((one) => one === replaced)?.ttl ?? ttl,
        rdata: bytesOf(address),
      }),
    ])
    return { kind: 'update', zone, updates }
  }

  /** One message for each zone; one for each name where a zone refused, because of a name that is not known, all of them. */
  #update(plans: readonly NamePlan[], { isEach }: { readonly isEach: boolean }): DnsStep {
    const { nameServer, key } = this.#account
    return {
      nameServer,
      shown: [],
      compose: (moment) => {
        const sent = zoneGroups(plans, isEach).map((group) => {
          const id = moment.newId()
          const message = this.#message(id, group)
          return { id, group, ...signTsig(message, key, { now: secondsOf(moment.now) }) }
        })
        const read = (answers: readonly Uint8Array[], now: Instant): DnsStep | StepOutcome => {
          const next = [...plans]
          for (const { id, group, mac } of sent) {
            const answer = answers.find((one) => Buffer.from(one).readUInt16BE(0) === id)
            for (const [at, plan] of this.#read(group, { mac, now, answer })) next[at] = plan
          }
          const isLeft = next.some(({ kind }) => kind === 'update')
          return isLeft ? this.#update(next, { isEach: true }) : together(next)
        }
        return { messages: sent.map(({ message }) => message), read }
      },
    }
  }

  /** What the answer to a group says of each of its names, but for a refusal that may be about another one. */
  #read({ names }: NameGroup, sent: SentUpdate): readonly (readonly [at: number, plan: NamePlan])[] {
    const outcomes = names.map(
      ({ at }) => [at, updateOutcome(this.#requestOf(at), sent, this.#account.key)] as const,
    )
    return outcomes.flatMap(([at, outcome]) =>
      names.length === 1 || !isAboutOneName(outcome) ? [[at, { kind: 'done', outcome }] as const] : [],
    )
  }

  #message(id: number, { zone, names }: NameGroup): Buffer {
    const owners = names.map(({ at }) => this.#request.hostnames[at] ?? '')
    return encodeUpdate(id, zone, {
      prerequisites: owners.flatMap((name) => [
        rrsetIsAbsent(name, RR_TYPES.CNAME),
        ...(this.#account.create ? [] : [nameIsInUse(name)]),
      ]),
      updates: names.flatMap(({ updates }) => updates),
    })
  }

  #requestOf(at: number): UpdateRequest {
    return { ...this.#request, hostnames: [this.#request.hostnames[at] ?? ''] }
  }
}

/** Names of one zone that are changed together. */
interface NameGroup {
  readonly zone: string
  readonly names: readonly { readonly at: number; readonly updates: readonly UpdateRecord[] }[]
}

function zoneGroups(plans: readonly NamePlan[], isEach: boolean): readonly NameGroup[] {
  const left = plans.flatMap((plan, at) => (plan.kind === 'update' ? [{ ...plan, at }] : []))
  if (isEach) return left.map((one) => ({ zone: one.zone, names: [one] }))
  return [...new Set(left.map(({ zone }) => zone))].map((zone) => ({
    zone,
    names: left.filter((one) => one.zone === zone),
  }))
}

/** A refusal that may be because of one name among several. */
const isAboutOneName = (outcome: StepOutcome): boolean =>
  outcome.kind === 'answered' &&
  outcome.replies.some(
    (reply) =>
      'said' in reply && ['not-allowed', 'conflicting-record', 'no-record'].includes(reply.said ?? ''),
  )

/** A reply for each hostname; an answer that cannot be read leaves all to the next update, which reads first. */
function together(plans: readonly NamePlan[]): StepOutcome {
  const outcomes = plans.flatMap((plan) => (plan.kind === 'done' ? [plan.outcome] : []))
  const unread = outcomes.find(({ kind }) => kind !== 'answered')
  if (unread !== undefined) return unread
  return {
    kind: 'answered',
    replies: outcomes.flatMap((one) => (one.kind === 'answered' ? one.replies : [])),
  }
}

const DEFAULT_TTL = 300
const TYPE_NAMES: Readonly<Record<number, string>> = { 1: 'A', 6: 'SOA', 28: 'AAAA' }

/** The zone is that of the SOA record, which stands in the answer or beside it (RFC 2308 §2). */
function foundAt(name: string, all: readonly DnsResponse[]): FoundName {
  const responses = all.filter((one) => one.name === name)
  const records = responses.flatMap(({ type, message, answers }) =>
    answers
      .filter((one) => one.name === name && [type, RR_TYPES.CNAME].includes(one.type))
      .map((one) => ({
        id: '',
        type: one.type === RR_TYPES.CNAME ? 'CNAME' : (TYPE_NAMES[one.type] ?? ''),
        value: addressOfBytes(message.subarray(one.rdataAt, one.end)) ?? '',
        ttl: one.ttl,
      })),
  )
  const [failed] = responses.flatMap(({ rcode }) => READ_WORDS[rcode] ?? [])
  const soa = responses.find(({ type }) => type === RR_TYPES.SOA)
  const found = [...(soa?.answers ?? []), ...(soa?.authorities ?? [])]
  return { name, records, failed, zone: found.find(({ type }) => type === RR_TYPES.SOA)?.name }
}

const READ_WORDS: Readonly<Record<number, ReplyWord | LocalWord>> = {
  [RCODES.SERVFAIL]: '911',
  [RCODES.FORMERR]: '!donator',
  [RCODES.NOTIMP]: '!donator',
}
