import type { SourceSpec, SourceSpecOf } from './spec.ts'
import { commandSource } from './command.ts'
import { dnsSource } from './dns.ts'
import { webSource } from './web.ts'
import { igdSource } from './upnp.ts'
import { type Ipv6Policy, localSource } from './interface.ts'
import { pcpSource } from './pcp.ts'
import { pmpSource } from './nat-pmp.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { routerSource } from './router.ts'
import { PUBLIC_SERVICES, type PublicService, UPDATE_SERVICES } from './services.ts'
import type { AddressSource } from './source.ts'
import { stunSource } from './stun.ts'

type Kind = SourceSpec['kind']

/** Settings of single kinds of sources, besides the options of every request. */
interface SourceOptions extends QueryOptions {
  readonly ipv6: Ipv6Policy
  readonly command: readonly string[]
}

type Maker<K extends Kind> = (
  spec: SourceSpecOf<K>,
  ports: SourcePorts,
  options: SourceOptions,
) => AddressSource

/** A new kind of source needs one file and one row; its text form is a row in client/detect/sources/spec.ts. */
const MAKERS: { readonly [K in Kind]: Maker<K> } = {
  interface: (spec, ports, options) => localSource(ports, spec.interface, options),
  router: (_, ports, options) => routerSource(ports, options),
  natPmp: (_, ports, options) => pmpSource(ports, options),
  pcp: (_, ports, options) => pcpSource(ports, options),
  upnp: (_, ports, options) => igdSource(ports, { ...options, asksAge: true }),
  command: (_, ports, options) => commandSource(options.command, ports, options),
  stun: stunSource,
  dns: dnsSource,
  web: webSource,
}

const make = <K extends Kind>(
  spec: SourceSpecOf<K>,
  ports: SourcePorts,
  options: SourceOptions,
): AddressSource => (MAKERS[spec.kind] as Maker<K>)(spec, ports, options)

export interface SourceSelection extends SourceOptions {
  /** The host of the update service. */
  readonly server: string
  /** Whether public services may be asked. */
  readonly thirdParties: boolean
}

/**
 * The configured sources. Without any: the router, the interfaces, the address service of the update service, and public
 * services.
 */
export const makeSources = (
  specs: readonly SourceSpec[],
  ports: SourcePorts,
  options: SourceSelection,
): readonly AddressSource[] => withPaths(selected(specs, ports, options))

/** If all outside sources use shared paths, they are distinguished by operator alone. */
function withPaths(sources: readonly AddressSource[]): readonly AddressSource[] {
  const hasDirect = sources.some(({ vantage, path }) => vantage === 'outside' && path === undefined)
  return hasDirect ? sources : sources.map(({ path: _, ...source }) => source)
}

function selected(
  specs: readonly SourceSpec[],
  ports: SourcePorts,
  options: SourceSelection,
): readonly AddressSource[] {
  if (specs.length > 0) return specs.map((spec) => make(spec, ports, options))
  const { server, thirdParties } = options
  const ofService = ({ operator, families, spec, cooldown, burst }: PublicService): AddressSource => ({
    ...make(spec, ports, { ...options, operator }),
    families,
    cooldown,
    ...(burst !== undefined && { burst }),
  })
  return [
    routerSource(ports, options),
    localSource(ports, undefined, options),
    ...UPDATE_SERVICES.filter(({ operator }) => operator === server).map(
      (row): AddressSource => ({ ...ofService(row), isFirst: true }),
    ),
    ...(thirdParties ? PUBLIC_SERVICES : []).map(ofService),
  ]
}
