import { isProof } from '../../model/delegation/proof.ts'
import { refuse } from '../../model/errors.ts'
import type { Delegation } from '../../model/delegation/delegation.ts'
import { IN_PATH, isOwner } from '../../rules/permission.ts'
import { timeOf } from '../answer/show.ts'
import { type RequestContext, refused } from '../request/context.ts'
import { faulty } from '../request/faults.ts'
import { zoneToRead } from '../request/locate.ts'

/** In seconds: a look takes so long at most. */
const RETRY_AFTER = 5

/** What the parent and the name servers of a zone give. It is asked when the transaction of this request is over. */
export async function getDelegation(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const { caller, service } = context
  if (!isOwner(caller, zone))
    return refused(refuse('zoneNotShared', 'only the owner of the zone looks at its delegation', IN_PATH))
  const { id, name, accountId, serial, awaitsProof = false } = zone
  return {
    status: 200 as const,
    later: async () => {
      const found = await service.delegation(
        { id, name, accountId, serial, awaitsProof },
        service.nameservers,
      )
      if (found !== undefined && awaitsProof && isProof(found, service.zoneProof.value(zone)))
        await service.zoneProof.proved(zone)
      return found === undefined
        ? faulty('tooManyRequests', { retryAfter: RETRY_AFTER })
        : { status: 200 as const, data: showDelegation(found) }
    },
  }
}

const showDelegation = ({ checkedAt, parent, servers, advice }: Delegation) => ({
  checked_at: timeOf(checkedAt),
  parent: {
    zone_name: parent.zone ?? null,
    nameservers: parent.nameservers ?? null,
    ds: parent.ds ?? null,
  },
  nameservers: servers.map((server) => ({
    server: server.name,
    own: server.isOwn,
    at_parent: server.isAtParent ?? null,
    answers: server.isAnswering,
    authoritative: server.isAuthoritative,
    serial: server.serial ?? null,
    dnskeys: server.dnskeys ?? null,
  })),
  advice,
})
