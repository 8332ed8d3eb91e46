import type { SourceSpec } from '../../config/source.ts'
import { commandSource } from './command.ts'
import { dnsSource } from './dns.ts'
import { givenSource } from './given.ts'
import { webSource } from './http.ts'
import { igdSource } from './igd.ts'
import { type Ipv6Policy, localSource } from './local.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { pcpSource, pmpSource } from './router.ts'
import { OWN_WEB_SOURCES, SERVICES } from './services.ts'
import type { AddressSource } from './source.ts'
import { stunSource } from './stun.ts'

type Kind = SourceSpec['kind']
type SpecOf<K extends Kind> = Extract<SourceSpec, { kind: K }>

/** What the sources need beyond how they ask. */
export interface SourceOptions extends QueryOptions {
  readonly ipv6: Ipv6Policy
  readonly command: readonly string[]
}

type Maker<K extends Kind> = (
  spec: SpecOf<K>,
  ports: SourcePorts,
  wishes: SourceOptions,
  operator?: string,
) => AddressSource

/** Adding a source is one file and one row. A kind without a row does not compile, nor a row without a kind. */
const MAKERS: { readonly [K in Kind]: Maker<K> } = {
  given: (spec) => givenSource(spec.addresses),
  interface: (spec, ports, wishes) => localSource(ports, spec.interface, wishes, wishes.ipv6),
  router: (_, ports, wishes) => routerSource(ports, wishes),
  natPmp: (_, ports, wishes) => pmpSource(ports, wishes),
  pcp: (_, ports, wishes) => pcpSource(ports, wishes),
  upnp: (_, ports, wishes) => igdSource(ports, wishes),
  command: (_, ports, wishes) => commandSource(wishes.command, ports, wishes),
  stun: (spec, ports, wishes, operator) => stunSource(spec, operator ?? spec.host, ports, wishes),
  dns: (spec, ports, wishes, operator) => dnsSource(spec, operator ?? spec.server, ports, wishes),
  echo: (spec, { http }, wishes, operator) =>
    webSource({ ...spec, ...(operator !== undefined && { operator }) }, http, wishes),
}

const make = <K extends Kind>(
  spec: SpecOf<K>,
  ports: SourcePorts,
  wishes: SourceOptions,
  operator?: string,
): AddressSource => (MAKERS[spec.kind] as Maker<K>)(spec, ports, wishes, operator)

/** NAT-PMP or UPnP, whichever this router speaks: the one that answered last is asked alone until it does not. */
export function routerSource(ports: SourcePorts, asking: QueryOptions): AddressSource {
  const ways = [pmpSource(ports, asking), igdSource(ports, asking)] as const
  let known: AddressSource | undefined
  return {
    ...ways[0],
    name: 'router',
    async look(family, signal) {
      if (family !== 'v4') return { kind: 'none' }
      const answer = await known?.look(family, signal)
      if (answer !== undefined && answer.kind !== 'unknown') return answer
      // Whichever answers first; a search for UPnP takes seconds where there is none.
      const failures: string[] = []
      const tries = ways.map(async (way) => {
        const sighting = await way.look(family, signal)
        if (sighting.kind !== 'unknown') return { way, sighting }
        failures.push(`${way.name}: ${sighting.because}`)
        throw new Error('it could not tell')
      })
      const first = await Promise.any(tries).catch(() => undefined)
      known = first?.way
      return first?.sighting ?? { kind: 'unknown', because: failures.join('; ') }
    },
  }
}

/** The configured sources; without any, the router, the own interfaces, the service's own echo and public services. */
export function makeSources(
  specs: readonly SourceSpec[],
  ports: SourcePorts,
  wishes: SourceOptions,
  { server, thirdParties }: { readonly server: string; readonly thirdParties: boolean },
): readonly AddressSource[] {
  if (specs.length > 0) return specs.map((spec) => make(spec, ports, wishes))
  const own = OWN_WEB_SOURCES.filter((echo) => echo.server === server).map(
    (echo): AddressSource => ({
      ...webSource({ ...echo, operator: server }, ports.http, wishes),
      isFirst: true,
    }),
  )
  const services = (thirdParties ? SERVICES : []).map(({ operator, families, spec, cooldown, burst }) => ({
    ...make(spec, ports, wishes, operator),
    families,
    cooldown,
    ...(burst !== undefined && { burst }),
  }))
  return [
    routerSource(ports, wishes),
    localSource(ports, undefined, wishes, wishes.ipv6),
    ...own,
    ...services,
  ]
}
