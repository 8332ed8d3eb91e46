import type { Address, Family } from '../../net/address.ts'
import { joined } from '../../net/prefix.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Witness } from '../sources/witness.ts'

/** What one witness said of one family. */
export interface Vote {
  readonly witness: Pick<Witness, 'name' | 'operator' | 'standpoint'>
  readonly sighting: Sighting
}

export interface Question {
  readonly family: Family
  /** What was agreed on before. */
  readonly previous?: Address
  /** How many voices a new address needs. */
  readonly voices: number
  /** Whether something said that the previous address may be gone. */
  readonly hint: Hinted
  /** An interface of this host is asked too: over IPv6 nothing but an address of its own will do. */
  readonly hasOwn: boolean
}

/** `doubted`: by somebody who may know it better than the router. */
export type Hinted = 'no' | 'hinted' | 'doubted'

export type Verdict =
  | {
      readonly kind: 'agreed'
      readonly address: Address
      readonly by: readonly string[]
      readonly against: readonly Vote[]
    }
  /** Nobody who could tell saw one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'open' }

type Seen = Vote & { readonly sighting: Extract<Sighting, { kind: 'seen' }> }
const isSeen = (vote: Vote): vote is Seen => vote.sighting.kind === 'seen'

/**
 * What the votes so far come to. A new address needs the router or an own interface and one outside operator, or two
 * outside operators; two answers of one operator are one voice. An outside minority is never believed, it is named. An
 * address that nobody doubts needs one voice. Where outside operators agree against the router, the router is behind
 * another one, and they are right.
 */
export function agree(votes: readonly Vote[], question: Question): Verdict {
  const seen = votes.filter(isSeen)
  const chosen = seen.find(({ witness }) => witness.standpoint === 'chosen')
  if (chosen !== undefined) return agreed(chosen.sighting.address, [chosen], [])
  const near = seen.filter(({ witness }) => witness.standpoint !== 'outside')
  const outside = seen.filter(({ witness }) => witness.standpoint === 'outside')
  const candidates = candidatesOf(near, outside, question)
  const enough = candidates.filter((candidate) => isEnough(candidate, question))
  const [best, second] = enough.toSorted((a, b) => b.voices - a.voices)
  if (best === undefined) return isNone(votes) ? { kind: 'none' } : { kind: 'open' }
  if (second !== undefined && second.voices === best.voices) return { kind: 'open' }
  return agreed(
    best.address,
    [...best.near, ...best.outside],
    outside.filter((vote) => !best.outside.includes(vote)),
  )
}

/** An old address is easily believed: by anybody while nothing is hinted, by whoever is near unless that is in doubt. */
function isEnough(
  { address, near, voices }: Candidate,
  { previous, hint, voices: needed }: Question,
): boolean {
  const all = voices + (near.length > 0 ? 1 : 0)
  if (address !== previous || hint === 'doubted') return all >= needed
  return hint === 'no' || near.length > 0 || all >= needed
}

const agreed = (address: Address, by: readonly Vote[], against: readonly Vote[]): Verdict => ({
  kind: 'agreed',
  address,
  by: by.map(({ witness }) => witness.name),
  against,
})

interface Candidate {
  readonly address: Address
  readonly near: readonly Seen[]
  readonly outside: readonly Seen[]
  /** Distinct operators outside. */
  readonly voices: number
}

/** The outside sees a temporary IPv6 address (RFC 8981) where a stable one is to be published: they share the /64. */
function candidatesOf(
  near: readonly Seen[],
  outside: readonly Seen[],
  { family, hasOwn }: Question,
): readonly Candidate[] {
  const isByPrefix = family === 'v6' && hasOwn
  const keyOf = (address: Address): string => (isByPrefix ? joined(address, 64, '::' as Address) : address)
  const keys = new Set([...near, ...outside].map(({ sighting }) => keyOf(sighting.address)))
  return [...keys].flatMap((key) => {
    const alike = (votes: readonly Seen[]): readonly Seen[] =>
      votes.filter(({ sighting }) => keyOf(sighting.address) === key)
    const [ours, theirs] = [alike(near), alike(outside)]
    const [first] = [...ours, ...theirs]
    // A prefix that none of our own addresses has is somebody else's: what was seen there is no address of this host.
    if (first === undefined || (isByPrefix && ours.length === 0)) return []
    const voices = new Set(theirs.map(({ witness }) => witness.operator)).size
    return [{ address: first.sighting.address, near: ours, outside: theirs, voices }]
  })
}

/** "None" is believed only where nobody could not tell. */
const isNone = (votes: readonly Vote[]): boolean =>
  votes.length > 0 && votes.every(({ sighting }) => sighting.kind === 'none')

/** How many voices there must be: two, where there are two to be had. */
export const voicesOf = (
  witnesses: readonly Pick<Witness, 'operator' | 'families'>[],
  family: Family,
): number => {
  const operators = new Set(
    witnesses.filter(({ families }) => families.includes(family)).map(({ operator }) => operator),
  )
  return Math.min(2, Math.max(1, operators.size))
}
