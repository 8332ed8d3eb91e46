import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import type { DraftRRSet } from '../model/draft.ts'
import type { Name, RRSet } from '../model/tree.ts'

export type ValueConflict = Extract<ErrorName, 'rdataExists'>

/** Duplicate values in the request, or with the Rdata that remains. Values are in canonical form. */
export function valueConflicts(
  draft: Pick<DraftRRSet, 'rdata'>,
  remaining: readonly { readonly value: string }[],
): readonly Refusal<ValueConflict>[] {
  const seen = new Set(remaining.map(({ value }) => value))
  return draft.rdata.flatMap(({ value, pointer }) => {
    const isDuplicate = seen.has(value)
    seen.add(value)
    return isDuplicate
      ? [refuse('rdataExists' as const, undefined, { location: 'body', pointer: `${pointer}/value` })]
      : []
  })
}

export type TargetConflict = Extract<ErrorName, 'targetExists' | 'groupTargetConflicts'>

/** A group has a name as its target, or some of the name's Rdata; each target belongs to one group. */
export function targetConflicts(
  drafts: readonly DraftRRSet[],
  { updateGroup: nameGroup, rrsets }: Pick<Name, 'updateGroup' | 'rrsets'>,
): readonly Refusal<TargetConflict>[] {
  const groups = new Map<string, string | undefined>(
    rrsets.flatMap(({ dnsType, rdata }: RRSet) =>
      rdata.map(({ label, updateGroup }) => [`${dnsType} ${label.toLowerCase()}`, updateGroup] as const),
    ),
  )
  return drafts.flatMap(({ dnsType, rdata }) =>
    rdata.flatMap(({ label = '', updateGroup, pointer }) => {
      if (updateGroup === undefined) return []
      const key = `${dnsType} ${label.toLowerCase()}`
      const other = nameGroup ?? groups.get(key)
      groups.set(key, updateGroup)
      if (other === undefined) return []
      const refused = other === updateGroup ? 'targetExists' : 'groupTargetConflicts'
      return [refuse(refused, undefined, { location: 'body', pointer: `${pointer}/update_group` })]
    }),
  )
}
