import type { DraftSettings } from '../setup/draft.ts'
import type { ImportedUpdate, Lookup, Remark } from './imported.ts'
import { combineLookups, DEFAULT_LOOKUP } from './lookup.ts'

const isFixed = ({ lookup }: ImportedUpdate): boolean => lookup.kind === 'fixed'
const wayOf = (lookup: Lookup): string =>
  lookup.kind === 'fixed'
    ? `the fixed address ${lookup.addresses.join(' and ')}`
    : lookup.kind === 'default'
      ? 'its page'
      : (lookup.command?.at(-1) ?? lookup.sources.join(' and '))

/** An account has fixed addresses, or looks them up: of one username, what differs from the first entry is not taken. */
export function withOneKindOfLookup(
  group: readonly ImportedUpdate[],
  remarks: Remark[],
): readonly ImportedUpdate[] {
  const [first] = group
  if (first === undefined) return []
  for (const { place, hostnames, lookup } of group.filter((one) => isFixed(one) !== isFixed(first)))
    remarks.push({
      kind: 'not taken',
      place,
      text:
        `${hostnames.join(', ')} has ${wayOf(lookup)}, and other hostnames of the username ` +
        `${isFixed(first) ? 'have a fixed one' : 'have not'}; only an account of its own can have it, with myip`,
    })
  return group.filter((one) => isFixed(one) === isFixed(first))
}

/** The lookup of one account; a remark at each entry whose way is lost. */
export function combinedLookup(all: readonly ImportedUpdate[], remarks: Remark[]): Lookup {
  const [first = DEFAULT_LOOKUP, ...others] = all.map(({ lookup }) => lookup)
  const lookup = others.reduce<Lookup | undefined>(
    (one, other) => (one === undefined ? undefined : combineLookups(one, other)),
    first,
  )
  if (lookup === undefined)
    remarks.push(...lostWays(all, 'the hostnames of one account', 'here the default sources are used'))
  return lookup ?? DEFAULT_LOOKUP
}

/** At each entry that does not look at the usual pages. */
const lostWays = (updates: readonly ImportedUpdate[], whose: string, instead: string): readonly Remark[] =>
  updates
    .filter(({ lookup }) => lookup.kind !== 'default')
    .map(({ place, hostnames, lookup }) => ({
      kind: 'changed',
      place,
      text:
        `${hostnames.join(', ')}: ${wayOf(lookup)} is not used, because ${whose} ` +
        `look their address up in different ways; ${instead}`,
    }))

/** With its fixed addresses, where other accounts have others, or look them up. */
export const withOwnAddress = <T extends ImportedUpdate>(update: T, all: readonly T[]): T =>
  update.lookup.kind === 'fixed' && lookupsOf(all).length > 1
    ? { ...update, settings: { ...update.settings, myip: update.lookup.addresses } }
    : update

const lookupsOf = (updates: readonly ImportedUpdate[]): readonly Lookup[] => [
  ...new Map(updates.map(({ lookup }) => [JSON.stringify(lookup), lookup])).values(),
]

/** One place to look the address up for the whole program. */
export function lookupSettings(updates: readonly ImportedUpdate[], remarks: Remark[]): DraftSettings {
  const [only, ...more] = lookupsOf(updates)
  if (only === undefined || more.length === 0) return only === undefined ? {} : settingsOfLookup(only)
  const looking = updates.filter((one) => !isFixed(one))
  const [shared, ...others] = lookupsOf(looking)
  if (others.length === 0) return shared === undefined ? {} : settingsOfLookup(shared)
  const instead = 'here the default sources are used for all; see interface in [[account.host]]'
  remarks.push(...lostWays(looking, 'the accounts', instead))
  return {}
}

function settingsOfLookup(lookup: Lookup): DraftSettings {
  if (lookup.kind === 'default') return {}
  if (lookup.kind === 'fixed') return { myip: lookup.addresses }
  return {
    sources: lookup.sources,
    agreement: 'one',
    ...(lookup.command !== undefined && { command: lookup.command }),
  }
}
