import { type Address, FAMILIES, type Family } from '../../shared/base/address.ts'
import type { AddressProvider } from './sources/provider.ts'
import type { DetectorOptions } from './detector-options.ts'
import { type DetectorContext, FamilyDetector, type HintCounts, type HintKind } from './family-detector.ts'
import { SourceRegistry } from './source-registry.ts'

/** The public address on which several sources agree. */
export interface Detector extends AddressProvider {
  /**
   * Something may have changed: the next look asks again, and a running one may start again. With a doubt, the router alone
   * cannot confirm that the address is unchanged. Without a family, of both.
   */
  hint(kind: HintKind, family?: Family): void
  /** The last agreement. */
  current(family: Family): Address | undefined
  /** Whether the last round ended without an agreement. */
  isOpen(family: Family): boolean
}

export function detector(options: DetectorOptions): Detector {
  const registry = new SourceRegistry(options.clock, options.report)
  const counts: Record<Family, HintCounts> = { v4: NO_HINTS, v6: NO_HINTS }
  const isKnown = (family: Family): boolean =>
    detectors[family].current !== undefined && !detectors[family].isOpen
  const contextOf = (family: Family, other: Family): DetectorContext => ({
    registry,
    hints: () => counts[family],
    isOtherKnown: () => isKnown(other),
  })
  const detectors: { readonly [F in Family]: FamilyDetector } = {
    v4: new FamilyDetector('v4', options, contextOf('v4', 'v6')),
    v6: new FamilyDetector('v6', options, contextOf('v6', 'v4')),
  }
  return {
    name: options.sources.map(({ name }) => name).join(', '),
    look: async (family, signal) => detectors[family].look(signal),
    current: (family) => detectors[family].current,
    isOpen: (family) => detectors[family].isOpen,
    hint: (kind, only) => {
      for (const family of only === undefined ? FAMILIES : [only]) {
        const { all, doubts } = counts[family]
        counts[family] = { all: all + 1, doubts: doubts + (kind === 'plain' ? 0 : 1) }
        detectors[family].hint(kind)
      }
    },
  }
}

const NO_HINTS: HintCounts = { all: 0, doubts: 0 }
