import type { TrailEntry } from '../model/trail.ts'
import type { RecordChange, TargetChange } from './apply.ts'
import type { UpdateContext } from './context.ts'
import type { UpdateTarget } from './targets.ts'

/** What an update changed at one target: each value, and its offline state. */
export function trailOfUpdate(
  { principal, username, request }: UpdateContext,
  { name }: UpdateTarget,
  {
    changes,
    isOffline,
    now,
  }: Pick<TargetChange, 'isOffline' | 'now'> & { readonly changes: readonly RecordChange[] },
): readonly TrailEntry[] {
  const entry = {
    at: now,
    accountId: principal.accountId,
    isUpdate: true,
    actor: `${principal.kind} ${username}`,
    peer: request.peer,
    operation: 'update',
    subject: name.fqdn,
  } as const
  const values = changes.map(({ dnsType, value, rdataId }) => {
    const before = name.rdata.filter((one) => one.dnsType === dnsType && (rdataId ?? one.id) === one.id)
    return {
      ...entry,
      dnsType,
      ...(before.length > 0 && { before: before.map((one) => one.value).join(', ') }),
      after: value,
    }
  })
  const states =
    name.isOffline === isOffline
      ? []
      : [{ ...entry, before: stateOf(name.isOffline), after: stateOf(isOffline) }]
  return [...values, ...states]
}

const stateOf = (isOffline: boolean): string => (isOffline ? 'offline' : 'online')
