import type { Address, Family } from '../../shared/base/address.ts'
import type { Agreement, SourceVote, UplinkView } from './agree.ts'

/** The route of outside queries. */
export interface OutsideRoute {
  /** The interface, where it is not the one to the router. */
  readonly elsewhere?: string
  /** IPv4 leaves through a tunnel, although this network has a router. */
  readonly isVpn?: true
}

interface UplinkOptions {
  readonly published: (family: Family) => readonly Address[]
  readonly outboundRoute: ((family: Family) => Promise<OutsideRoute>) | undefined
}

export interface UplinkTracker {
  /** The input of an agreement; `through` is the interface of outside queries, for messages. */
  now(): Promise<{ readonly uplink?: UplinkView; readonly through?: string }>
  record(agreement: Agreement, votes: readonly SourceVote[]): void
}

/** What the rounds of one family showed about the published uplink, and about another one that the outside sees. */
export function uplinkTracker(family: Family, { published, outboundRoute }: UplinkOptions): UplinkTracker {
  let [isProven, isInterrupted] = [false, false]
  let foreign: Address | undefined
  return {
    now: async () => {
      if (outboundRoute === undefined) return {}
      const { elsewhere: through, isVpn } = await outboundRoute(family)
      const uplink = {
        published: published(family),
        isElsewhere: through !== undefined,
        isProven,
        isInterrupted,
        ...(foreign !== undefined && { foreign }),
        ...(isVpn && { isVpn }),
      }
      return { uplink, ...(through !== undefined && { through }) }
    },
    record: (agreement, votes) => {
      const hasNear = agreement.kind === 'agreed' && agreement.hasNear
      isProven ||= hasNear
      const ofRouter = votes.filter(({ source }) => source.vantage === 'router')
      const isSilent = ofRouter.length > 0 && ofRouter.every(({ sighting }) => sighting.kind === 'unknown')
      const isEarly = ofRouter.some(({ sighting }) => sighting.kind !== 'unknown' && sighting.isEarly)
      isInterrupted = isSilent || ((isInterrupted || isEarly) && !hasNear)
      if (agreement.kind !== 'none')
        foreign = agreement.elsewhere ?? (agreement.isElsewhere ? foreign : undefined)
    },
  }
}
