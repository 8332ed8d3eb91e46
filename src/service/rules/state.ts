import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import { APEX, WILDCARD } from '../model/dns-name.ts'
import { MAX_RRSET_RECORDS } from '../model/draft.ts'
import { type DnsType, sizeOfRdata } from '../model/rdata/types.ts'
import { targetsOf } from '../model/targets.ts'
import { isLeftover, type Name, type RRSet } from '../model/tree.ts'
import { aliasFaults, targetFaults } from './targets.ts'
import {
  absolute,
  changedName,
  type ChangeInZone,
  has,
  resultingZone,
  type ZoneReads,
} from './resulting-zone.ts'

export type StateFault = Extract<
  ErrorName,
  'nsInvalid' | 'ptrInvalid' | 'aliasInvalid' | 'dnsRulesViolated' | 'aliasOutsideZone'
>

const MAX_RRSET_BYTES = 65_535
/** With the 12 octets that each record has before its Rdata, its name compressed (RFC 1035 §4.1.3 and §4.1.4). */
const sizeOf = ({ dnsType, rdata }: RRSet): number =>
  rdata.reduce((sum, { value }) => sum + sizeOfRdata(dnsType, value) + 12, 0)

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
const NAME_RULES: readonly (readonly [isViolated: (name: Name) => boolean, rule: string])[] = [
  [(name) => has(name, 'CNAME') && name.rrsets.length > 1,                                'a name with a CNAME has no other records (RFC 1034 §3.6.2)'],
  [(name) => targetsOf(name, 'CNAME').length > 1,                                          'a name has one CNAME (RFC 2181 §10.1)'],
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

/**
 * The faults of the zone after a change that adds or replaces records: of targets, else of the rules for one name, else of
 * aliases that lead out of the zone.
 */
export async function stateFaults(
  change: ChangeInZone & { readonly after: Name },
  stored: ZoneReads,
): Promise<readonly Refusal<StateFault>[]> {
  const { before, after } = change
  const apex = before === undefined ? undefined : apexFault(before, after)
  if (apex !== undefined) return [apex]
  const resulting = resultingZone(stored, [change])
  const aliases = await aliasFaults(change, resulting)
  const invalid = aliases.filter(({ refused }) => refused === 'aliasInvalid')
  const targets = [...(await targetFaults(change, resulting)), ...invalid]
  if (targets.length > 0) return targets
  const violations = NAME_RULES.flatMap(([isViolated, rule]) => (isViolated(after) ? [violation(rule)] : []))
  if (violations.length > 0) return violations
  const wildcard = before === undefined ? undefined : await wildcardFault({ ...change, before }, resulting)
  return wildcard === undefined ? aliases : [wildcard]
}

/**
 * The fault of the zone after records, or the whole name, are removed. The specification has one error for all of them at
 * deletions.
 */
export async function removalFault(
  change: ChangeInZone & { readonly before: Name },
  stored: ZoneReads,
): Promise<Refusal<'dnsRulesViolated'> | undefined> {
  const { before, after } = change
  const own = apexFault(before, after) ?? (after === undefined ? undefined : cutFault(after))
  if (own !== undefined) return own
  const [target] = await targetFaults(change, resultingZone(stored, [change]))
  if (target?.detail !== undefined) return violation(target.detail)
  return wildcardFault(change, stored)
}

/** RFC 4592 §2.2.2: without records, the name would be an empty non-terminal that only the wildcard makes. */
async function wildcardFault(
  change: ChangeInZone & { readonly before: Name },
  { nameAt }: ZoneReads,
): Promise<Refusal<'dnsRulesViolated'> | undefined> {
  const { zone, before, after } = change
  const isLast = before.rrsets.length > 0 && (after?.rrsets.length ?? 0) === 0
  if (!isLast || before.name === APEX) return undefined
  const wildcard = await nameAt(`${WILDCARD}.${changedName(change)}`)
  // Another account must not be able to prevent the removal.
  return wildcard?.accountId === before.accountId && !isLeftover(wildcard)
    ? violation(
        `${absolute(wildcard.name, zone)} exists, so ${absolute(before.name, zone)} needs a record (RFC 4592 §2.2.2)`,
      )
    : undefined
}

/** The NS of the apex cannot be removed. */
const apexFault = (before: Name, after: Name | undefined): Refusal<'dnsRulesViolated'> | undefined =>
  before.name === APEX && has(before, 'NS') && !has(after, 'NS')
    ? violation('the apex must have NS records (RFC 1034 §4.2.1)')
    : undefined

/** The NS of a delegation cannot be removed while it has DS: name servers refuse the zone. */
const cutFault = (after: Name): Refusal<'dnsRulesViolated'> | undefined =>
  has(after, 'DS') && !isDelegation(after) ? violation(DS_PLACE) : undefined
