import type { Address, Family } from '../../shared/base/address.ts'
import type { Agreement, SourceVote, UplinkView } from './agree.ts'

/** The route of outside queries. */
export interface OutsideRoute {
  /** The held line that they leave by, as shown to people. */
  readonly elsewhere?: string
  /** The line that may be published, where it is known. */
  readonly line?: string
}

interface UplinkOptions {
  readonly published: (family: Family) => readonly Address[]
  readonly outboundRoute: ((family: Family) => Promise<OutsideRoute>) | undefined
}

export interface UplinkTracker {
  /** The input of an agreement; `through` is the line of outside queries, for messages. */
  now(): Promise<{ readonly uplink?: UplinkView; readonly through?: string; readonly line?: string }>
  record(agreement: Agreement, votes: readonly SourceVote[]): void
}

/** What the rounds of one family showed about the published line, and about another one that the outside sees. */
export function uplinkTracker(family: Family, { published, outboundRoute }: UplinkOptions): UplinkTracker {
  let [isProven, isInterrupted] = [false, false]
  let foreign: Address | undefined
  let last: string | undefined
  return {
    now: async () => {
      if (outboundRoute === undefined) return {}
      const { elsewhere: through, line } = await outboundRoute(family)
      // A foreign address may belong to the new line, and its router is not proven yet.
      if (line !== undefined && last !== undefined && line !== last) [foreign, isProven] = [undefined, false]
      last = line ?? last
      const uplink = {
        published: published(family),
        isElsewhere: through !== undefined,
        isProven,
        isInterrupted,
        ...(foreign !== undefined && { foreign }),
      }
      return { uplink, ...(through !== undefined && { through }), ...(line !== undefined && { line }) }
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
