import type { Address, Family } from '../../net/address.ts'
import type { Line, Verdict } from './agree.ts'

/** Through which interface questions leave, where that is another than the one to the router. */
export interface Way {
  readonly elsewhere?: string
  /** Both families leave through it. */
  readonly isVpn?: true
}

interface Parts {
  readonly published: (family: Family) => readonly Address[]
  readonly wayOut: ((family: Family) => Promise<Way>) | undefined
}

export interface LineKnown {
  /** What a verdict needs to know of the way to the outside; `through` is for people. */
  now(): Promise<{ readonly line?: Line; readonly through?: string }>
  learn(verdict: Verdict): void
}

/** What one family's rounds have shown of the line that is published, and of another one that the outside sees. */
export function lineKnown(family: Family, { published, wayOut }: Parts): LineKnown {
  let isProven = false
  let foreign: Address | undefined
  return {
    now: async () => {
      if (wayOut === undefined) return {}
      const { elsewhere: through, isVpn } = await wayOut(family)
      const line = {
        published: published(family),
        isElsewhere: through !== undefined,
        isProven,
        ...(foreign !== undefined && { foreign }),
        ...(isVpn && { isVpn }),
      }
      return { line, ...(through !== undefined && { through }) }
    },
    learn: (verdict) => {
      isProven ||= verdict.kind === 'agreed' && verdict.isStated
      if (verdict.kind !== 'none') foreign = verdict.elsewhere ?? (verdict.isElsewhere ? foreign : undefined)
    },
  }
}
