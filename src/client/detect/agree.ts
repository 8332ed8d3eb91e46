import { between, type Instant, seconds } from '../../shared/base/time.ts'
import type { Address, Family } from '../../shared/base/address.ts'
import { networkOf } from '../../shared/base/network.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { AddressSource } from './sources/source.ts'

/** The answer of one source for one family. */
export interface SourceVote {
  readonly source: Pick<AddressSource, 'name' | 'operator' | 'vantage' | 'path'>
  readonly sighting: Sighting
  /** When it arrived. */
  readonly at?: Instant
}

export type SeenVote = SourceVote & { readonly sighting: Extract<Sighting, { kind: 'seen' }> }

export interface AgreementQuestion {
  readonly family: Family
  /** The address of the previous agreement. */
  readonly previous?: Address
  /** The number of votes that a new address needs. */
  readonly quorum: number
  readonly hint: HintLevel
  /** The interfaces of this host are among the sources: over IPv6 only an address of this host may be published. */
  readonly hasOwn: boolean
  /** Outside services are among the sources: if none answers, the address is unknown, and not missing. */
  readonly hasOutside?: boolean
  /** The uplink that outside services see; without it, the published one. */
  readonly uplink?: UplinkView
}

/** The published line, and the one that outside services see. */
export interface UplinkView {
  /** The remembered addresses that the service publishes for this host. */
  readonly published: readonly Address[]
  /** The kernel sends outside traffic by another line than the one that may be published. */
  readonly isElsewhere: boolean
  /** An address of the router or an interface was confirmed before, or is published. */
  readonly isProven: boolean
  /** Since the last agreement with the router it did not answer, or has just started: it may report an old address. */
  readonly isInterrupted?: boolean
  /** The address at which outside services saw another uplink; they continue to see it. */
  readonly foreign?: Address
}

/** Whether the previous address may be gone; `doubted`: also where the router still reports it. */
export type HintLevel = 'no' | 'hinted' | 'doubted'

export type Agreement =
  | {
      readonly kind: 'agreed'
      readonly address: Address
      readonly by: readonly string[]
      /** Outside votes for another address. */
      readonly against: readonly SeenVote[]
      /** The router or an interface of this host reports it too. */
      readonly hasNear: boolean
      /** Outside services see another uplink, which is not published; `elsewhere` is the address they see. */
      readonly isElsewhere?: true
      readonly elsewhere?: Address
    }
  /** No source has an address, and none failed. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'open'
      readonly isElsewhere?: true
      readonly elsewhere?: Address
      /** No outside source could be asked. */
      readonly isUnasked?: true
    }

const isSeen = (vote: SourceVote): vote is SeenVote => vote.sighting.kind === 'seen'

/** The votes with an address, by vantage. */
interface SeenVotes {
  readonly near: readonly SeenVote[]
  readonly outside: readonly SeenVote[]
}

/**
 * Evaluates the votes so far. A new address needs the router or an interface and one outside vote, or two outside votes; the
 * answers of one operator, or of one path, are one vote. An outside source that disagrees with the quorum is ignored and
 * reported. A previous address without doubt needs one vote. Where outside operators agree against the router, another
 * router is in front of it and they are right, except against a published address that the router still reports
 * (decisions 0013 and 0026).
 */
export function agree(votes: readonly SourceVote[], asked: AgreementQuestion): Agreement {
  const question = withStrays(votes, asked)
  const seen = votes.filter(isSeen)
  const chosen = seen.find(({ source }) => source.vantage === 'chosen')
  if (chosen !== undefined)
    return agreed({ address: chosen.sighting.address, near: [chosen], outside: [] }, [])
  const outside = seen.filter(({ source }) => source.vantage === 'outside')
  const near = believed(
    seen.filter(({ source }) => source.vantage !== 'outside'),
    outside,
    question,
  )
  const best = bestOf({ near, outside }, question)
  const elsewhere = agreeElsewhere({ near, outside }, best, question)
  if (elsewhere !== undefined) return elsewhere
  if (best !== undefined) {
    const isElsewhere = best.outside.length === 0 && question.uplink?.isElsewhere === true
    const against = outside.filter((vote) => !best.outside.includes(vote) && !isOutdated(vote, best.outside))
    return { ...agreed(best, against), ...(isElsewhere && { isElsewhere }) }
  }
  if (!isNone(votes)) return { kind: 'open' }
  const isKnown = question.hasOutside !== true || isHopeless(question, votes)
  return isKnown ? { kind: 'none' } : { kind: 'open', isUnasked: true }
}

/** Too old to contradict the answers that decide: the address may have changed since. */
const isOutdated = ({ at }: SourceVote, deciding: readonly SourceVote[]): boolean =>
  at !== undefined && deciding.some((one) => one.at !== undefined && between(at, one.at) > OUTDATED)
const OUTDATED = seconds(1)

/** The tunnels that took questions past the route of this host. */
export const straysIn = (votes: readonly SourceVote[]): readonly string[] =>
  votes.flatMap(({ sighting }) => (sighting.kind === 'unknown' && sighting.through) || [])

/** Where every outside question went into a tunnel, outside services see that one, whatever the route is. */
function withStrays(votes: readonly SourceVote[], question: AgreementQuestion): AgreementQuestion {
  const hasOutside = votes.some(
    ({ source, sighting }) => source.vantage === 'outside' && sighting.kind === 'seen',
  )
  const { uplink } = question
  if (uplink === undefined || hasOutside || straysIn(votes).length === 0) return question
  return { ...question, uplink: { ...uplink, isElsewhere: true } }
}

/**
 * A router that has just started may report its old address. Two outside operators override it if the outside questions
 * leave through that router.
 */
function believed(
  near: readonly SeenVote[],
  outside: readonly SeenVote[],
  { uplink }: AgreementQuestion,
): readonly SeenVote[] {
  const agreedAddress = outside.find(
    ({ sighting, source }) =>
      sighting.address !== uplink?.foreign &&
      outside.some(
        (other) => other.sighting.address === sighting.address && independentOf([other.source, source]) > 1,
      ),
  )?.sighting.address
  if (agreedAddress === undefined || uplink?.isElsewhere === true) return near
  return near.filter(
    ({ sighting }) => sighting.isEarly !== true || addressesIn(sighting).includes(agreedAddress),
  )
}

function bestOf(votes: SeenVotes, question: AgreementQuestion): Candidate | undefined {
  const confirmed = candidatesOf(votes, question).filter((candidate) => isConfirmed(candidate, question))
  const [best, second] = confirmed.toSorted((a, b) => votesFor(b) - votesFor(a))
  if (best === undefined || second === undefined || votesFor(second) < votesFor(best)) return best
  if (votesFor(best) > 0) return undefined
  // Several addresses of this host without an outside vote. Preferred is the network that the kernel sends from, and in
  // it the previous address: an address in another network was a substitute while that network was down.
  const main = confirmed.filter(({ isMain }) => isMain)
  return main.find(({ address }) => address === question.previous) ?? main[0]
}

/**
 * The previous address needs one vote while there is no hint, and one near vote unless the hint is a doubt. In another
 * network than the one that the kernel sends from, outside votes decide.
 */
function isConfirmed(candidate: Candidate, { previous, hint, quorum }: AgreementQuestion): boolean {
  const { address, near, isMain } = candidate
  const count = votesFor(candidate) + (near.length > 0 ? 1 : 0)
  // A substitute for an interface that lost its address: only an outside vote shows that the host is reachable there.
  if (votesFor(candidate) === 0 && near.every(({ sighting }) => sighting.isSubstitute)) return false
  const isEarly = near.length > 0 && near.every(({ sighting }) => sighting.isEarly)
  if (address !== previous || hint === 'doubted' || isEarly) return count >= quorum
  return (hint === 'no' && near.length === 0) || isMain || count >= quorum
}

/**
 * Behind a VPN, outside services see its exit, while the router or an interface still reports the published address.
 * The exit is not published. Where the kernel itself routes outside queries through another uplink, a new address needs
 * no outside vote if its source was right before; otherwise the result is open. undefined where there is no such
 * uplink.
 */
function agreeElsewhere(
  { near, outside }: SeenVotes,
  best: Candidate | undefined,
  { uplink, previous }: AgreementQuestion,
): Agreement | undefined {
  const local = near.flatMap(({ source, sighting }) =>
    addressesIn(sighting).map((address) => ({ source, address, isEarly: sighting.isEarly === true })),
  )
  const isLocal = best !== undefined && local.some(({ address }) => address === best.address)
  if (uplink === undefined || isLocal) return undefined
  const isForeign = outside.length > 0 && outside.every(({ sighting }) => sighting.address === uplink.foreign)
  const isElsewhere = uplink.isElsewhere || isForeign
  if (local.length === 0) return isElsewhere ? openElsewhere(best, uplink) : undefined
  const unchanged =
    local.find(({ address }) => address === previous) ??
    local.find(({ address }) => uplink.published.includes(address))
  if (!isElsewhere && (unchanged === undefined || best === undefined)) return undefined
  // No outside service can confirm that a router that has just started does not report its old address.
  const certain = local.find(({ isEarly }) => !isEarly || uplink.isInterrupted !== true)
  const trusted = unchanged?.isEarly ? undefined : (unchanged ?? (uplink.isProven ? certain : undefined))
  const exit = outside.find(({ sighting }) => !local.some(({ address }) => address === sighting.address))
  const elsewhere = { isElsewhere: true, ...(exit && { elsewhere: exit.sighting.address }) } as const
  if (trusted === undefined) return { kind: 'open', ...elsewhere }
  const { address, source } = trusted
  return { kind: 'agreed', address, by: [source.name], against: [], hasNear: true, ...elsewhere }
}

/** No near source reports an address, and the address of another line must not be published. */
const openElsewhere = (
  best: Candidate | undefined,
  { published, isElsewhere }: UplinkView,
): Agreement | undefined =>
  best === undefined || published.includes(best.address) || (published.length === 0 && !isElsewhere)
    ? undefined
    : { kind: 'open', isElsewhere: true, elsewhere: best.address }

type SeenSighting = SeenVote['sighting']

/** All addresses of a sighting; this host may have several. */
const addressesIn = ({ address, others = [] }: SeenSighting): readonly Address[] => [address, ...others]

const agreed = (
  { address, near, outside }: Omit<Candidate, 'isMain'>,
  against: readonly SeenVote[],
): Extract<Agreement, { kind: 'agreed' }> => ({
  kind: 'agreed',
  address,
  by: [...near, ...outside].map(({ source }) => source.name),
  against,
  hasNear: near.length > 0,
})

interface Candidate extends SeenVotes {
  readonly address: Address
  /** It is in the network that a near source lists first: for an interface, the one that the kernel sends from. */
  readonly isMain: boolean
}

type Voter = Pick<AddressSource, 'operator' | 'path'>

/** Independent votes: one per operator, plus one per shared path whose operator is not counted yet. */
export function independentOf(voters: readonly Voter[]): number {
  const direct = new Set(voters.flatMap(({ path, operator }) => (path === undefined ? operator : [])))
  const shared = voters.filter(({ path, operator }) => path !== undefined && !direct.has(operator))
  return direct.size + new Set(shared.map(({ path }) => path)).size
}

const votesFor = ({ outside }: Candidate): number => independentOf(outside.map(({ source }) => source))

/**
 * Groups the votes by address; over IPv6 with interfaces by /64, because outside services may see a temporary address (RFC
 * 8981) where a stable one is to be published.
 */
function candidatesOf(
  { near, outside }: SeenVotes,
  { family, hasOwn, previous }: AgreementQuestion,
): readonly Candidate[] {
  const isByPrefix = family === 'v6' && hasOwn
  const keyOf = (address: Address): string => (isByPrefix ? networkOf(address) : address)
  const nearAddresses = near.flatMap((vote) =>
    addressesIn(vote.sighting).map((address) => ({ vote, address })),
  )
  const keys = new Set(
    [...nearAddresses, ...outside.map(({ sighting }) => sighting)].map(({ address }) => keyOf(address)),
  )
  return [...keys].flatMap((key) => {
    const matching = nearAddresses.filter(({ address }) => keyOf(address) === key)
    const confirming = outside.filter(({ sighting }) => keyOf(sighting.address) === key)
    const own = matching.find(({ address }) => address === previous) ?? matching[0]
    const address = own?.address ?? confirming[0]?.sighting.address
    // No interface has an address in this prefix, so it is not an address of this host.
    if (address === undefined || (isByPrefix && own === undefined)) return []
    const isMain = near.some(({ sighting }) => keyOf(sighting.address) === key)
    return [{ address, isMain, near: [...new Set(matching.map(({ vote }) => vote))], outside: confirming }]
  })
}

/** A failed source is not a source without an address. */
const isNone = (votes: readonly SourceVote[]): boolean =>
  votes.length > 0 && votes.every(({ sighting }) => sighting.kind === 'none')

/** Over IPv6 only an address of this host is published: without one, outside sources need not be asked. */
export const isHopeless = ({ family, hasOwn }: AgreementQuestion, votes: readonly SourceVote[]): boolean =>
  family === 'v6' &&
  hasOwn &&
  votes.some(({ source, sighting }) => source.vantage === 'own' && sighting.kind === 'none') &&
  !votes.some(({ source, sighting }) => source.vantage !== 'outside' && sighting.kind === 'seen')

/** Two, where two votes are possible; one without any outside source. */
export function quorumOf(
  sources: readonly Pick<AddressSource, 'operator' | 'families' | 'vantage' | 'path'>[],
  family: Family,
): number {
  const available = sources.filter(({ families }) => families.includes(family))
  if (!available.some(({ vantage }) => vantage === 'outside')) return 1
  return Math.min(2, Math.max(1, independentOf(available)))
}
