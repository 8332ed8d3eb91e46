import type { Instant } from '../../shared/base/time.ts'
import { APEX, canonicalName } from './dns-name.ts'
import type { Name, RRSet } from './tree.ts'

/** The apex of a new zone, with its NS RRSet if the service has name servers. */
export function apexOf(
  { zoneId, accountId }: Pick<Name, 'zoneId' | 'accountId'>,
  nameservers: readonly string[],
  now: Instant,
): Name {
  const ns: RRSet = {
    dnsType: 'NS',
    ttl: 86_400,
    isSystem: true,
    metadata: {},
    rdata: nameservers.map((value, n) => ({
      label: `_ns${n + 1}`,
      value: `${canonicalName(value)}.`,
      isSystem: true,
    })),
    createdAt: now,
    updatedAt: now,
  }
  return {
    zoneId,
    accountId,
    name: APEX,
    isProhibited: false,
    isBlocked: false,
    isOffline: false,
    metadata: {},
    rrsets: ns.rdata.length === 0 ? [] : [ns],
    createdAt: now,
    updatedAt: now,
  }
}
