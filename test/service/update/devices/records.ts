import type { Instant } from '../../../../src/shared/base/time.ts'
import type { DnsType } from '../../../../src/service/model/rdata/types.ts'
import type { StoredName } from '../../../../src/service/model/rows.ts'
import type { Name } from '../../../../src/service/model/tree.ts'

/**
 * Records as one line: `home=192.0.2.9,2001:db8::9(offline) office=-`. The key updates whole names; of the name `part`,
 * only values with "*" at their end. A name that is not in the line has no record.
 */
export interface NameRecords {
  readonly name: string
  readonly values: readonly string[]
  readonly isOffline: boolean
}

const OFFLINE = '(offline)'

const parsed = (line: string): readonly NameRecords[] =>
  line.split(' ').map((part) => {
    const at = part.indexOf('=')
    const isOffline = part.endsWith(OFFLINE)
    const text = part.slice(at + 1, isOffline ? -OFFLINE.length : undefined)
    return { name: part.slice(0, at), values: text === '-' ? [] : text.split(','), isOffline }
  })

/** The same line for the same records, without the marks of targets and without names that have nothing. */
export const canonical = (names: readonly NameRecords[] | string): string =>
  (typeof names === 'string' ? parsed(names) : names)
    .filter(({ values, isOffline }) => values.length > 0 || isOffline)
    .map(({ name, values, isOffline }) => {
      const sorted = values.map((value) => value.replace(/\*$/, '')).toSorted()
      return `${name}=${sorted.join(',')}${isOffline ? OFFLINE : ''}`
    })
    .toSorted()
    .join(' ')

export const storedRecords = ({ fqdn, rdata, isOffline }: StoredName): NameRecords => ({
  name: fqdn.split('.')[0] ?? '',
  values: rdata.map(({ value }) => value),
  isOffline,
})

function typeOf(value: string): DnsType {
  if (value.includes('://')) return '_URL'
  return value.includes(':') ? 'AAAA' : 'A'
}

const contentOf = ({ isOffline, rrsets }: Name): string =>
  JSON.stringify([
    isOffline,
    rrsets.flatMap(({ dnsType, rdata }) =>
      rdata.map(({ value, updateGroup = null }) => [dnsType, value, updateGroup]),
    ),
  ])

/** Whether two names have the same records in the same order. */
export const isSame = (one: Name, other: Name): boolean => contentOf(one) === contentOf(other)

interface NameOwner {
  readonly zoneId: number
  readonly accountId: number
  /** The DDNS key that updates the name. */
  readonly username: string
  readonly now: Instant
}

/** These names with these records, as the store keeps them. */
export function namesOf(
  line: string,
  all: readonly string[],
  { zoneId, accountId, username, now }: NameOwner,
): readonly Name[] {
  const given = new Map(parsed(line).map((one) => [one.name, one]))
  return all.map((name) => {
    const { values = [], isOffline = false } = given.get(name) ?? {}
    const isWhole = name !== 'part'
    const rdata = values.map((text, at) => {
      const value = text.replace(/\*$/, '')
      const isTarget = value !== text
      return {
        type: typeOf(value),
        row: { label: `_${at}`, value, isSystem: false, ...(isTarget && { updateGroup: username }) },
      }
    })
    return {
      zoneId,
      accountId,
      name,
      isProhibited: false,
      isBlocked: false,
      isOffline,
      metadata: {},
      rrsets: [...new Set(rdata.map(({ type }) => type))].map((dnsType) => ({
        dnsType,
        ttl: 60,
        isSystem: false,
        metadata: {},
        createdAt: now,
        updatedAt: now,
        rdata: rdata.filter(({ type }) => type === dnsType).map(({ row }) => row),
      })),
      createdAt: now,
      updatedAt: now,
      ...(isWhole && { updateGroup: username }),
    }
  })
}
