import { expect, it } from 'vitest'
import type { AddressProvider } from '../../src/client/detect/sources/provider.ts'
import { FAMILIES, familyOf } from '../../src/shared/base/address.ts'

/** The contract of every source: it never throws, and it returns only addresses of the requested family. */
export function sourceContract(title: string, make: () => AddressProvider | Promise<AddressProvider>): void {
  it.each(FAMILIES)(`${title} keeps the source contract for %s`, async (family) => {
    const source = await make()

    const sighting = await source.look(family, new AbortController().signal)

    expect(source.name).not.toBe('')
    expect(['seen', 'none', 'unknown']).toContain(sighting.kind)
    if (sighting.kind === 'seen') expect(familyOf(sighting.address)).toBe(family)
    if (sighting.kind === 'unknown') expect(sighting.because).not.toBe('')
  })
}
