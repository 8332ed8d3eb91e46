import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import type { DraftRRSet } from '../model/draft.ts'
import type { Name, RRSet } from '../model/tree.ts'

export type ValueConflict = Extract<ErrorName, 'rdataExists'>

/** The same value twice: in the request, or with what stays of the RRSet. Values are compared in canonical form. */
export function valueConflicts(
  draft: Pick<DraftRRSet, 'rdata'>,
  staying: readonly { readonly value: string }[],
): readonly Refusal<ValueConflict>[] {
  const seen = new Set(staying.map(({ value }) => value))
  return draft.rdata.flatMap(({ value, pointer }) => {
    const isTwice = seen.has(value)
    seen.add(value)
    return isTwice
      ? [refuse('rdataExists' as const, undefined, { location: 'body', pointer: `${pointer}/value` })]
      : []
  })
}

export type TargetConflict = Extract<ErrorName, 'targetExists' | 'groupTargetConflicts'>

/** A group reaches a name as a whole or by some of its Rdata, and each of them from one group only. */
export function targetConflicts(
  drafts: readonly DraftRRSet[],
  { updateGroup: ofName, rrsets }: Pick<Name, 'updateGroup' | 'rrsets'>,
): readonly Refusal<TargetConflict>[] {
  const taken = new Map<string, string>(
    rrsets.flatMap(({ dnsType, rdata }: RRSet) =>
      rdata.flatMap(({ label, updateGroup }) =>
        updateGroup === undefined ? [] : [[`${dnsType} ${label.toLowerCase()}`, updateGroup] as const],
      ),
    ),
  )
  return drafts.flatMap(({ dnsType, rdata }) =>
    rdata.flatMap(({ label = '', updateGroup, pointer }) => {
      if (updateGroup === undefined) return []
      const key = `${dnsType} ${label.toLowerCase()}`
      const other = ofName ?? taken.get(key)
      taken.set(key, updateGroup)
      if (other === undefined) return []
      const refused = other === updateGroup ? 'targetExists' : 'groupTargetConflicts'
      return [refuse(refused, undefined, { location: 'body', pointer: `${pointer}/update_group` })]
    }),
  )
}
