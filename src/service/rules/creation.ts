import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import {
  APEX,
  canonicalName,
  MAX_LABEL_BYTES,
  MAX_NAME_BYTES,
  parentOf,
  WILDCARD,
  wireLength,
} from '../model/dns-name.ts'
import type { Name, ZoneRules } from '../model/tree.ts'
import { type Caller, isNameInScope, isOwner } from './permission.ts'
import { baseOf } from './nesting.ts'
import { domainToUnicode } from 'node:url'

type NewNameFault = Extract<ErrorName, 'nameInvalid' | 'labelCharactersInvalid' | 'wildcardNotTerminal'>

/** The first fault of a new name, which is relative to the zone. */
export function nameFault(name: unknown, zone: string): Refusal<NewNameFault> | undefined {
  if (typeof name !== 'string' || name === '') return refuse('nameInvalid', 'name is missing')
  if (name === APEX) return undefined
  const labels = name.toLowerCase().split('.')
  const invalid = labels.find(
    (label) => label === '' || Buffer.byteLength(label) > MAX_LABEL_BYTES || /^-|-$/.test(label),
  )
  if (invalid !== undefined)
    return refuse(
      'nameInvalid',
      invalid === ''
        ? 'a label is empty'
        : `'${invalid.slice(0, 70)}' is longer than 63 octets, or begins or ends with a hyphen`,
    )
  if (wireLength(`${name}.${zone}`) > MAX_NAME_BYTES)
    return refuse('nameInvalid', 'the name with its zone is longer than 255 octets')
  const unsupported = labels.find((label) => label !== WILDCARD && !/^[a-z0-9_-]+$/.test(label))
  if (unsupported !== undefined)
    return refuse(
      'labelCharactersInvalid',
      `'${unsupported.slice(0, 70)}' contains characters other than letters, digits, hyphens and underscores`,
    )
  if (labels.slice(1).includes(WILDCARD))
    return refuse('wildcardNotTerminal', 'the wildcard is not the leftmost label')
  return undefined
}

/** Scripts that people write names in today (UAX #31, table 5). */
const SCRIPTS = `Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul
  Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan`
/** Each alone, and those of Chinese, Japanese and Korean together (UTS #39 §5.2, highly restrictive). */
const TOGETHER = [
  ...SCRIPTS.split(/\s+/).map((script) => [script]),
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
].map((scripts) => new RegExp(`^(?:[-\\p{N}]|${scripts.map((one) => `\\p{scx=${one}}`).join('|')})+$`, 'u'))
/** Letters, marks and digits: symbols are no part of a name (RFC 5892 §2.1). */
const LETTERS = /^[\p{L}\p{M}\p{N}-]+$/u

/**
 * Names that look like those of others, or that programs ask for on their own: in a shared zone only its owner makes them.
 * `reserved`: labels directly beneath the zone, also with a number behind them.
 */
export function sharedLabelFault(
  name: string,
  reserved: readonly string[],
): Refusal<'nameInvalid'> | undefined {
  const labels = baseOf(name).split('.')
  const top = labels.at(-1) ?? ''
  if (reserved.includes(top.replace(/\d+$/, '')))
    return refuse('nameInvalid', `${top} is reserved for the owner of the zone`)
  for (const label of labels.filter((one) => one.startsWith('xn--'))) {
    const text = domainToUnicode(label)
    if (text === label || !LETTERS.test(text))
      return refuse('nameInvalid', `${label} is no name in the letters of a language (RFC 5891)`)
    if (!TOGETHER.some((pattern) => pattern.test(text)))
      return refuse('nameInvalid', `${label} has letters of several scripts: ${text}`)
  }
  return undefined
}

/** Labels for zones without a limit of their own. Reverse names of IPv6 have 32 (RFC 3596 §2.5). */
const DEFAULT_MAX_LABELS = { own: 10, shared: 1, reverse: 32 } as const

const maxLabelsOf = ({ maxLabels, isShared, name }: ZoneRules): number => {
  if (maxLabels !== undefined) return maxLabels
  if (isShared) return DEFAULT_MAX_LABELS.shared
  return name.endsWith('.ip6.arpa') ? DEFAULT_MAX_LABELS.reverse : DEFAULT_MAX_LABELS.own
}

/**
 * Labels that begin with an underscore are services of the name beneath
 * which they are, and not counted in a shared zone.
 */
const countedLabels = (name: string, zone: ZoneRules): number =>
  (zone.isShared ? baseOf(name) : name).split('.').length

/** In a shared zone, a wildcard would answer for every name that does not exist. */
const hasWildcards = (caller: Caller, zone: ZoneRules): boolean =>
  (zone.hasWildcards ?? (!zone.isShared || isOwner(caller, zone))) && caller.account.plan.hasWildcards

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

interface NewName {
  readonly name: unknown
  /** The caller is a member of the zone. */
  readonly isMember: boolean
  /** Labels that only the owner of a shared zone makes, directly beneath it. */
  readonly reservedNames: readonly string[]
}

/** Whether only members make names in the zone, and the caller is none. */
export const lacksMembership = (caller: Caller, zone: ZoneRules, isMember: boolean): boolean =>
  zone.isMembersOnly && !isMember && !isOwner(caller, zone)

/** The first fault of a new name: its form, then the permission to create it. */
export function creationFault(
  caller: Caller,
  zone: ZoneRules,
  { name, isMember, reservedNames }: NewName,
): Refusal<CreationFault> | undefined {
  const at = { location: 'body', pointer: '/name' } as const
  const text = String(name)
  const isOwn = isOwner(caller, zone)
  const isForeign = zone.isShared && !isOwn
  const fault =
    nameFault(name, zone.name) ??
    (isForeign ? sharedLabelFault(canonicalName(text), reservedNames) : undefined) ??
    labelFault(text, zone, isOwn)
  if (fault !== undefined) return { ...fault, ...at }
  if (lacksMembership(caller, zone, isMember) || caller.isReadOnly) return refuse('nameCreateForbidden')
  if (!isNameInScope(caller, zone, canonicalName(text)))
    return refuse('nameCreateForbidden', 'the name is out of the scope of this API key')
  if (zone.isClosedToNewNames) return refuse('zoneTakesNoNewNames')
  const isWildcard = text.split('.')[0] === WILDCARD
  return isWildcard && !hasWildcards(caller, zone) ? refuse('wildcardRestricted', undefined, at) : undefined
}

/** The owner of a shared zone has the limit of a zone that is not shared. */
function labelFault(name: string, zone: ZoneRules, isOwn: boolean): Refusal<'tooManyLabels'> | undefined {
  const place = isOwn ? { ...zone, isShared: false } : zone
  const [labels, max] = [name === APEX ? 0 : countedLabels(name, place), maxLabelsOf(place)]
  return labels > max ? refuse('tooManyLabels', `${labels} labels; this zone allows ${max}`) : undefined
}

export type ParentFault = Extract<ErrorName, 'wildcardParentEmpty'>

/** RFC 4592 §2.2.2: a wildcard below a name without records would make that an empty non-terminal. */
export function parentFault(name: string, parent: Name | undefined): Refusal<ParentFault> | undefined {
  if (name.split('.')[0] !== WILDCARD || parentOf(name) === APEX) return undefined
  return (parent?.rrsets.length ?? 0) > 0
    ? undefined
    : refuse('wildcardParentEmpty', `${parentOf(name)} has no records`)
}
