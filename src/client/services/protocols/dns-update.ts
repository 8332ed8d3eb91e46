import type { Instant } from '../../../shared/base/time.ts'
import { type DnsResponse, parseResponse } from '../../../shared/dns/response.ts'
import { signTsig, type TsigKey } from '../../../shared/dns/tsig.ts'
import { RCODES, RR_TYPES } from '../../../shared/dns/types.ts'
import { encodeQuestion, encodeUpdate } from '../../../shared/dns/update.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { foundAt, type NamePlan, type NameUpdate, planFor, type RecordRules } from './name-plan.ts'
import type { DnsMoment, DnsStep, NameServer, StepOutcome, UpdateProtocol } from './protocol.ts'
import { foundText, wantedRecords, withFound } from './records.ts'
import { refusalBy } from './refusals.ts'
import { notReadable, readSigned, secondsOf, type SignedAnswer, UPDATE_WORDS } from './update-response.ts'

/** A name server, and the key that may update names there. */
interface NameServerAccount extends RecordRules {
  readonly nameServer: NameServer
  readonly key: TsigKey
}

/**
 * RFC 2136 with TSIG (RFC 8945). All names are read first, on one connection; then those that differ are changed, all or
 * none, if they are still as they were read. A name that the key may not change does not hold up the others (decision 0055).
 */
export const rfc2136 = (account: NameServerAccount): UpdateProtocol => ({
  begin: ({ request }) => new DnsUpdate(account, request).begin(),
})

interface Signed {
  readonly id: number
  readonly message: Uint8Array
  readonly mac: Uint8Array
}

class DnsUpdate {
  readonly #account: NameServerAccount
  readonly #request: UpdateRequest
  /** The server has answered with a signature by the key. */
  #isProven = false

  constructor(account: NameServerAccount, request: UpdateRequest) {
    this.#account = account
    this.#request = request
  }

  begin(): DnsStep {
    return this.#ask(true)
  }

  /** Knot answers signed questions only where its policy says so, and others answer only those. */
  #ask(isSigned: boolean): DnsStep {
    const { hostnames, offline } = this.#request
    const types =
      offline === 'YES' ? (['A', 'AAAA'] as const) : wantedRecords(this.#request).map(({ type }) => type)
    const asked = hostnames.flatMap((name) => (['SOA', ...types] as const).map((type) => ({ name, type })))
    return {
      nameServer: this.#account.nameServer,
      shown: asked.map(({ name, type }) => `${type} ${name}`),
      compose: (moment) => {
        const sent = asked.map(({ name, type }) => {
          const encode = (id: number): Uint8Array => encodeQuestion(id, name, RR_TYPES[type])
          return isSigned ? this.#signed(moment, encode) : plainly(moment.newId(), encode)
        })
        const answerTo = isSigned ? this.#answerTo.bind(this) : plainAnswer
        return {
          messages: sent.map(({ message }) => message),
          read: (answers, now) =>
            this.#planned(
              sent.map((one) => answerTo(one, answers, now)),
              isSigned,
            ),
        }
      },
    }
  }

  #signed({ newId, now }: DnsMoment, encode: (id: number) => Uint8Array): Signed {
    const id = newId()
    return { id, ...signTsig(encode(id), this.#account.key, { now: secondsOf(now) }) }
  }

  #answerTo({ id, mac }: Signed, answers: readonly Uint8Array[], now: Instant): SignedAnswer {
    const answer = answers.find((one) => parseResponse(one)?.id === id)
    return readSigned({ mac, now, answer }, this.#account.key)
  }

  #planned(answers: readonly SignedAnswer[], isSigned: boolean): DnsStep | StepOutcome {
    this.#isProven ||= isSigned && answers.some(({ kind }) => kind === 'signed')
    if (isSigned && answers.some(({ kind }) => kind === 'refused')) return this.#ask(false)
    const responses: DnsResponse[] = []
    for (const one of answers) {
      if (one.kind === 'useless') return notReadable(one.because)
      if (one.kind === 'refused') return refusalBy(this.#request, one.word)
      responses.push(one.response)
    }
    const names = this.#request.hostnames.map((name) => foundAt(name, responses))
    const plans = names.map((found, at) =>
      planFor(this.#requestOf(at), found, { ...this.#account, isSigned }),
    )
    const text = names.map(({ name, zone, records }) => foundText(name, zone ?? '?', records)).join('; ')
    const isLeft = plans.some(({ kind }) => kind === 'update')
    return isLeft ? { ...this.#update(plans, false), found: text } : withFound(together(plans), text)
  }

  #requestOf(at: number): UpdateRequest {
    return { ...this.#request, hostnames: [this.#request.hostnames[at] ?? ''] }
  }

  /** One message for each zone; one for each name where a zone refused, because of a name that is not known, all of them. */
  #update(plans: readonly NamePlan[], isEach: boolean): DnsStep {
    return {
      nameServer: this.#account.nameServer,
      shown: [],
      compose: (moment) => {
        const sent = zoneGroups(plans, isEach).map((group) => ({
          group,
          ...this.#signed(moment, (id) =>
            encodeUpdate(id, group.zone, {
              prerequisites: group.names.flatMap(({ plan }) => plan.prerequisites),
              updates: group.names.flatMap(({ plan }) => plan.updates),
            }),
          ),
        }))
        const read = (answers: readonly Uint8Array[], now: Instant): DnsStep | StepOutcome => {
          const next = [...plans]
          const all = sent.map((one) => ({ group: one.group, answer: this.#answerTo(one, answers, now) }))
          this.#isProven ||= all.some(({ answer }) => answer.kind === 'signed')
          for (const { group, answer } of all)
            for (const [at, plan] of this.#after(group, answer)) next[at] = plan
          return next.some(({ kind }) => kind === 'update') ? this.#update(next, true) : together(next)
        }
        return { messages: sent.map(({ message }) => message), read }
      },
    }
  }

  /** What the answer to a group says of each of its names, but for a refusal that may be about another one. */
  #after({ names }: NameGroup, answer: SignedAnswer): readonly (readonly [at: number, plan: NamePlan])[] {
    const settled = (outcomeOf: (request: UpdateRequest) => StepOutcome) =>
      names.map(({ at }) => [at, { kind: 'done', outcome: outcomeOf(this.#requestOf(at)) }] as const)
    if (answer.kind === 'useless') return settled(() => notReadable(answer.because))
    const rcode = answer.kind === 'signed' ? answer.response.rcode : undefined
    if (rcode === RCODES.NOERROR)
      return names.map(({ at, plan: { outcome } }) => [at, { kind: 'done', outcome }])
    const word = answer.kind === 'refused' ? answer.word : UPDATE_WORDS[rcode ?? 0]
    const isPrerequisite = rcode === RCODES.YXRRSET || rcode === RCODES.NXRRSET
    if (names.length > 1 && (isPrerequisite || ['badauth', 'not-allowed', 'no-record'].includes(word ?? '')))
      return []
    if (isPrerequisite) return names.map(({ at, plan }) => [at, plan.otherwise] as const)
    if (word === undefined) return settled(() => notReadable(`an answer with RCODE ${rcode}`))
    // Knot answers BADKEY where a key that it knows may not change a name.
    return settled((request) =>
      refusalBy(request, word === 'badauth' && this.#isProven ? 'not-allowed' : word),
    )
  }
}

/** RFC 1035: without a signature. */
const plainly = (id: number, encode: (id: number) => Uint8Array): Signed => ({
  id,
  message: encode(id),
  mac: new Uint8Array(),
})

function plainAnswer({ id }: Signed, answers: readonly Uint8Array[]): SignedAnswer {
  const response = answers.map(parseResponse).find((one) => one?.id === id)
  return response === undefined
    ? { kind: 'useless', because: 'an answer to another question' }
    : { kind: 'signed', response }
}

/** Names of one zone that are changed together. */
interface NameGroup {
  readonly zone: string
  readonly names: readonly { readonly at: number; readonly plan: NameUpdate }[]
}

function zoneGroups(plans: readonly NamePlan[], isEach: boolean): readonly NameGroup[] {
  const left = plans.flatMap((plan, at) => (plan.kind === 'update' ? [{ plan, at }] : []))
  if (isEach) return left.map((one) => ({ zone: one.plan.zone, names: [one] }))
  return [...new Set(left.map(({ plan }) => plan.zone))].map((zone) => ({
    zone,
    names: left.filter(({ plan }) => plan.zone === zone),
  }))
}

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
