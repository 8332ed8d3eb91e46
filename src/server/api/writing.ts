import type { Instant } from '../../base/time.ts'
import { type Refusal, refuse } from '../errors/errors.ts'
import type { DraftRRSet } from '../model/draft.ts'
import { type Name, type RRSet, type Rdata, type Zone, autoLabel, rrsetOf, withRRSet } from '../model/tree.ts'
import {
  type PermissionFault,
  type RuleName,
  type PermissionContext,
  permissionFaults,
} from '../rules/permission.ts'
import { type QuotaFault, quotaFaults } from '../rules/quota.ts'
import { type StateFault, apexFault, stateFaults } from '../rules/state.ts'
import { type RequestContext, groupsOf } from './request-context.ts'

/** The first phase that has something against it; the others are not asked. */
export async function firstFault<R>(
  ...phases: readonly (() => readonly R[] | Promise<readonly R[]>)[]
): Promise<readonly R[]> {
  for (const phase of phases) {
    const faults = await phase()
    if (faults.length > 0) return faults
  }
  return []
}

/** Groups that nobody has: the only fault of form that needs the store. */
export async function groupFaults(
  { store }: RequestContext,
  drafts: readonly DraftRRSet[],
): Promise<readonly Refusal<'updateGroupInvalid'>[]> {
  const named = drafts.flatMap(({ rdata }) => rdata.filter(({ updateGroup }) => updateGroup !== undefined))
  const groups = await groupsOf(
    store,
    named.map(({ updateGroup }) => updateGroup),
  )
  return named.flatMap(({ updateGroup = '', pointer }) =>
    groups[updateGroup] === undefined
      ? [
          refuse('updateGroupInvalid' as const, 'there is no such group', {
            location: 'body',
            pointer: `${pointer}/update_group`,
          }),
        ]
      : [],
  )
}

interface Policy<R extends RuleName> {
  readonly zone: Zone
  readonly name: string
  readonly existing: Name | undefined
  readonly rules: readonly R[]
}

/** What policy has against the wishes, all of it. */
export async function permitted<R extends RuleName>(
  { caller, store }: RequestContext,
  drafts: readonly DraftRRSet[],
  at: Policy<R>,
): Promise<readonly Refusal<PermissionFault<R>>[]> {
  const groups = await groupsOf(
    store,
    drafts.flatMap(({ rdata }) => rdata.map(({ updateGroup }) => updateGroup)),
  )
  return drafts.flatMap((draft) => {
    const existing = at.existing === undefined ? undefined : rrsetOf(at.existing, draft.dnsType)
    const scene: PermissionContext = { caller, zone: at.zone, name: at.name, existing, groups }
    return permissionFaults(at.rules, draft, scene)
  })
}

/** The RRSet that a draft makes of what was there. Labels that the user did not choose are made. */
export function rrsetFrom(
  draft: DraftRRSet,
  kept: readonly Rdata[],
  {
    existing,
    zone,
    now,
  }: { readonly existing: RRSet | undefined; readonly zone: Zone; readonly now: Instant },
): RRSet {
  const rdata = draft.rdata.reduce<readonly Rdata[]>((all, { label, value, updateGroup }) => {
    const made = label ?? autoLabel(all)
    return [
      ...all,
      { label: made, value, isSystem: false, ...(updateGroup !== undefined && { updateGroup }) },
    ]
  }, kept)
  return {
    dnsType: draft.dnsType,
    ttl: draft.ttl ?? existing?.ttl ?? zone.fixedTtl ?? zone.defaultTtl,
    isSystem: existing?.isSystem ?? false,
    metadata: existing?.metadata ?? draft.metadata,
    rdata,
    createdAt: existing?.createdAt ?? now,
    updatedAt: now,
  }
}

export const withRRSets = (name: Name, rrsets: readonly RRSet[]): Name => rrsets.reduce(withRRSet, name)

/** The last two phases: DNS's own rules on the result, then what the plan has room for. Then it is kept. */
export async function save(
  context: RequestContext,
  zone: Zone,
  { before, after }: { readonly before: Name | undefined; readonly after: Name },
): Promise<readonly Refusal<StateFault | QuotaFault>[]> {
  return saveWithin(context, zone, { before, after }, isQuotaFault)
}

/** The same, where only some quotas can be met. */
export async function saveWithin<Q extends QuotaFault>(
  { caller, store, now }: Pick<RequestContext, 'caller' | 'store' | 'now'>,
  zone: Zone,
  { before, after }: { readonly before: Name | undefined; readonly after: Name },
  isMet: (fault: Refusal<QuotaFault>) => fault is Refusal<Q>,
): Promise<readonly Refusal<StateFault | Q>[]> {
  const faults = await firstFault<Refusal<StateFault | Q>>(
    () => (before === undefined ? [] : [apexFault(before, after)].filter((fault) => fault !== undefined)),
    async () => stateFaults(after, zone, async (relative) => store.nameAt(zone.id, relative)),
    async () =>
      quotaFaults(before, after, caller.account.plan, await store.holdingsOf(after.accountId)).filter(isMet),
  )
  if (faults.length === 0) await store.saveName(after, now)
  return faults
}

/** Where every quota can be met. */
export const isQuotaFault = (fault: Refusal<QuotaFault>): fault is Refusal<QuotaFault> =>
  fault.refused.length > 0

/** A new name, with nothing at it yet. */
export const newName = ({ caller, now }: RequestContext, zone: Zone, name: string): Name => ({
  zoneId: zone.id,
  accountId: caller.account.id,
  name,
  isProhibited: false,
  isOffline: false,
  metadata: {},
  rrsets: [],
  createdAt: now,
  updatedAt: now,
})
