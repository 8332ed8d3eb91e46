import { hours, instant, minutes } from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import type { IncomingRequest } from '../../../src/service/http/request.ts'
import type { StoredName, StoredRdata } from '../../../src/service/model/rows.ts'
import { OWNER, ZONE } from '../rules/made.ts'

export const NOW = instant(Date.UTC(2026, 0, 1))
export const [V4, V6] = ['192.0.2.1', '2001:db8::1'] as Address[] as [Address, Address]
export const KEY = { kind: 'key', id: 7, accountId: OWNER.id } as const
export const LIMITS = limitsOf({
  nochgLimit: 9,
  requestLimit: 9,
  refusalLimit: 9,
  badauthLimit: 9,
  longBlock: hours(24),
  shortBlock: minutes(30),
})

export const storedRdata = (id: number, dnsType: string, value: string): StoredRdata => ({
  id,
  dnsType,
  value,
  keyId: null,
})

/** A name of the key. */
export const storedName = (name: string, over: Partial<StoredName> = {}): StoredName => ({
  nameId: 1,
  zoneId: ZONE.id,
  fqdn: `${name}.example.test`,
  accountId: OWNER.id,
  keyId: KEY.id,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  rdata: [],
  ...over,
})

export const requestOf = (over: Partial<IncomingRequest> = {}): IncomingRequest => ({
  method: 'GET',
  path: '/nic/update',
  query: '',
  userAgent: 'Acme test/1-1 me@example.test',
  authorization: undefined,
  peer: V4,
  isProxy: false,
  ...over,
})
