import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { APEX, fqdnOf, relativeTo, WILDCARD } from '../model/dns-name.ts'
import { type DnsType, sizeOfRdata } from '../model/rdata-values.ts'
import { type Name, type RRSet, rrsetOf, type Zone } from '../model/tree.ts'

export type StateFault = Extract<
  ErrorName,
  'nsInvalid' | 'ptrInvalid' | 'aliasInvalid' | 'dnsRulesViolated' | 'aliasOutsideZone'
>

/** Finds another name of the same zone. */
export type FindName = (relative: string) => Promise<Name | undefined>

const has = (name: Name | undefined, ...types: readonly DnsType[]): boolean =>
  name !== undefined && types.some((type) => rrsetOf(name, type) !== undefined)

const MAX_RRSET_BYTES = 65_535
/** With the 12 octets that each record has before its Rdata, its name compressed (RFC 1035 §4.1.3 and §4.1.4). */
const sizeOf = ({ dnsType, rdata }: RRSet): number =>
  rdata.reduce((sum, { value }) => sum + sizeOfRdata(dnsType, value) + 12, 0)

/** Name servers refuse a zone with larger RRSets: BIND by max-records-per-type, which is 100. */
const MAX_RRSET_RECORDS = 100
/** RFC 7505 §3: the name accepts no mail. */
const NULL_MX = '0 .'
const isBesideNullMx = ({ rdata }: RRSet): boolean =>
  rdata.length > 1 && rdata.some(({ value }) => value === NULL_MX)
/** At the parent side of a zone cut. */
const isDelegation = (name: Name): boolean => has(name, 'NS') && name.name !== APEX
const DS_PLACE = 'DS is only at a delegation, which is a name with NS below the apex (RFC 4035 §2.4)'
const AT_DELEGATION: readonly DnsType[] = ['NS', 'DS', 'A', 'AAAA']

/** The rules of DNS for a name after the change, with their RFCs. */
// biome-ignore format: a table
const RULES: readonly (readonly [isViolated: (name: Name) => boolean, rule: string])[] = [
  [(name) => has(name, 'CNAME') && name.rrsets.length > 1,                                'a name with a CNAME has no other records (RFC 1034 §3.6.2)'],
  [(name) => (rrsetOf(name, 'CNAME')?.rdata.length ?? 0) > 1,                             'a name has one CNAME (RFC 2181 §10.1)'],
  [(name) => has(name, 'CNAME') && name.name === APEX,                                    'the apex cannot be a CNAME (RFC 1912 §2.4)'],
  [(name) => has(name, 'ALIAS') && has(name, 'A', 'AAAA', 'CNAME'),                       'a name with an ALIAS has no A, AAAA or CNAME'],
  [(name) => has(name, 'NS') && name.name.split('.')[0] === WILDCARD,                     'a wildcard cannot be delegated (RFC 4592 §4.2)'],
  [(name) => isDelegation(name) && name.rrsets.some(({ dnsType }) => !AT_DELEGATION.includes(dnsType)), 'a delegation has only NS, DS and glue (RFC 1034 §4.2.1, RFC 4035 §2.4)'],
  [(name) => has(name, 'DS') && !isDelegation(name),                                      DS_PLACE],
  [(name) => name.rrsets.some((rrset) => rrset.dnsType === 'MX' && isBesideNullMx(rrset)), 'the null MX "0 ." is the only MX of its name (RFC 7505 §3)'],
  [(name) => name.rrsets.some(({ rdata }) => rdata.length > MAX_RRSET_RECORDS),           `an RRSet has at most ${MAX_RRSET_RECORDS} records`],
  [(name) => name.rrsets.some((rrset) => sizeOf(rrset) > MAX_RRSET_BYTES),                         'an RRSet must fit in one message (RFC 1035 §4.2.2)'],
  [(name) => has(name, '_URL') && has(name, 'A', 'AAAA', 'CNAME'),                        'a name with a redirect has no A, AAAA or CNAME'],
]

const violation = (rule: string): Refusal<'dnsRulesViolated'> => refuse('dnsRulesViolated', rule)

/** The faults of a name after the change: of its targets, else of the rules, else of its ALIAS. */
export async function stateFaults(
  name: Name,
  zone: Zone,
  find: FindName,
): Promise<readonly Refusal<StateFault>[]> {
  const targets = await targetFaults(name, zone, find)
  if (targets.length > 0) return targets
  const violations = RULES.flatMap(([isViolated, rule]) => (isViolated(name) ? [violation(rule)] : []))
  return violations.length > 0 ? violations : aliasesOutside(name, zone)
}

/** The service resolves an ALIAS from its own records. */
const aliasesOutside = (name: Name, zone: Zone): readonly Refusal<'aliasOutsideZone'>[] =>
  (rrsetOf(name, 'ALIAS')?.rdata ?? []).flatMap(({ value }) =>
    relativeTo(value.replace(/\.$/, ''), zone.name) === undefined
      ? [refuse('aliasOutsideZone' as const, `${value} is outside ${zone.name}`)]
      : [],
  )

async function targetFaults(name: Name, zone: Zone, find: FindName): Promise<readonly Refusal<StateFault>[]> {
  const inZone = (value: string): string | undefined => relativeTo(value.replace(/\.$/, ''), zone.name)
  const at = async (relative: string): Promise<Name | undefined> =>
    relative === name.name ? name : find(relative)
  const faults: Refusal<StateFault>[] = []
  for (const { value } of rrsetOf(name, 'NS')?.rdata ?? []) {
    const relative = inZone(value)
    if (relative === undefined) continue
    const target = await at(relative)
    const isBelow = name.name !== APEX && (relative === name.name || relative.endsWith(`.${name.name}`))
    if (has(target, 'CNAME', 'ALIAS'))
      faults.push(refuse('nsInvalid', `${value} is an alias (RFC 2181 §10.3)`))
    else if (isBelow && !has(target, 'A', 'AAAA'))
      faults.push(
        refuse('nsInvalid', `${value} is below this delegation and has no address (RFC 1034 §4.2.1)`),
      )
  }
  for (const { value } of rrsetOf(name, 'PTR')?.rdata ?? []) {
    const relative = inZone(value)
    if (relative !== undefined && has(await at(relative), 'CNAME'))
      faults.push(refuse('ptrInvalid', `${value} is an alias (RFC 2181 §10.2)`))
  }
  const aliases = rrsetOf(name, 'ALIAS')?.rdata ?? []
  if (aliases.length > 1) faults.push(refuse('aliasInvalid', 'a name has one ALIAS'))
  const loop = await loopFrom(name, zone, at)
  return loop === undefined ? faults : [...faults, refuse('aliasInvalid', `${loop} leads back to itself`)]
}

const MAX_CHAIN = 16

/** The fully qualified name if its ALIAS leads back to it through ALIAS and CNAME; else undefined. */
async function loopFrom(name: Name, zone: Zone, at: FindName): Promise<string | undefined> {
  if (!has(name, 'ALIAS')) return undefined
  let current: Name | undefined = name
  for (let steps = 0; steps < MAX_CHAIN && current !== undefined; steps++) {
    const next: string | undefined = (rrsetOf(current, 'ALIAS') ?? rrsetOf(current, 'CNAME'))?.rdata[0]?.value
    const relative = next === undefined ? undefined : relativeTo(next.replace(/\.$/, ''), zone.name)
    if (relative === undefined) return undefined
    if (relative === name.name) return fqdnOf(name.name, zone.name)
    current = await at(relative)
  }
  return undefined
}

/** The NS of the apex cannot be removed. */
export const apexFault = (before: Name, after: Name | undefined): Refusal<'dnsRulesViolated'> | undefined =>
  before.name === APEX && has(before, 'NS') && !has(after, 'NS')
    ? violation('the apex must have NS records (RFC 1034 §4.2.1)')
    : undefined

/** The NS of a delegation cannot be removed while it has DS: name servers refuse the zone. */
export const cutFault = (after: Name): Refusal<'dnsRulesViolated'> | undefined =>
  has(after, 'DS') && !isDelegation(after) ? violation(DS_PLACE) : undefined
