import type { Address } from '../../shared/base/address.ts'
import { type Nat, natWith } from '../../shared/base/nat.ts'
import type { SourceVote } from './agree.ts'

/** What is between this network and the internet, by the votes of one round over IPv4; undefined where nothing shows it. */
export function natOf(votes: readonly SourceVote[], agreed: Address): Nat | undefined {
  const near = votes.filter(({ source }) => source.vantage === 'router' || source.vantage === 'own')
  if (near.some(({ sighting }) => sighting.kind === 'seen' && sighting.address === agreed)) return undefined
  const nats = near.map((vote) => natIn(vote))
  return nats.find((nat) => nat?.address !== undefined) ?? nats.find((nat) => nat !== undefined)
}

function natIn({ source, sighting }: SourceVote): Nat | undefined {
  if (source.vantage === 'own')
    return sighting.kind === 'none' && sighting.instead !== undefined
      ? { ...natWith(sighting.instead), isOwn: true }
      : undefined
  if (sighting.kind === 'none')
    return sighting.instead === undefined ? { kind: 'CGNAT or double NAT' } : natWith(sighting.instead)
  // A router that has just started may report its previous address.
  return sighting.kind === 'seen' && sighting.isEarly !== true
    ? { kind: 'double NAT or a wrong word', address: sighting.address }
    : undefined
}
