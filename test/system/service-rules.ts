import { nameTextOf } from '../fakes/update-decode.ts'
import type { Deviation, ModelZone, ZoneRecord } from '../fakes/update-model.ts'
import { RCODE, TYPE } from '../fakes/update-wire.ts'

/** What of the table of deviations the service does. */
export const SERVICE_DEVIATIONS: ReadonlySet<Deviation> = new Set<Deviation>([
  'one-ttl',
  'week-ttl',
  'few-types',
  'own-soa',
  'late-form',
  'trailing-octets',
])

interface Judged {
  readonly before: ModelZone
  readonly after: ModelZone
}
type Rule = (zone: Judged) => boolean

const keyOf = ({ owner, type, rdata }: ZoneRecord): string =>
  `${owner} ${type} ${rdata.toString('hex').toLowerCase()}`
const newIn = ({ before, after }: Judged): readonly ZoneRecord[] => {
  const stored = new Set(before.records.map(keyOf))
  return after.records.filter((one) => !stored.has(keyOf(one)))
}
const added =
  (isWrong: (record: ZoneRecord) => boolean): Rule =>
  (zone) =>
    newIn(zone).some(isWrong)

const typesAt = ({ records }: ModelZone, owner: string): ReadonlySet<number> =>
  new Set(records.filter((one) => one.owner === owner).map(({ type }) => type))
const hasAddress = (zone: ModelZone, owner: string): boolean =>
  [TYPE.A, TYPE.AAAA].some((type) => typesAt(zone, owner).has(type))

const DELEGATED: readonly number[] = [TYPE.NS, 43, TYPE.A, TYPE.AAAA]
const targetOf = ({ rdata }: ZoneRecord): string => nameTextOf(rdata).toLowerCase()
const within = (name: string, { origin }: ModelZone): boolean =>
  name === origin || name.endsWith(`.${origin}`)
const apexNs = ({ origin, records }: ModelZone): string =>
  records
    .filter(({ owner, type }) => owner === origin && type === TYPE.NS)
    .map((one) => `${one.ttl} ${targetOf(one)}`)
    .toSorted()
    .join()

/** A host name as RDATA may have it (RFC 952, RFC 1123 §2.1). */
const isHost = (name: string): boolean =>
  name.split('.').every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(label))
const isOwner = (name: string): boolean =>
  name.split('.').every((label) => label === '*' || /^[\w]([\w-]*[\w])?$/.test(label))

/** Where the RDATA has a host. */
const HOST_AT: Readonly<Record<number, number>> = { [TYPE.NS]: 0, [TYPE.PTR]: 0, [TYPE.MX]: 2 }
const hasNoHost = ({ type, rdata }: ZoneRecord): boolean => {
  const at = HOST_AT[type]
  if (at === undefined) return false
  const host = nameTextOf(rdata.subarray(at))
  return !isHost(host) && !(type === TYPE.MX && rdata.equals(Buffer.from([0, 0, 0])))
}

/** What the rules of the service refuse (service/rules), each with its reason. */
// biome-ignore format: a table
export const SERVICE_RULES: Readonly<Record<string, Rule>> = {
  'the NS of the apex, and their TTL, are those of the service': ({ before, after }) => apexNs(before) !== apexNs(after),
  'names have letters, digits, hyphens and underscores':   added(({ owner }) => !isOwner(owner)),
  'NS, PTR and MX have host names, or are the null MX':    added(hasNoHost),
  'the null MX is alone (RFC 7505 §3)':                    ({ after }) => after.records.some((one) => one.type === TYPE.MX && one.rdata.length === 3 && after.records.some((other) => other.type === TYPE.MX && other.owner === one.owner && other !== one)),
  'a wildcard cannot be delegated (RFC 4592 §4.2)':        added(({ owner, type }) => type === TYPE.NS && owner.startsWith('*')),
  'a delegation has only NS, DS and glue':                 ({ after }) => after.records.some(({ owner, type }) => type === TYPE.NS && owner !== after.origin && [...typesAt(after, owner)].some((one) => !DELEGATED.includes(one))),
  'an NS in the zone has an address':                      ({ after }) => after.records.some((one) => one.type === TYPE.NS && within(targetOf(one), after) && !hasAddress(after, targetOf(one))),
  'a PTR leads to no alias (RFC 2181 §10.2)':              ({ after }) => after.records.some((one) => one.type === TYPE.PTR && typesAt(after, targetOf(one)).has(TYPE.CNAME)),
  'a name above a wildcard has records (RFC 4592 §2.2.2)': ({ after }) => after.records.some(({ owner }) => owner.startsWith('*.') && owner !== `*.${after.origin}` && typesAt(after, owner.slice(2)).size === 0),
}

export function refusalByService(before: ModelZone, after: ModelZone): number | undefined {
  return Object.values(SERVICE_RULES).some((isBroken) => isBroken({ before, after }))
    ? RCODE.REFUSED
    : undefined
}
