import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { APEX, nameFault, parentOf, WILDCARD } from '../model/dns-name.ts'
import type { Name, Zone } from '../model/tree.ts'
import { type Caller, isOwner } from './access.ts'

/** For zones without a limit of their own. */
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

/** The first fault of a new name: its form, then the permission to create it. */
export function creationFault(
  caller: Caller,
  zone: Zone,
  { name, isMember }: { readonly name: unknown; readonly isMember: boolean },
): Refusal<CreationFault> | undefined {
  const at = { location: 'body', pointer: '/name' } as const
  const fault = nameFault(name, zone.name, zone.maxLabels ?? DEFAULT_MAX_LABELS)
  if (fault !== undefined) return { ...fault, ...at }
  const isMembershipMissing = zone.isMembersOnly && !isMember && !isOwner(caller, zone)
  if (isMembershipMissing || caller.isReadOnly) return refuse('nameCreateForbidden')
  if (zone.isClosedToNewNames) return refuse('zoneTakesNoNewNames')
  const isWildcard = typeof name === 'string' && name.split('.')[0] === WILDCARD
  return isWildcard && !(zone.hasWildcards && caller.account.plan.hasWildcards)
    ? refuse('wildcardRestricted', undefined, at)
    : undefined
}

export type ParentFault = Extract<ErrorName, 'wildcardParentEmpty'>

/** RFC 4592 §2.2.2: a wildcard below a name without records would make that an empty non-terminal. */
export function parentFault(name: string, parent: Name | undefined): Refusal<ParentFault> | undefined {
  if (name.split('.')[0] !== WILDCARD || parentOf(name) === APEX) return undefined
  return (parent?.rrsets.length ?? 0) > 0
    ? undefined
    : refuse('wildcardParentEmpty', `${parentOf(name)} has no records`)
}
