import { type Refusal, refuse } from '../../model/errors.ts'
import type { DraftRdata, DraftReplacement, DraftRRSet } from '../../model/draft.ts'
import type { DnsType } from '../../model/rdata/types.ts'
import { type Name, type RRSet, rdataLabelled, rrsetOf, withoutRRSet, type Zone } from '../../model/tree.ts'
import {
  type TargetConflict,
  type ValueConflict,
  targetConflicts,
  valueConflicts,
} from '../../rules/conflict.ts'
import { CHANGED_RRSET, type PermissionFault, PUT_RRSET } from '../../rules/permission.ts'
import type { RequestContext, UpdateGroups } from '../request/context.ts'
import {
  eachOf,
  firstFault,
  groupFaults,
  groupsIn,
  policyFaults,
  rrsetFrom,
  withRRSets,
} from '../writing/writing.ts'

/** The RRSets that a request replaces or removes at one name. */
interface NameReplacement {
  readonly zone: Zone
  /** As stored; undefined for a new name. */
  readonly before: Name | undefined
  readonly name: Name
  readonly drafts: readonly DraftReplacement[]
  readonly removed: readonly DnsType[]
}

export type ReplacementFault =
  | 'updateGroupInvalid'
  | PermissionFault<(typeof PUT_RRSET)[number]>
  | ValueConflict
  | TargetConflict

/** The phases between the form of the body and the rules of DNS, each for all names. */
export const replacementFaults = async (
  context: RequestContext,
  list: readonly NameReplacement[],
): Promise<readonly Refusal<ReplacementFault>[]> => {
  const all = list.map((one) => ({ ...one, complete: one.drafts.map((draft) => completed(draft, one.name)) }))
  const drafts = all.flatMap(({ complete }) => complete)
  return firstFault<Refusal<ReplacementFault>>(
    async () => groupFaults(context, drafts),
    async () => {
      const groups = await groupsIn(context.store, drafts)
      return eachOf(list, async (one) => policyOf(context, one, groups))
    },
    () => drafts.flatMap((draft) => valueConflicts(draft, [])),
    () => all.flatMap((one) => targetConflicts(one.complete, unchangedPart(one))),
  )
}

const policyOf = async (
  context: RequestContext,
  { zone, before, name, drafts }: NameReplacement,
  groups: UpdateGroups,
) =>
  eachOf(drafts, async (draft) => {
    const existing = rrsetOf(name, draft.dnsType)
    const rules = addsRdata(draft, existing) ? PUT_RRSET : CHANGED_RRSET
    const at = { zone, name: name.name, existing: before, rules, groups }
    return policyFaults<(typeof PUT_RRSET)[number]>(context, [completed(draft, name)], at)
  })

const addsRdata = ({ rdata = [] }: DraftReplacement, existing: RRSet | undefined): boolean =>
  labelled(rdata, existing).some(({ label = '' }) => rdataLabelled(existing, label) === undefined)

/** The name without the RRSets that the request replaces: their targets cannot conflict. */
const unchangedPart = ({ name, drafts, removed }: NameReplacement): Name =>
  [...drafts.map(({ dnsType }) => dnsType), ...removed].reduce(withoutRRSet, name)

/** The draft as one of a new RRSet, for the rules. */
export const completed = (draft: DraftReplacement, name: Name): DraftRRSet => ({
  ...draft,
  metadata: draft.metadata ?? {},
  rdata: labelled(draft.rdata ?? [], rrsetOf(name, draft.dnsType)),
})

/** Rdata without a label keeps the label of the stored Rdata with its value. */
function labelled(rdata: readonly DraftRdata[], existing: RRSet | undefined): readonly DraftRdata[] {
  const given = new Set(rdata.map(({ label }) => label?.toLowerCase()))
  return rdata.map((one) => {
    const stored = existing?.rdata.find(({ value }) => value === one.value)
    const isKept = one.label === undefined && stored !== undefined && !given.has(stored.label.toLowerCase())
    return isKept ? { ...one, label: stored.label } : one
  })
}

/** The name with its RRSets replaced and removed. */
export function replaced(
  { zone, name, drafts, removed }: NameReplacement,
  { now }: Pick<RequestContext, 'now'>,
): Name {
  const rrsets = drafts.flatMap((draft) => {
    const existing = rrsetOf(name, draft.dnsType)
    const next = draft.rdata === undefined ? existing : replacedRdata(draft, name, { zone, now })
    return next === undefined
      ? []
      : [
          {
            ...next,
            ttl: draft.ttl ?? next.ttl,
            metadata: draft.metadata ?? existing?.metadata ?? {},
            updatedAt: now,
          },
        ]
  })
  return withRRSets(removed.reduce(withoutRRSet, name), rrsets)
}

/** A target of a DDNS key stays one while its label stays, unless the request names another group. */
function replacedRdata(
  draft: DraftReplacement,
  name: Name,
  at: { readonly zone: Zone; readonly now: RequestContext['now'] },
): RRSet {
  const existing = rrsetOf(name, draft.dnsType)
  const next = rrsetFrom(completed(draft, name), [], { existing, ...at })
  const rdata = next.rdata.map((one) => {
    const group = one.updateGroup ?? rdataLabelled(existing, one.label)?.updateGroup
    return group === undefined ? one : { ...one, updateGroup: group }
  })
  return { ...next, rdata }
}

/** Whether two states of a name have the same records; the order of Rdata has no meaning (RFC 2181 §5). */
export const isSame = (one: Name, other: Name): boolean => recordsOf(one) === recordsOf(other)

const recordsOf = ({ rrsets }: Name): string => sorted(rrsets.map(factsOf))
const factsOf = ({ dnsType, ttl, metadata, rdata }: RRSet): readonly unknown[] => [
  dnsType,
  ttl,
  sorted(Object.entries(metadata)),
  sorted(rdata.map(({ label, value, updateGroup }) => [label, value, updateGroup])),
]
const sorted = (items: readonly unknown[]): string =>
  items
    .map((one) => JSON.stringify(one))
    .toSorted()
    .join()

/** For a path that needs an RRSet to be there, or to be made. */
export const isMissing = (draft: DraftReplacement, name: Name): boolean =>
  draft.rdata === undefined && rrsetOf(name, draft.dnsType) === undefined

export const missing = (place: Parameters<typeof refuse>[2]): Refusal<'rrsetNotFound'> =>
  refuse('rrsetNotFound', 'there is no such RRSet; rdata creates it', place)
