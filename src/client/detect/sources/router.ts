import { igdSource } from './upnp.ts'
import { pmpSource } from './nat-pmp.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'

/**
 * NAT-PMP or UPnP, whichever the router supports. The protocol that answered is used alone until it fails. A router that
 * knows NAT-PMP is asked by it again as soon as it answers: its epoch says that the router has just started, and may report
 * an old address, which the uptime of UPnP often does not.
 */
export function routerSource(ports: SourcePorts, options: QueryOptions): AddressSource {
  const protocols = [pmpSource(ports, options), igdSource(ports, { ...options, asksAge: true })] as const
  const [pmp] = protocols
  let supported: AddressSource | undefined
  let knowsPmp = false
  return {
    ...protocols[0],
    name: 'router',
    async look(family, signal) {
      if (family !== 'v4') return { kind: 'none' }
      const alone = knowsPmp && supported !== pmp ? undefined : supported
      const answer = await alone?.look(family, signal)
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
      const any = await Promise.any(attempts).catch(() => undefined)
      const first = (knowsPmp && (await attempts[0]?.catch(() => undefined))) || any
      supported = first?.protocol
      knowsPmp ||= supported === pmp
      return first?.sighting ?? { kind: 'unknown', because: failures.join('; ') }
    },
  }
}
