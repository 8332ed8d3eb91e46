import { type Address, FAMILIES, type Family } from '../../net/address.ts'
import type { AddressProvider } from '../sources/provider.ts'
import type { DetectorOptions } from './detector-options.ts'
import { FamilyDetector, type HintCounts } from './family-detector.ts'
import { SourceRegistry } from './source-registry.ts'

/** The public address on which several sources agree. */
export interface Detector extends AddressProvider {
  /**
   * Something may have changed: the next look asks again, and a running one may start again. With a doubt, the router alone
   * cannot confirm that the address is unchanged.
   */
  hint(isDoubt: boolean): void
  /** The last agreement. */
  current(family: Family): Address | undefined
  /** Whether the last round ended without an agreement. */
  isOpen(family: Family): boolean
}

export function detector(options: DetectorOptions): Detector {
  const registry = new SourceRegistry(options.clock, options.report)
  let counts: HintCounts = { hints: 0, doubts: 0 }
  const hints = (): HintCounts => counts
  const isKnown = (family: Family): boolean =>
    detectors[family].current !== undefined && !detectors[family].isOpen
  const detectors: { readonly [F in Family]: FamilyDetector } = {
    v4: new FamilyDetector('v4', options, { registry, hints, isOtherKnown: () => isKnown('v6') }),
    v6: new FamilyDetector('v6', options, { registry, hints, isOtherKnown: () => isKnown('v4') }),
  }
  return {
    name: options.sources.map(({ name }) => name).join(', '),
    look: async (family, signal) => detectors[family].look(signal),
    current: (family) => detectors[family].current,
    isOpen: (family) => detectors[family].isOpen,
    hint: (isDoubt) => {
      counts = { hints: counts.hints + 1, doubts: counts.doubts + (isDoubt ? 1 : 0) }
      for (const family of FAMILIES) detectors[family].hint()
    },
  }
}
