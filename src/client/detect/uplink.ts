import type { Address, Family } from '../../net/address.ts'
import type { Agreement, UplinkView } from './agree.ts'

/** Through which interface questions leave, where that is another than the one to the router. */
export interface OutsideRoute {
  readonly elsewhere?: string
  /** Both families leave through it. */
  readonly isVpn?: true
}

interface UplinkOptions {
  readonly published: (family: Family) => readonly Address[]
  readonly outboundRoute: ((family: Family) => Promise<OutsideRoute>) | undefined
}

export interface UplinkTracker {
  /** What a verdict needs to know of the way to the outside; `through` is for people. */
  now(): Promise<{ readonly uplink?: UplinkView; readonly through?: string }>
  record(verdict: Agreement): void
}

/** What one family's rounds have shown of the line that is published, and of another one that the outside sees. */
export function uplinkTracker(family: Family, { published, outboundRoute }: UplinkOptions): UplinkTracker {
  let isProven = false
  let foreign: Address | undefined
  return {
    now: async () => {
      if (outboundRoute === undefined) return {}
      const { elsewhere: through, isVpn } = await outboundRoute(family)
      const uplink = {
        published: published(family),
        isElsewhere: through !== undefined,
        isProven,
        ...(foreign !== undefined && { foreign }),
        ...(isVpn && { isVpn }),
      }
      return { uplink, ...(through !== undefined && { through }) }
    },
    record: (verdict) => {
      isProven ||= verdict.kind === 'agreed' && verdict.isStated
      if (verdict.kind !== 'none') foreign = verdict.elsewhere ?? (verdict.isElsewhere ? foreign : undefined)
    },
  }
}
