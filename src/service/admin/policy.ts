import { err, ok, type Result } from '../../shared/base/result.ts'
import { isMailAddress } from '../../shared/base/mail.ts'
import { isDnsType } from '../model/rdata/types.ts'

/**
 * KEY=VALUE of the command line; the value `none` removes a limit or a list of types. `default`: as usual for a zone that is
 * shared, or for one that is not.
 */
type Kind = 'address' | 'number' | 'limit' | 'switch' | 'types' | 'default-switch' | 'default-types'
export const PLAN_KEYS = {
  'max-names': ['maxNames', 'number'],
  'max-rdata': ['maxRdata', 'number'],
  'max-keys': ['maxKeys', 'number'],
  'max-name-metadata': ['maxNameMetadata', 'number'],
  'max-rrset-metadata': ['maxRRSetMetadata', 'number'],
  'min-ttl': ['minTtl', 'number'],
  'fixed-ttl': ['fixedTtl', 'limit'],
  types: ['types', 'types'],
  offline: ['hasOffline', 'switch'],
  wildcards: ['hasWildcards', 'switch'],
  'second-factor': ['needsFactor', 'switch'],
} as const satisfies Keys
export const ZONE_KEYS = {
  shared: ['isShared', 'switch'],
  prohibited: ['isProhibited', 'switch'],
  'website-only': ['isWebsiteOnly', 'switch'],
  'closed-to-new-names': ['isClosedToNewNames', 'switch'],
  'members-only': ['isMembersOnly', 'switch'],
  'no-new-rdata': ['hasNoNewRdata', 'switch'],
  wildcards: ['hasWildcards', 'default-switch'],
  'open-nesting': ['hasOpenNesting', 'switch'],
  types: ['types', 'types'],
  'owner-only-types': ['ownerOnlyTypes', 'default-types'],
  'max-labels': ['maxLabels', 'limit'],
  'min-ttl': ['minTtl', 'limit'],
  'fixed-ttl': ['fixedTtl', 'limit'],
  'default-ttl': ['defaultTtl', 'number'],
  'awaits-proof': ['awaitsProof', 'switch'],
} as const satisfies Keys
export const ACCOUNT_KEYS = {
  'website-only': ['isWebsiteOnly', 'switch'],
  operator: ['isOperator', 'switch'],
  email: ['email', 'address'],
} as const satisfies Keys
type Keys = Readonly<Record<string, readonly [field: string, kind: Kind]>>

const integer = (value: string) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined)
const SWITCH: Readonly<Record<string, boolean>> = {
  yes: true,
  no: false,
  on: true,
  off: false,
  true: true,
  false: false,
}
const typeList = (value: string): readonly string[] | undefined => {
  const types = value.toUpperCase().split(',')
  return types.every(isDnsType) ? types : undefined
}
const PARSERS: { readonly [K in Kind]: (value: string) => unknown } = {
  address: (value) => (value === 'none' ? '' : isMailAddress(value) ? value : undefined),
  number: integer,
  limit: (value) => (value === 'none' ? null : integer(value)),
  switch: (value) => SWITCH[value],
  types: (value) => (value === 'none' ? null : typeList(value)),
  'default-switch': (value) => (value === 'default' ? null : SWITCH[value]),
  'default-types': (value) => {
    if (value === 'default') return null
    return value === 'none' ? [] : typeList(value)
  },
}

const EXPECTED: Readonly<Record<Kind, string>> = {
  address: 'an e-mail address or none',
  number: 'a whole number',
  limit: 'a whole number or none',
  switch: 'yes or no',
  types: 'a list of record types or none',
  'default-switch': 'yes, no or default',
  'default-types': 'a list of record types, none or default',
}

/** Parses all assignments, or describes the first fault. */
export function assignments(
  keys: Keys,
  args: readonly string[],
): Result<Readonly<Record<string, unknown>>, string> {
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    const [key = '', value = ''] = arg.split(/=(.*)/s)
    const row = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (row === undefined) return err(`unknown key '${key}': the keys are ${Object.keys(keys).join(', ')}`)
    const [field, kind] = row
    const parsed = PARSERS[kind](value)
    if (parsed === undefined) return err(`${key}=${value} is not ${EXPECTED[kind]}`)
    values[field] = parsed
  }
  return ok(values)
}
