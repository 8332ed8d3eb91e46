import type { SourceSpec } from '../../config/source.ts'
import type { Http } from '../../ports/http.ts'
import type { Interfaces } from '../../ports/interfaces.ts'
import { type Asking, echoSource } from './echo.ts'
import { givenSource } from './given.ts'
import { localSource } from './local.ts'
import { SERVICES } from './services.ts'
import { type AddressSource, firstOf } from './source.ts'

type Kind = SourceSpec['kind']
type SpecOf<K extends Kind> = Extract<SourceSpec, { kind: K }>
export interface Ports {
  readonly http: Http
  readonly interfaces: Interfaces
}

type Maker<K extends Kind> = (spec: SpecOf<K>, ports: Ports, asking: Asking) => AddressSource

/** Adding a source is one file and one row. A kind without a row does not compile, nor a row without a kind. */
const MAKERS: { readonly [K in Kind]: Maker<K> } = {
  given: (spec) => givenSource(spec.addresses),
  interface: (spec, { interfaces }, { allowed }) => localSource(interfaces, spec.interface, allowed),
  echo: (spec, { http }, asking) => echoSource(spec, http, asking),
}

const make = <K extends Kind>(spec: SpecOf<K>, ports: Ports, asking: Asking): AddressSource =>
  (MAKERS[spec.kind] as Maker<K>)(spec, ports, asking)

/** The configured sources as one; without any, the own interfaces first and then public services. */
export function makeSource(specs: readonly SourceSpec[], ports: Ports, asking: Asking): AddressSource {
  if (specs.length > 0) return firstOf(specs.map((spec) => make(spec, ports, asking)))
  return firstOf([localSource(ports.interfaces, undefined, asking.allowed), ...publicServices(ports, asking)])
}

/** Each service speaks for one family; asked for the other, it has nothing to say. */
const publicServices = (ports: Ports, asking: Asking): readonly AddressSource[] =>
  SERVICES.map(({ family, url }) => {
    const source = echoSource({ url }, ports.http, asking)
    return {
      name: source.name,
      look: async (asked, signal) => (asked === family ? source.look(asked, signal) : { kind: 'none' }),
    }
  })
