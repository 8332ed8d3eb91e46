import { type Name, type RRSet, rrsetOf } from '../../model/tree.ts'
import { hasSameRecords } from './imported-names.ts'

/** One name: as the import found it, as the file makes it, and as it is now. */
interface MeanwhileChanged {
  readonly before: Name | undefined
  readonly planned: Name | undefined
  readonly current: Name | undefined
}

/** `refused`: the operator has stopped it since. */
type MergedName = { readonly name: Name | undefined } | { readonly refused: 'nameChangeProhibited' }

/**
 * What a name becomes that another request has changed since the import was planned: what the file leaves as it was is as it
 * is now, and what the file changes is as in the file.
 */
export function mergedName({ before, planned, current }: MeanwhileChanged): MergedName {
  if (planned === before || (before === undefined && planned === undefined)) return { name: current }
  if (current?.isProhibited === true || current?.isBlocked === true)
    return { refused: 'nameChangeProhibited' }
  if (planned === undefined || current === undefined) return { name: planned }
  const types = new Set([...planned.rrsets, ...current.rrsets].map(({ dnsType }) => dnsType))
  const rrsets = [...types].flatMap((type): RRSet | readonly RRSet[] => {
    const [was, made, is] = [before, planned, current].map((name) => name && rrsetOf(name, type))
    const isOfFile = was === undefined ? made !== undefined : made === undefined || !hasSameRecords(was, made)
    return (isOfFile ? made : is) ?? []
  })
  // An alias that the file makes is alone (RFC 1034 §3.6.2).
  const isAlias = planned.rrsets.some(({ dnsType }) => dnsType === 'CNAME')
  return {
    name: {
      ...current,
      ...(isAlias ? { rrsets: planned.rrsets } : { rrsets }),
      updatedAt: planned.updatedAt,
    },
  }
}
