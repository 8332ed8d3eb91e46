import { type Duration, minutes } from '../../shared/base/time.ts'
import { type Address, type Addresses, FAMILIES, type Family } from '../../shared/base/address.ts'

/**
 * What one name server gives for one family. `lame`: it does not answer for the zone (RFC 9499 §7). `silent`: unknown, never
 * taken for an old address.
 */
export type ServerAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly Address[] }
  /** NXDOMAIN or NODATA. */
  | { readonly kind: 'missing' }
  /** A CNAME without an address. */
  | { readonly kind: 'alias' }
  | { readonly kind: 'lame' }
  | { readonly kind: 'silent' }

/** How the answers of one name server compare with what the service confirmed, the best first. */
const SERVER_FINDINGS = ['seen', 'old', 'missing', 'other', 'alias', 'lame', 'silent'] as const
export type ServerFinding = (typeof SERVER_FINDINGS)[number]

export interface ServerCheck {
  /** The name of the server, or its address and port where the user gave it. */
  readonly server: string
  readonly finding: ServerFinding
  /** Of a finding about an address. */
  readonly family: Family | null
  /** Families without an answer, if the server answers for the other one. */
  readonly unanswered: readonly Family[]
  /** What it gives where that is not what the service confirmed. */
  readonly addresses: readonly Address[]
  /** In milliseconds since the confirmation; null where the server was asked at another time. */
  readonly took: number | null
  /** It gives these of a family that is switched off. Missing where it gives none. */
  readonly stray?: readonly Address[]
}

/**
 * `published`: each server that answers gives the confirmed addresses. `pending`: not yet. `stale`: some server still does
 * not after `MAX_PROPAGATION`. `different`: some server gives what this client did not send. `hidden`: so it does, and the
 * service says that it leads to the confirmed addresses: a proxy, or another answer for each place. `unverified`: no server
 * answers for the zone.
 */
export type PublicationState = 'published' | 'pending' | 'stale' | 'different' | 'hidden' | 'unverified'

/** Whether the name servers of a hostname give the confirmed addresses. */
export interface Publication {
  readonly state: PublicationState
  readonly servers: readonly ServerCheck[]
  /** Why no server could be asked. */
  readonly because: string | null
}

/** For a proxied name: the service publishes its own addresses. */
export const HIDDEN_BY_SERVICE: Publication = { state: 'hidden', servers: [], because: null }

/** Name servers fetch changes on their own; most have them within seconds. */
export const MAX_PROPAGATION: Duration = minutes(5)

/** What the service confirmed, and the addresses before. */
export interface Confirmed {
  readonly addresses: Addresses
  readonly previous: Addresses
}

/** The worst finding of the families with an answer; of all, if there is no answer. */
export function checkOf(
  server: string,
  answers: Readonly<Partial<Record<Family, ServerAnswer>>>,
  { addresses, previous }: Confirmed,
): Omit<ServerCheck, 'took'> {
  const findings = FAMILIES.flatMap((family) => {
    const [answer, expected] = [answers[family], addresses[family]]
    return answer === undefined || expected === undefined
      ? []
      : [{ family, ...findingOf(answer, expected, previous[family]) }]
  })
  const answered = findings.filter(isAnswered)
  const [worst = { family: null, finding: 'silent' as const, addresses: [] }] = (
    answered.length > 0 ? answered : findings
  ).toSorted((a, b) => SERVER_FINDINGS.indexOf(b.finding) - SERVER_FINDINGS.indexOf(a.finding))
  const isAboutAddress = worst.finding === 'old' || worst.finding === 'missing' || worst.finding === 'other'
  const left = answered.length > 0 ? findings.filter((one) => !isAnswered(one)) : []
  return {
    server,
    ...worst,
    family: isAboutAddress ? worst.family : null,
    unanswered: left.map(({ family }) => family),
  }
}

function findingOf(
  answer: ServerAnswer,
  expected: Address,
  previous: Address | undefined,
): Pick<ServerCheck, 'finding' | 'addresses'> {
  if (answer.kind !== 'addresses') return { finding: answer.kind, addresses: [] }
  const isOnly = (address: Address | undefined): boolean => answer.addresses.every((one) => one === address)
  if (isOnly(expected)) return { finding: 'seen', addresses: [] }
  return { finding: isOnly(previous) ? 'old' : 'other', addresses: answer.addresses }
}

/** Whether a server gave an answer for the zone. */
export const isAnswered = ({ finding }: Pick<ServerCheck, 'finding'>): boolean =>
  finding !== 'lame' && finding !== 'silent'

/** What the servers give together, `age` after the confirmation. */
export function stateOf(servers: readonly ServerCheck[], age: Duration): PublicationState {
  const answered = servers.filter(isAnswered)
  if (answered.length === 0) return 'unverified'
  if (answered.every(({ finding }) => finding === 'seen')) return 'published'
  if (age < MAX_PROPAGATION) return 'pending'
  const isDifferent = answered.some(({ finding }) => finding === 'other' || finding === 'alias')
  return isDifferent ? 'different' : 'stale'
}
