import type { DraftSettings } from '../../draft.ts'
import type { ImportedUpdate, Lookup, Remark } from '../imported.ts'
import { DEFAULT_LOOKUP } from '../lookup.ts'

const isFixed = ({ lookup }: ImportedUpdate): boolean => lookup.kind === 'fixed'
const sourceOf = (lookup: Lookup): string | undefined =>
  lookup.kind === 'sources' ? lookup.sources[0] : undefined
/** The default sources ask the router, too. */
const isUsual = (lookup: Lookup): boolean => lookup.kind === 'default' || sourceOf(lookup) === 'router'
export const interfaceIn = (lookup: Lookup): string | undefined =>
  /^interface:(.*)$/.exec(sourceOf(lookup) ?? '')?.[1]
export const networkIn = (lookup: Lookup): string | undefined =>
  lookup.kind === 'sources' ? lookup.network : undefined
const isSame = (one: Lookup, other: Lookup): boolean => JSON.stringify(one) === JSON.stringify(other)

/** For people. */
export const wayOf = (lookup: Lookup): string =>
  lookup.kind === 'fixed'
    ? `the fixed address ${lookup.addresses.join(' and ')}`
    : lookup.kind === 'default'
      ? 'the usual sources'
      : (lookup.command?.at(-1) ?? lookup.network ?? lookup.sources.join(' and '))

/** One way for both families of a hostname; undefined where the two differ. */
export function wayForBoth(v4: Lookup, v6: Lookup): Lookup | undefined {
  if (isSame(v4, v6)) return v4
  if (v4.kind === 'fixed' && v6.kind === 'fixed')
    return { kind: 'fixed', addresses: [...new Set([...v4.addresses, ...v6.addresses])] }
  if (!isUsual(v4)) return undefined
  // Over IPv6, the default sources give an address of this host only.
  return isUsual(v6) || sourceOf(v6) === 'interfaces' ? DEFAULT_LOOKUP : undefined
}

/** With its fixed addresses, where other accounts have others, or look them up. */
export const withOwnAddress = <T extends ImportedUpdate>(update: T, all: readonly T[]): T =>
  update.lookup.kind === 'fixed' && lookupsOf(all).length > 1
    ? { ...update, settings: { ...update.settings, myip: update.lookup.addresses } }
    : update

const lookupsOf = (updates: readonly ImportedUpdate[]): readonly Lookup[] => [
  ...new Map(updates.map(({ lookup }) => [JSON.stringify(lookup), lookup])).values(),
]

/** How the program looks addresses up, and what single hostnames say about it. */
export interface LookupPlan {
  readonly settings: DraftSettings
  /** The interface of a hostname, as in [[account.host]]; a text says why the update stays with the other client. */
  readonly placeOf: (update: ImportedUpdate) => { readonly interface?: string } | string
  readonly remarks: readonly Remark[]
}

/**
 * The program has one list of sources; an interface can be that of one hostname. What fits into neither is not taken,
 * because another address would be published.
 */
export function lookupPlan(updates: readonly ImportedUpdate[]): LookupPlan {
  const looking = updates.filter((one) => !isFixed(one))
  const [first, ...others] = lookupsOf(looking)
  if (first === undefined) {
    const [only, ...more] = lookupsOf(updates)
    const settings = only === undefined || more.length > 0 ? {} : settingsOfLookup(only)
    return { settings, placeOf: () => ({}), remarks: [] }
  }
  const isOneLine = updates.every(({ ipv6Interface, lines }) => (ipv6Interface ?? lines) === undefined)
  if (others.length === 0 && isOneLine)
    return { settings: settingsOfLookup(first), placeOf: () => ({}), remarks: [] }
  const isCommand = (lookup: Lookup): boolean => lookup.kind === 'sources' && lookup.command !== undefined
  if (isCommand(first)) return { settings: settingsOfLookup(first), placeOf: onlyAt(first), remarks: [] }
  const hasUsual = looking.some(({ lookup }) => isUsual(lookup))
  const firstOfNetwork = looking.find(({ lookup }) => networkIn(lookup) !== undefined)?.lookup ?? first
  const placeOf: LookupPlan['placeOf'] = ({ lookup, ipv4 }) => {
    if (lookup.kind === 'fixed' || isUsual(lookup)) return {}
    const network = networkIn(lookup)
    if (network !== undefined && network !== networkIn(firstOfNetwork))
      return reasonFor(lookup, firstOfNetwork)
    const name = interfaceIn(lookup)
    if (name !== undefined) return { interface: name }
    if (sourceOf(lookup) === 'interfaces' && (!hasUsual || !ipv4)) return {}
    return reasonFor(lookup, first)
  }
  const bound = hasUsual ? looking.filter(({ lookup }) => interfaceIn(lookup) !== undefined) : []
  return {
    settings: hasUsual ? {} : { sources: ['interfaces'], agreement: 'one' },
    placeOf,
    remarks: bound.map(({ place, hostnames, lookup }) => ({
      kind: 'changed',
      place,
      text:
        `${hostnames.join(', ')}: the public address is looked up through ${interfaceIn(lookup)}, ` +
        'because other addresses need the default sources',
    })),
  }
}

const onlyAt =
  (first: Lookup): LookupPlan['placeOf'] =>
  ({ lookup }) =>
    lookup.kind === 'fixed' || isSame(lookup, first) ? {} : reasonFor(lookup, first)

const reasonFor = (lookup: Lookup, first: Lookup): string =>
  `the address is found by ${wayOf(lookup)}, and that of other hostnames by ${wayOf(first)}; one program has one way`

function settingsOfLookup(lookup: Lookup): DraftSettings {
  if (lookup.kind === 'default') return {}
  if (lookup.kind === 'fixed') return { myip: lookup.addresses }
  return {
    sources: lookup.sources,
    agreement: 'one',
    ...(lookup.command !== undefined && { command: lookup.command }),
  }
}
