import type { Address, Family } from '../../net/address.ts'
import { withHostPart } from '../../net/prefix.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { AddressSource } from '../sources/source.ts'

/** What one source said of one family. */
export interface SourceVote {
  readonly source: Pick<AddressSource, 'name' | 'operator' | 'vantage'>
  readonly sighting: Sighting
}

export interface AgreementQuestion {
  readonly family: Family
  /** What was agreed on before. */
  readonly previous?: Address
  /** How many quorum a new address needs. */
  readonly quorum: number
  /** Whether something said that the previous address may be gone. */
  readonly hint: HintLevel
  /** An interface of this host is asked too: over IPv6 nothing but an address of its own will do. */
  readonly hasOwn: boolean
  /** How outside services see this host; without it, through the line that is published. */
  readonly uplink?: UplinkView
}

/** What is known of the line that is published, and of the one that outside services see. */
export interface UplinkView {
  /** What the service holds for this host, as far as it is remembered. */
  readonly published: readonly Address[]
  /** The kernel sends what goes outside through another interface than the one to the router: a VPN. */
  readonly isElsewhere: boolean
  /** What the router or an interface stated was confirmed before, or is what is published. */
  readonly isProven: boolean
  /** What the outside saw when it was found to see another line; it goes on seeing that. */
  readonly foreign?: Address
  /** All families leave through the same tunnel, and the router of this line is known: no line of its own, but a VPN. */
  readonly isVpn?: true
}

/** `doubted`: by something that may know it better than the router. */
export type HintLevel = 'no' | 'hinted' | 'doubted'

export type Agreement =
  | {
      readonly kind: 'agreed'
      readonly address: Address
      readonly by: readonly string[]
      readonly against: readonly SourceVote[]
      /** The router or an interface of this host says so too. */
      readonly isStated: boolean
      /** The outside sees another line, which is not published; and what it says of that. */
      readonly isElsewhere?: true
      readonly elsewhere?: Address
    }
  /** Every source that could tell saw none. */
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly isElsewhere?: true; readonly elsewhere?: Address }

type Seen = SourceVote & { readonly sighting: Extract<Sighting, { kind: 'seen' }> }
const isSeen = (vote: SourceVote): vote is Seen => vote.sighting.kind === 'seen'

/**
 * What the votes so far come to. A new address needs the router or an own interface and one outside operator, or two
 * outside operators; two answers of one operator are one voice. An outside minority is never believed, it is named. An
 * address that nothing doubts needs one voice. Where outside operators agree against the router, the router is behind
 * another one, and they are right; but not against an address that is published and that the router goes on stating.
 */
export function agree(votes: readonly SourceVote[], question: AgreementQuestion): Agreement {
  const seen = votes.filter(isSeen)
  const chosen = seen.find(({ source }) => source.vantage === 'chosen')
  if (chosen !== undefined)
    return agreed({ address: chosen.sighting.address, isMain: true, near: [chosen], outside: [] }, [])
  const near = seen.filter(({ source }) => source.vantage !== 'outside')
  const outside = seen.filter(({ source }) => source.vantage === 'outside')
  const best = bestOf(near, outside, question)
  const held = heldBack(near, outside, { best, question })
  if (held !== undefined) return held
  if (best !== undefined)
    return agreed(
      best,
      outside.filter((vote) => !best.outside.includes(vote)),
    )
  return isNone(votes) ? { kind: 'none' } : { kind: 'open' }
}

function bestOf(
  near: readonly Seen[],
  outside: readonly Seen[],
  question: AgreementQuestion,
): Candidate | undefined {
  const candidates = candidatesOf(near, outside, question)
  const enough = candidates.filter((candidate) => isEnough(candidate, question))
  const [best, second] = enough.toSorted((a, b) => operatorsIn(b) - operatorsIn(a))
  if (best === undefined || second === undefined || operatorsIn(second) < operatorsIn(best)) return best
  if (operatorsIn(best) > 0) return undefined
  // Several addresses of this host, and none outside that tells them apart: in the network that the kernel sends from, the one
  // it had. One that came from elsewhere while that network was away is left again.
  const main = enough.filter(({ isMain }) => isMain)
  const alike = main.length > 0 ? main : enough
  return alike.find(({ address }) => address === question.previous) ?? alike[0] ?? best
}

/**
 * An old address is easily believed: by any voice while nothing is hinted, by a near one unless that is in doubt. Of several
 * networks of this host, by the outside alone once the kernel sends from another one.
 */
function isEnough(candidate: Candidate, { previous, hint, quorum: needed }: AgreementQuestion): boolean {
  const { address, near, isMain } = candidate
  const all = operatorsIn(candidate) + (near.length > 0 ? 1 : 0)
  // An interface that came to the front because another lost its address: only the outside can tell that it is reached there.
  if (operatorsIn(candidate) === 0 && near.length > 0 && near.every(({ sighting }) => sighting.isSubstitute))
    return false
  if (address !== previous || hint === 'doubted') return all >= needed
  return (hint === 'no' && (isMain || near.length === 0)) || isMain || all >= needed
}

/**
 * A VPN: outside services see its exit, while the router or an interface still states the address that is published. The exit
 * is not published then. Where the kernel itself says that questions leave by another line, a new address needs no voice from
 * outside, if what states it was right before; without that, nothing is known. Undefined where this is no such case.
 */
function heldBack(
  near: readonly Seen[],
  outside: readonly Seen[],
  { best, question }: { readonly best: Candidate | undefined; readonly question: AgreementQuestion },
): Agreement | undefined {
  const { uplink, previous } = question
  const home = near.flatMap(({ source, sighting }) =>
    homesOf(sighting).map((address) => ({ source, address })),
  )
  const isHome = best !== undefined && home.some(({ address }) => address === best.address)
  if (uplink === undefined || isHome) return undefined
  const isForeign = outside.length > 0 && outside.every(({ sighting }) => sighting.address === uplink.foreign)
  const isElsewhere = uplink.isElsewhere || isForeign
  if (home.length === 0) return isElsewhere ? heldWithoutHome(best, uplink) : undefined
  const kept = home.find(({ address }) => address === previous || uplink.published.includes(address))
  if (!isElsewhere && (kept === undefined || best === undefined)) return undefined
  const stated = kept ?? (uplink.isProven ? home[0] : undefined)
  const foreign = outside.find(({ sighting }) => !home.some(({ address }) => address === sighting.address))
  const elsewhere = { isElsewhere: true, ...(foreign && { elsewhere: foreign.sighting.address }) } as const
  if (stated === undefined) return { kind: 'open', ...elsewhere }
  const { address, source } = stated
  return { kind: 'agreed', address, by: [source.name], against: [], isStated: true, ...elsewhere }
}

/** Nothing at home tells its address now. What the VPN has does not take the place of what is published, and is not added to it. */
function heldWithoutHome(
  best: Candidate | undefined,
  { published, isVpn }: UplinkView,
): Agreement | undefined {
  if (best === undefined || published.includes(best.address)) return undefined
  return published.length > 0 || isVpn
    ? { kind: 'open', isElsewhere: true, elsewhere: best.address }
    : undefined
}

type Sighted = Seen['sighting']

/** All that a source states; of this host's own addresses there may be several. */
const statedIn = ({ address, others = [] }: Sighted): readonly Address[] => [address, ...others]
/** Those that are not of a tunnel's interface. */
const homesOf = (sighting: Sighted): readonly Address[] =>
  statedIn(sighting).filter((address) => sighting.tunnels?.includes(address) !== true)

const agreed = ({ address, near, outside }: Candidate, against: readonly SourceVote[]): Agreement => ({
  kind: 'agreed',
  address,
  by: [...near, ...outside].map(({ source }) => source.name),
  against,
  isStated: near.length > 0,
})

interface Candidate {
  readonly address: Address
  /** It is in the network that a near source names first: for an interface, the one that the kernel sends from. */
  readonly isMain: boolean
  readonly near: readonly Seen[]
  readonly outside: readonly Seen[]
}

/** Distinct operators outside. */
const operatorsIn = ({ outside }: Candidate): number =>
  new Set(outside.map(({ source }) => source.operator)).size

/** The outside sees a temporary IPv6 address (RFC 8981) where a stable one is to be published: they share the /64. */
function candidatesOf(
  near: readonly Seen[],
  outside: readonly Seen[],
  { family, hasOwn, previous }: AgreementQuestion,
): readonly Candidate[] {
  const isByPrefix = family === 'v6' && hasOwn
  const keyOf = (address: Address): string =>
    isByPrefix ? withHostPart(address, 64, '::' as Address) : address
  const ours = near.flatMap((vote) => statedIn(vote.sighting).map((address) => ({ vote, address })))
  const keys = new Set(
    [...ours, ...outside.map(({ sighting }) => sighting)].map(({ address }) => keyOf(address)),
  )
  return [...keys].flatMap((key) => {
    const mine = ours.filter(({ address }) => keyOf(address) === key)
    const theirs = outside.filter(({ sighting }) => keyOf(sighting.address) === key)
    const own = mine.find(({ address }) => address === previous) ?? mine[0]
    const address = own?.address ?? theirs[0]?.sighting.address
    // A prefix that none of our own addresses has is somebody else's: what was seen there is no address of this host.
    if (address === undefined || (isByPrefix && own === undefined)) return []
    const isMain = near.some(({ sighting }) => keyOf(sighting.address) === key)
    return [{ address, isMain, near: [...new Set(mine.map(({ vote }) => vote))], outside: theirs }]
  })
}

/** "None" is believed only where every source could tell. */
const isNone = (votes: readonly SourceVote[]): boolean =>
  votes.length > 0 && votes.every(({ sighting }) => sighting.kind === 'none')

/** How many quorum there must be: two, where there are two to be had; without any source outside, one. */
export function quorumOf(
  sources: readonly Pick<AddressSource, 'operator' | 'families' | 'vantage'>[],
  family: Family,
): number {
  const able = sources.filter(({ families }) => families.includes(family))
  if (!able.some(({ vantage }) => vantage === 'outside')) return 1
  return Math.min(2, Math.max(1, new Set(able.map(({ operator }) => operator)).size))
}
