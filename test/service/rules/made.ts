import { instant } from '../../../src/shared/base/time.ts'
import type { Caller } from '../../../src/service/rules/permission.ts'
import type { DnsType } from '../../../src/service/model/rdata/types.ts'
import type { Account, Name, Plan, RRSet, Rdata, Zone } from '../../../src/service/model/tree.ts'

const START = instant(0)

export const PLAN: Plan = {
  name: 'plan',
  maxNames: 3,
  maxRdata: 3,
  maxKeys: 3,
  maxNameMetadata: 2,
  maxRRSetMetadata: 2,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
}
export const OWNER: Account = { id: 1, name: 'owner', plan: PLAN, isWebsiteOnly: false, isSuspended: false }
export const OTHER: Account = { ...OWNER, id: 2, name: 'other' }

export const ZONE: Zone = {
  id: 1,
  name: 'example.test',
  accountId: OWNER.id,
  isShared: false,
  isProhibited: false,
  isWebsiteOnly: false,
  isClosedToNewNames: false,
  isMembersOnly: false,
  hasNoNewRdata: false,
  hasOpenNesting: false,
  hasWildcards: true,
  defaultTtl: 300,
  description: '',
  serial: 1,
  metadata: {},
  createdAt: START,
  updatedAt: START,
}

export const callerOf = (account: Account, over: Partial<Caller> = {}): Caller => ({
  account,
  isReadOnly: false,
  ...over,
})

export const rdataOf = (value: string, over: Partial<Rdata> = {}): Rdata => ({
  label: `_${value}`,
  value,
  isSystem: false,
  ...over,
})

export const rrsetOf = (dnsType: DnsType, ...values: readonly string[]): RRSet => ({
  dnsType,
  ttl: 300,
  isSystem: false,
  metadata: {},
  rdata: values.map((value) => rdataOf(value)),
  createdAt: START,
  updatedAt: START,
})

export const nameOf = (name: string, ...rrsets: readonly RRSet[]): Name => ({
  zoneId: ZONE.id,
  accountId: OWNER.id,
  name,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  metadata: {},
  rrsets,
  createdAt: START,
  updatedAt: START,
})
