import { igdSource } from './igd.ts'
import { pmpSource } from './pmp.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'

/** NAT-PMP or UPnP, whichever the router supports. The protocol that answered is used alone until it fails. */
export function routerSource(ports: SourcePorts, options: QueryOptions): AddressSource {
  const protocols = [pmpSource(ports, options), igdSource(ports, { ...options, asksAge: true })] as const
  let supported: AddressSource | undefined
  return {
    ...protocols[0],
    name: 'router',
    async look(family, signal) {
      if (family !== 'v4') return { kind: 'none' }
      const answer = await supported?.look(family, signal)
      // A look that is aborted is not a failure of the protocol.
      if (answer !== undefined && (answer.kind !== 'unknown' || signal.aborted)) return answer
      // In parallel, because a search for UPnP takes seconds where there is none.
      const failures: string[] = []
      const attempts = protocols.map(async (protocol) => {
        const sighting = await protocol.look(family, signal)
        if (sighting.kind !== 'unknown') return { protocol, sighting }
        failures.push(`${protocol.name}: ${sighting.because}`)
        throw new Error('no answer')
      })
      const first = await Promise.any(attempts).catch(() => undefined)
      supported = first?.protocol
      return first?.sighting ?? { kind: 'unknown', because: failures.join('; ') }
    },
  }
}
