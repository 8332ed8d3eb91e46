import { APEX, canonicalName } from '../dns-name.ts'
import { OWN } from './entries.ts'
import { quoted } from '../rdata/strings.ts'
import type { DnsType } from '../rdata/types.ts'
import type { Name, Zone } from '../tree.ts'

/** Types that are no types of DNS: name servers get comments, and an import reads them. */
const OWN_TYPES: readonly string[] = ['ALIAS', '_URL']

/** The zone as a master file. The SOA is that of a primary that others may transfer from. */
export const formatMasterFile = (
  zone: MasterFileZone,
  names: readonly Name[],
  nameservers: readonly string[],
): readonly string[] => [
  ...masterFileHead(zone, nameservers),
  ...inFileOrder(names.map(({ name, rrsets }) => ({ name, lines: masterLines({ name, rrsets }) }))),
]

type MasterFileZone = Pick<Zone, 'name' | 'serial' | 'defaultTtl'>

/** What precedes the records. */
export function masterFileHead(
  { name: zone, serial, defaultTtl }: MasterFileZone,
  nameservers: readonly string[],
): readonly string[] {
  const primary = canonicalName(nameservers[0] ?? `ns.${zone}`)
  return [
    `$ORIGIN ${zone}.`,
    `$TTL ${defaultTtl}`,
    `@ 3600 IN SOA ${primary}. hostmaster.${zone}. ${serial} 3600 600 1209600 60`,
  ]
}

/** The lines of one name. */
export interface NameLines {
  readonly name: string
  readonly lines: readonly string[]
}

/** The apex is the first name. */
export const inFileOrder = (names: readonly NameLines[]): readonly string[] =>
  names
    .toSorted((a, b) => (a.name === APEX ? -1 : b.name === APEX ? 1 : a.name < b.name ? -1 : 1))
    .flatMap(({ lines }) => lines)

export const masterLines = ({ name, rrsets }: Pick<Name, 'name' | 'rrsets'>): readonly string[] =>
  rrsets.flatMap(({ dnsType, ttl, rdata }) =>
    rdata.map(
      ({ value }) =>
        `${OWN_TYPES.includes(dnsType) ? OWN : ''}${name} ${ttl} IN ${dnsType} ${written(dnsType, value)}`,
    ),
  )

/** Knot 3.2 does not know this key by its name (RFC 9461 §5), and would refuse the zone: it gets the number. */
const DOHPATH = /"(?:[^"\\]|\\.)*"|(?<=[ ,=])dohpath(?=[=, ]|$)/g

/** The value in the form that a master file has for it. */
function written(dnsType: DnsType, value: string): string {
  // A URL may contain ";" and parentheses, which mean something else outside of quotes (RFC 1035 §5.1).
  if (dnsType === '_URL') return quoted(Buffer.from(value, 'utf8'))
  if (dnsType !== 'HTTPS' && dnsType !== 'SVCB') return value
  return value.replace(DOHPATH, (part) => (part === 'dohpath' ? 'key7' : part))
}
