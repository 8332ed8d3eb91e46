import type { Sanction } from '../../store/account/sanctions.ts'
import type { DdnsKey } from '../../store/records.ts'
import type { RequestContext } from '../request/context.ts'
import { showLastUpdate } from './last-update.ts'
import { timeOf } from './show.ts'

type ShowContext = Pick<RequestContext, 'service' | 'now'> & {
  /** Of the account. */
  readonly sanctions: readonly Sanction[]
}

/** A DDNS key as the API shows it, without its password. */
export const showKey = (context: ShowContext, key: DdnsKey) => ({
  username: key.username,
  description: key.description,
  targets: key.targets.map(({ zoneName, name, dnsType, label }) => ({
    zone_name: zoneName,
    name,
    ...(dnsType !== undefined && { dns_type: dnsType }),
    ...(label !== undefined && { label }),
  })),
  created_at: timeOf(key.createdAt),
  last_used_at: timeOf(key.lastUse?.at),
  last_update: showLastUpdate(key.username, key.lastUse),
  block: showBlock(context, key),
})

/** Why the requests of the key are answered `abuse`; the block of the operator first, which does not end by itself. */
function showBlock({ service, now, sanctions }: ShowContext, key: DdnsKey) {
  const until = service.blockEnd(key, sanctions, now)
  if (!key.isBlocked && until === undefined) return null
  const reason = key.isBlocked ? ('operator' as const) : ('abuse' as const)
  // The store has the end of a block, and not its begin.
  const times = { since: null, until: key.isBlocked ? null : timeOf(until) }
  return { reason, ...times, what_to_do: WHAT_TO_DO[reason] }
}

const WHAT_TO_DO = {
  operator: 'The operator has blocked the key, and ends the block: contact support.',
  abuse:
    'The client sent too many requests, too many that change nothing, or repeated one that is refused. Correct it; ' +
    'the block ends by itself, or the operator ends it.',
} as const
