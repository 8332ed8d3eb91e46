import { err, ok, type Result } from '../../base/result.ts'
import { isDnsType } from '../model/rdata-values.ts'

/** Policy as an operator writes it: KEY=VALUE, where none takes a limit or a list of types away. */
type Kind = 'number' | 'limit' | 'switch' | 'types'
export const PLAN_KEYS = {
  'max-names': ['maxNames', 'number'],
  'max-rdata': ['maxRdata', 'number'],
  'max-name-metadata': ['maxNameMetadata', 'number'],
  'max-rrset-metadata': ['maxRRSetMetadata', 'number'],
  'min-ttl': ['minTtl', 'number'],
  'fixed-ttl': ['fixedTtl', 'limit'],
  types: ['types', 'types'],
  offline: ['hasOffline', 'switch'],
  wildcards: ['hasWildcards', 'switch'],
} as const satisfies Keys
export const ZONE_KEYS = {
  shared: ['isShared', 'switch'],
  prohibited: ['isProhibited', 'switch'],
  'website-only': ['isWebsiteOnly', 'switch'],
  'closed-to-new-names': ['isClosedToNewNames', 'switch'],
  'members-only': ['isMembersOnly', 'switch'],
  'no-new-rdata': ['hasNoNewRdata', 'switch'],
  wildcards: ['hasWildcards', 'switch'],
  types: ['types', 'types'],
  'owner-only-types': ['ownerOnlyTypes', 'types'],
  'max-labels': ['maxLabels', 'limit'],
  'min-ttl': ['minTtl', 'limit'],
  'fixed-ttl': ['fixedTtl', 'limit'],
  'default-ttl': ['defaultTtl', 'number'],
} as const satisfies Keys
export const ACCOUNT_KEYS = { 'website-only': ['isWebsiteOnly', 'switch'] } as const satisfies Keys
type Keys = Readonly<Record<string, readonly [field: string, kind: Kind]>>

const whole = (value: string) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined)
const READERS: { readonly [K in Kind]: (value: string) => unknown } = {
  number: whole,
  limit: (value) => (value === 'none' ? null : whole(value)),
  switch: (value) => ({ yes: true, no: false, on: true, off: false, true: true, false: false })[value],
  types: (value) => {
    if (value === 'none') return null
    const types = value.toUpperCase().split(',')
    return types.every(isDnsType) ? types : undefined
  },
}

const WANTED: Readonly<Record<Kind, string>> = {
  number: 'a whole number',
  limit: 'a whole number or none',
  switch: 'yes or no',
  types: 'a list of record types',
}

/** All assignments, or what is wrong with the first that is. */
export function assignments(
  keys: Keys,
  args: readonly string[],
): Result<Readonly<Record<string, unknown>>, string> {
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    const [key = '', value = ''] = arg.split(/=(.*)/s)
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (known === undefined) return err(`${key} is none of ${Object.keys(keys).join(', ')}`)
    const [field, kind] = known
    const read = READERS[kind](value)
    if (read === undefined) return err(`${key}=${value} is not ${WANTED[kind]}`)
    values[field] = read
  }
  return ok(values)
}
