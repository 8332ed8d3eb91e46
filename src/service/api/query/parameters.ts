import { NAME_PUBLICATIONS, type NamePublication } from '../../model/publication.ts'
import type { NameFilter, SortKey } from '../../model/query.ts'

export interface PageLimits {
  readonly fallback: number
  readonly max: number
}

/** The values of the filters of all lists. */
export interface Filters extends Omit<NameFilter, 'search' | 'states'> {
  readonly publications?: readonly NamePublication[]
  readonly search?: string
  readonly isShared?: boolean
  readonly description?: string
  readonly usernames?: readonly string[]
}

/** `list` matches one of several values, `switch` is true or false, `text` is one value. */
export interface FilterRow {
  readonly kind: 'list' | 'switch' | 'text'
  readonly field: keyof Filters
  readonly description: string
  /** The values that a list accepts; without them, any. */
  readonly values?: readonly string[]
}

/** Spec, "Parameters of the global listing": the keys of `filter`. */
// biome-ignore format: a table
export const FILTERS = {
  dns_name:       { kind: 'list',   field: 'names',        description: 'Names relative to their zone; the same as `name`.' },
  name:           { kind: 'list',   field: 'names',        description: 'Names relative to their zone.' },
  zone_name:      { kind: 'list',   field: 'zoneNames',    description: 'Names of zones.' },
  dns_type:       { kind: 'list',   field: 'dnsTypes',     description: 'The name has an RRSet of one of these types.' },
  update_group:   { kind: 'list',   field: 'updateGroups', description: 'The name or one of its Rdata is a target of one of these DDNS keys.' },
  label:          { kind: 'list',   field: 'labels',       description: 'The name has an Rdata with one of these labels.' },
  rdata:          { kind: 'list',   field: 'rdata',        description: 'The name has an Rdata with one of these values, in any spelling.' },
  zone_is_shared: { kind: 'switch', field: 'isZoneShared', description: 'Whether the zone of the name is shared.' },
  dynupdate:      { kind: 'switch', field: 'isDynupdate',  description: 'Whether the name or one of its Rdata is the target of a DDNS key.' },
  offline:        { kind: 'switch', field: 'isOffline',    description: 'Whether the name is offline.' },
  state:          { kind: 'list',   field: 'publications', description: 'Its `publication` is one of these words.', values: NAME_PUBLICATIONS },
  search:         { kind: 'text',   field: 'search',       description: 'A part of what is listed, in capitals or not: of its name or description; of a name in DNS also of its addresses, or its DDNS keys\' descriptions.' },
  ddns_key_username: { kind: 'list', field: 'usernames',   description: 'The usernames of DDNS keys.' },
  is_shared:      { kind: 'switch', field: 'isShared',     description: 'true: the shared zones of all accounts; false: own zones that are not shared.' },
  description:    { kind: 'text',   field: 'description',  description: 'The description of the DDNS key contains this text, in capitals or not.' },
} as const satisfies Readonly<Record<string, FilterRow>>
export type FilterKey = keyof typeof FILTERS

/** The keys of `filter` of the trail; each has one value. */
// biome-ignore format: a table
export const TRAIL_FILTERS = {
  zone_name: { kind: 'text', description: 'What was changed is this zone, or a name in it.' },
  name:      { kind: 'text', description: 'What was changed is this name: relative to zone_name, without that a whole name.' },
  operation: { kind: 'text', description: 'The operation: update, or an operationId of this document.' },
  actor:     { kind: 'text', description: 'Who changed it, as in the entries, such as "API key 7".' },
  from:      { kind: 'time', description: 'It was changed at this time or later.' },
  to:        { kind: 'time', description: 'It was changed before this time.' },
} as const satisfies Readonly<Record<string, { readonly kind: 'text' | 'time'; readonly description: string }>>
export type TrailFilterKey = keyof typeof TRAIL_FILTERS
/** Values of one filter. */
export const MAX_ALTERNATIVES = 100

/** How much of each name is shown; the first is the default. */
export const VIEWS = ['summary', 'detail', 'name_only'] as const
export type NameView = (typeof VIEWS)[number]

export const EXPANSIONS = ['offline_settings'] as const
export const EXPRESSIONS = ['zone_metadata', 'metadata', 'rrset_metadata'] as const

/** The query parameters of an operation. */
export interface QueryRow {
  readonly page?: PageLimits
  /** Pages of a list where each begins after the one before. */
  readonly cursor?: PageLimits
  readonly view?: readonly NameView[]
  readonly sort?: readonly SortKey[]
  readonly filter?: readonly FilterKey[]
  readonly trail?: true
  readonly expand?: readonly (typeof EXPANSIONS)[number][]
  readonly expressions?: readonly (typeof EXPRESSIONS)[number][]
  readonly confirm?: true
  /** The name of the account. */
  readonly confirmName?: true
  /** Of every write. */
  readonly dryRun?: true
}

/** Spec, "Limits": the pages of a listing. A greater `limit` counts as the greatest one. */
export const paged = (fallback: number, max: number): Pick<QueryRow, 'page'> => ({ page: { fallback, max } })
