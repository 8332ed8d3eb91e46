import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { APEX, nameFault, parentOf, WILDCARD } from '../model/dns-name.ts'
import type { Name, Zone } from '../model/tree.ts'
import { type Caller, isOwner } from './access.ts'

/** What nobody needs more of; zones may say less. */
const DEFAULT_MAX_LABELS = 10

export type CreationFault = Extract<
  ErrorName,
  | 'nameInvalid'
  | 'labelCharactersInvalid'
  | 'wildcardNotTerminal'
  | 'tooManyLabels'
  | 'nameCreateForbidden'
  | 'zoneTakesNoNewNames'
  | 'wildcardRestricted'
>

/** What keeps a new name out of a zone: first its form, then the right to make it. */
export function creationFault(
  caller: Caller,
  zone: Zone,
  { name, isMember }: { readonly name: unknown; readonly isMember: boolean },
): Refusal<CreationFault> | undefined {
  const at = { location: 'body', pointer: '/name' } as const
  const malformed = nameFault(name, zone.name, zone.maxLabels ?? DEFAULT_MAX_LABELS)
  if (malformed !== undefined) return { ...malformed, ...at }
  const isBarred = zone.isMembersOnly && !isMember && !isOwner(caller, zone)
  if (isBarred || caller.isReadOnly) return refuse('nameCreateForbidden')
  if (zone.isClosedToNewNames) return refuse('zoneTakesNoNewNames')
  const isWild = typeof name === 'string' && name.split('.')[0] === WILDCARD
  return isWild && !(zone.hasWildcards && caller.account.plan.hasWildcards)
    ? refuse('wildcardRestricted', undefined, at)
    : undefined
}

export type ParentFault = Extract<ErrorName, 'wildcardParentEmpty'>

/** RFC 4592 §2.2.2: a wildcard below a name that holds nothing would make an empty non-terminal of it. */
export function parentFault(name: string, parent: Name | undefined): Refusal<ParentFault> | undefined {
  if (name.split('.')[0] !== WILDCARD || parentOf(name) === APEX) return undefined
  return (parent?.rrsets.length ?? 0) > 0
    ? undefined
    : refuse('wildcardParentEmpty', `${parentOf(name)} holds no records`)
}
