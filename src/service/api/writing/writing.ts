import type { Instant } from '../../../shared/base/time.ts'
import { type Refusal, refuse } from '../../model/errors.ts'
import type { DraftRRSet } from '../../model/draft.ts'
import {
  autoLabels,
  isLeftover,
  type Name,
  type Rdata,
  type RRSet,
  rrsetOf,
  withRRSet,
  type Zone,
} from '../../model/tree.ts'
import {
  type PermissionContext,
  type PermissionFault,
  permissionFaults,
  type RuleName,
} from '../../rules/permission.ts'
import { type NameChange, type QuotaFault, quotaFaults, usageFaults } from '../../rules/quota.ts'
import { removalFault, type StateFault, stateFaults } from '../../rules/state.ts'
import { APEX, fqdnOf } from '../../model/dns-name.ts'
import { isObject } from '../request/body.ts'
import {
  DONE,
  groupsOf,
  type Refused,
  refused,
  type RequestContext,
  type Success,
  unexpected,
  type UpdateGroups,
  type Warning,
} from '../request/context.ts'
import {
  nameWarnings,
  targetWarnings,
  type WarningReads,
  type WrittenValue,
  zoneWarnings,
} from '../../rules/warnings.ts'
import { resultingZone, type ZoneReads } from '../../rules/resulting-zone.ts'

/** The faults of the first phase that has any; later phases are not run. */
export async function firstFault<R>(
  ...phases: readonly (() => readonly R[] | Promise<readonly R[]>)[]
): Promise<readonly R[]> {
  for (const phase of phases) {
    const faults = await phase()
    if (faults.length > 0) return faults
  }
  return []
}

/** Unknown update groups: the only fault of form that needs the store. */
export async function groupFaults(
  { store }: RequestContext,
  drafts: readonly DraftRRSet[],
): Promise<readonly Refusal<'updateGroupInvalid'>[]> {
  const grouped = drafts.flatMap(({ rdata }) => rdata.filter(({ updateGroup }) => updateGroup !== undefined))
  const groups = await groupsIn(store, drafts)
  return grouped.flatMap(({ updateGroup = '', pointer }) =>
    groups[updateGroup] === undefined
      ? [
          refuse('updateGroupInvalid' as const, 'unknown update group', {
            location: 'body',
            pointer: `${pointer}/update_group`,
          }),
        ]
      : [],
  )
}

interface Policy<R extends RuleName> {
  /** Of all drafts of the request, if they were read. */
  readonly groups?: UpdateGroups
  readonly zone: Zone
  readonly name: string
  readonly existing: Name | undefined
  readonly rules: readonly R[]
}

/** The groups that the drafts name. */
export const groupsIn = async (
  store: RequestContext['store'],
  drafts: readonly DraftRRSet[],
): Promise<UpdateGroups> =>
  groupsOf(
    store,
    drafts.flatMap(({ rdata }) => rdata.map(({ updateGroup }) => updateGroup)),
  )

/** All violations of policy by the drafts. */
export async function policyFaults<R extends RuleName>(
  { caller, store }: RequestContext,
  drafts: readonly DraftRRSet[],
  at: Policy<R>,
): Promise<readonly Refusal<PermissionFault<R>>[]> {
  const groups = at.groups ?? (await groupsIn(store, drafts))
  return drafts.flatMap((draft) => {
    const existing = at.existing === undefined ? undefined : rrsetOf(at.existing, draft.dnsType)
    const permission: PermissionContext = { caller, zone: at.zone, name: at.name, existing, groups }
    return permissionFaults(at.rules, draft, permission)
  })
}

/** The RRSet of a draft, after the Rdata that it keeps. Missing labels are generated. */
export function rrsetFrom(
  draft: DraftRRSet,
  kept: readonly Rdata[],
  {
    existing,
    zone,
    now,
  }: { readonly existing: RRSet | undefined; readonly zone: Zone; readonly now: Instant },
): RRSet {
  const given = draft.rdata.flatMap(({ label }) => (label === undefined ? [] : [{ label }]))
  const nextLabel = autoLabels([...kept, ...given])
  const added = draft.rdata.map(
    ({ label, value, updateGroup }): Rdata => ({
      label: label ?? nextLabel(),
      value,
      isSystem: false,
      ...(updateGroup !== undefined && { updateGroup }),
    }),
  )
  return {
    dnsType: draft.dnsType,
    ttl: draft.ttl ?? existing?.ttl ?? zone.fixedTtl ?? zone.defaultTtl,
    isSystem: existing?.isSystem ?? false,
    metadata: existing?.metadata ?? draft.metadata,
    rdata: [...kept, ...added],
    createdAt: existing?.createdAt ?? now,
    updatedAt: now,
  }
}

export const withRRSets = (name: Name, rrsets: readonly RRSet[]): Name => rrsets.reduce(withRRSet, name)

interface ZoneChange extends NameChange {
  readonly zone: Zone
}

/** Saves a change after the last two phases: the rules of DNS, then the quotas. */
export async function save(
  context: RequestContext,
  change: ZoneChange,
): Promise<readonly Refusal<StateFault | QuotaFault>[]> {
  return saveChecked(context, change, isQuotaFault)
}

/** The same for changes that can exceed only some quotas; `isExpected` selects them. */
export async function saveChecked<Q extends QuotaFault>(
  context: Writer,
  { zone, before, after }: ZoneChange,
  isExpected: (fault: Refusal<QuotaFault>) => fault is Refusal<Q>,
): Promise<readonly Refusal<StateFault | Q>[]> {
  return saveAllChecked(context, { zone, changes: [{ before, after }] }, isExpected)
}

/** The same for several names of a zone. The rules of DNS are judged with all changes made. */
export async function saveAllChecked<Q extends QuotaFault>(
  { caller, store, now }: Writer,
  { zone, changes }: { readonly zone: Zone; readonly changes: readonly NameChange[] },
  isExpected: (fault: Refusal<QuotaFault>) => fault is Refusal<Q>,
): Promise<readonly Refusal<StateFault | Q>[]> {
  const resulting = resultingZone(
    readsOf(store, zone),
    changes.map((change) => ({ zone, ...change })),
  )
  const faults = await firstFault<Refusal<StateFault | Q>>(
    async () => eachOf(changes, async (change) => stateFaults({ zone, ...change }, resulting)),
    async () => eachOf(changes, async (change) => delegationFaults(store, zone, change)),
    async () =>
      eachOf([...new Set(changes.map(({ after }) => after.accountId))], async (accountId) => {
        const own = changes.filter(({ after }) => after.accountId === accountId)
        const over = await usageFaults(store, accountId, (usage) =>
          quotaFaults(own, caller.account.plan, usage),
        )
        return over.filter(isExpected)
      }),
  )
  if (faults.length === 0)
    for (const { after, before } of changes) await saveOrRemove({ store, now }, after, before)
  return faults
}

/** A delegation would take the place of what the operator has stopped beneath it (decision 0053). */
export async function delegationFaults(
  store: RequestContext['store'],
  { id, name: zoneName }: Zone,
  { before, after }: NameChange,
): Promise<readonly Refusal<'dnsRulesViolated'>[]> {
  const isDelegated = (name: Name | undefined): boolean =>
    name !== undefined && name.name !== APEX && rrsetOf(name, 'NS') !== undefined
  const fqdn = fqdnOf(after.name, zoneName)
  if (isDelegated(before) || !isDelegated(after) || !(await store.hasLockedNames(id, fqdn))) return []
  return [refuse('dnsRulesViolated', `the operator has locked or blocked a name beneath ${fqdn}`)]
}

/**
 * What the rules of DNS read of the stored zone, each name once: many changes of a request may lead to the same names. Not
 * to be used after a change.
 */
export const readsOf = (store: RequestContext['store'], zone: Zone): ZoneReads => ({
  nameAt: remembered(async (name) => store.outlineAt(zone.id, name)),
  pointersTo: remembered(async (name) => store.pointersTo(zone.id, fqdnOf(name, zone.name))),
})

/** Asks once for each name. */
export function remembered<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return async (name) => {
    const asked = known.get(name) ?? read(name)
    known.set(name, asked)
    return asked
  }
}

/**
 * Removes records, or the whole name without `after`, unless the resulting zone violates the rules of DNS. An implicit
 * name goes with the last of its records.
 */
export async function removeChecked(
  { store, now }: Pick<RequestContext, 'store' | 'now'>,
  { zone, before, after }: { readonly zone: Zone; readonly before: Name; readonly after?: Name },
): Promise<Success | Refused<'dnsRulesViolated'>> {
  const kept = after === undefined || isLeftover(after) ? undefined : after
  const fault = await removalFault({ zone, before, after: kept }, readsOf(store, zone))
  if (fault !== undefined) return refused(fault)
  await (kept === undefined ? store.removeName(before, now) : store.saveName(kept, now, before))
  return DONE
}

/** After records were removed: deletes an implicit name without records. */
const saveOrRemove = async (
  { store, now }: Pick<RequestContext, 'store' | 'now'>,
  name: Name,
  before: Name | undefined,
): Promise<void> =>
  isLeftover(name) ? store.removeName(before ?? name, now) : store.saveName(name, now, before)

type Writer = Pick<RequestContext, 'caller' | 'store' | 'now'>

/** One after the other: the store answers in the order of the questions. */
export async function eachOf<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (const item of items) results.push(...(await work(item)))
  return results
}

/** For changes that can exceed every quota. */
export const isQuotaFault = (fault: Refusal<QuotaFault>): fault is Refusal<QuotaFault> =>
  fault.refused.length > 0

/** A name that a request for its records creates. */
export const implicitName = (context: RequestContext, zone: Zone, name: string): Name => ({
  ...newName(context, zone, name),
  isImplicit: true,
})

/** A new name without records. */
export const newName = ({ caller, now }: RequestContext, zone: Zone, name: string): Name => ({
  zoneId: zone.id,
  accountId: caller.account.id,
  name,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  metadata: {},
  rrsets: [],
  createdAt: now,
  updatedAt: now,
})

/** The labels that the service generated for the Rdata of a draft: the last Rdata of the RRSet, in the same order. */
export const generatedLabels = (draft: Pick<DraftRRSet, 'rdata'>, { rdata }: RRSet): readonly string[] =>
  rdata
    .slice(rdata.length - draft.rdata.length)
    .flatMap(({ label }, n) => (draft.rdata[n]?.label === undefined ? [label] : []))

export interface CreatedLabels {
  readonly dnsType: string
  readonly labels: readonly string[]
}

/** The same for several new RRSets. */
export const labelsOf = (drafts: readonly DraftRRSet[], rrsets: readonly RRSet[]): readonly CreatedLabels[] =>
  rrsets.map((rrset, n) => ({
    dnsType: rrset.dnsType,
    labels: generatedLabels(drafts[n] ?? { rdata: [] }, rrset),
  }))

/** Clients and proxies limit the size of a header; a part of the list would mislead. */
const MAX_HEADER_BYTES = 4096

/** Created-Labels, a list of strings with the type as a parameter (RFC 9651 §3.1): `"_1";type="A", "_2";type="A"`. */
export function createdLabels(list: readonly CreatedLabels[]): Pick<Success, 'headers'> {
  const items = list.flatMap(({ dnsType, labels }) => labels.map((label) => `"${label}";type="${dnsType}"`))
  const value = items.join(', ')
  return value === '' || value.length > MAX_HEADER_BYTES ? {} : { headers: { 'created-labels': value } }
}

/** A change that is stored. */
interface StoredChange {
  readonly zone: Zone
  /** As it is stored now. */
  readonly name: Name
  readonly isNew: boolean
  /** The values in the body. */
  readonly written: readonly WrittenValue[]
}

/** Warnings about an accepted change, judged on the zone as it is now. */
export async function changeWarnings(
  { store }: Pick<RequestContext, 'store'>,
  { zone, name, isNew, written }: StoredChange,
  reads = warningReads(store, zone),
): Promise<readonly Warning[]> {
  return [
    ...(isNew ? nameWarnings(name.name, zone) : []),
    ...targetWarnings(written, zone),
    ...(await zoneWarnings(name, zone, reads)),
  ].map(unexpected)
}

/** What the warnings read of the zone, after all changes of a request: read once for all of them. */
export const warningReads = (store: RequestContext['store'], zone: Zone): WarningReads => ({
  ...readsOf(store, zone),
  delegationAbove: async (one) => store.delegationAbove(zone.id, one),
  innerZone: async (one) => (await store.zoneInside(zone, one))?.name,
  hiddenBeneath: async (one) => store.hiddenBeneath(zone, one),
})

/** The values in a list of Rdata. */
export const writtenRdata = (dnsType: string, list: readonly unknown[]): readonly WrittenValue[] =>
  list.flatMap((one) =>
    isObject(one) && typeof one['value'] === 'string' ? [{ dnsType, value: one['value'] }] : [],
  )

/** The values in a list of RRSets. */
export const writtenRRSets = (list: readonly unknown[]): readonly WrittenValue[] =>
  list.flatMap((one) =>
    isObject(one) && typeof one['dns_type'] === 'string' && Array.isArray(one['rdata'])
      ? writtenRdata(one['dns_type'].toUpperCase(), one['rdata'])
      : [],
  )
