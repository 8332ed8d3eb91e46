import type { Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'

/** A way of learning our own public address. Never throws; a failure is a Sighting like any other. */
export interface AddressSource {
  readonly name: string
  look(family: Family, signal: AbortSignal): Promise<Sighting>
}

/** Ask each in turn until one sees an address. "None" is believed only where nobody could not tell. */
export function firstOf(sources: readonly AddressSource[]): AddressSource {
  return {
    name: sources.map((source) => source.name).join(' or '),
    async look(family, signal) {
      const failures: string[] = []
      for (const source of sources) {
        const sighting = await source.look(family, signal)
        if (sighting.kind === 'seen') return sighting
        if (sighting.kind === 'unknown') failures.push(`${source.name}: ${sighting.because}`)
      }
      if (sources.length === 0) return { kind: 'unknown', because: 'no sources configured' }
      return failures.length === 0 ? { kind: 'none' } : { kind: 'unknown', because: failures.join('; ') }
    },
  }
}
