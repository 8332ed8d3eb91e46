import { nameTextOf } from '../fakes/update-decode.ts'
import { type Deviation, isLaterSerial, type ModelZone, soaOf } from '../fakes/update-model.ts'
import { serialOf } from '../fakes/update-rdata.ts'
import { RCODE, TYPE } from '../fakes/update-wire.ts'

/** What of the table of deviations BIND 9.18 does. */
export const BIND_DEVIATIONS: ReadonlySet<Deviation> = new Set<Deviation>([
  'prescan-first',
  'empty-first',
  'view-by-class',
  'one-ttl',
  'repeated-value',
  'no-wildcard-ns',
  'half-serial',
  'large-ttl',
  'more-types',
  'trailing-octets',
])

const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** The name, and those above it that are beneath the apex. */
function* namesUpTo(name: string, origin: string): Generator<string> {
  for (let at = name; at !== origin; at = parentOf(at)) yield at
}

/** Whether a question for the addresses of a name in the zone has an answer that is an address or a delegation (RFC 1034 §4.3.2). */
function hasAddress(name: string, { origin, records }: ModelZone): boolean {
  const typesAt = (owner: string): readonly number[] =>
    records.filter((one) => one.owner === owner).map(({ type }) => type)
  const exists = (owner: string): boolean =>
    records.some((one) => one.owner === owner || one.owner.endsWith(`.${owner}`))
  const above = [...namesUpTo(name, origin)]
  if (above.some((owner) => typesAt(owner).includes(TYPE.NS))) return true
  const encloser = above.slice(1).find(exists) ?? origin
  const types = typesAt(exists(name) ? name : `*.${encloser}`)
  return !types.includes(TYPE.CNAME) && types.some((type) => type === TYPE.A || type === TYPE.AAAA)
}

const lacksAddress = (zone: ModelZone): boolean =>
  zone.records
    .filter(({ owner, type }) => owner === zone.origin && type === TYPE.NS)
    .map(({ rdata }) => nameTextOf(rdata).toLowerCase())
    .some((target) => target.endsWith(`.${zone.origin}`) && !hasAddress(target, zone))

const serialIn = (zone: ModelZone): number => serialOf(soaOf(zone)?.rdata ?? Buffer.alloc(20))

/** BIND refuses a change after which an NS of the apex is in the zone and has no address, and cannot write one without a later serial to its journal. */
export function refusalByBind(before: ModelZone, after: ModelZone): number | undefined {
  if (lacksAddress(after)) return RCODE.REFUSED
  return isLaterSerial(serialIn(after), serialIn(before)) ? undefined : RCODE.SERVFAIL
}
