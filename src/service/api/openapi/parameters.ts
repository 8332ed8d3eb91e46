import {
  EXPANSIONS,
  type FilterRow,
  FILTERS,
  MAX_ALTERNATIVES,
  type PageLimits,
  type QueryRow,
  TRAIL_FILTERS,
} from '../query/parameters.ts'
import type { Route } from '../route.ts'
import { boolean, INT64, list, ref, type Schema, string, time, wholeNumber } from './schema.ts'

const inQuery = (name: string, description: string, more: Schema): Schema => ({
  name,
  in: 'query',
  required: false,
  description,
  ...more,
})

/** OpenAPI's style for `sort[KEY]=VALUE`. */
const deepObject = (properties: Readonly<Record<string, Schema>>): Schema => ({
  style: 'deepObject',
  explode: true,
  schema: { type: 'object', properties, additionalProperties: false },
})

const FILTER_SCHEMAS: Readonly<Record<FilterRow['kind'], (row: FilterRow) => Schema>> = {
  list: ({ description, values }) =>
    list({ type: 'string', ...(values && { enum: values }) }, description, { maxItems: MAX_ALTERNATIVES }),
  switch: ({ description }) => boolean(description),
  text: ({ description }) => string(description),
}

const EXPRESSION_OF = {
  zone_metadata: 'A condition on the metadata of the zone.',
  metadata: 'A condition on the metadata of what is listed.',
  rrset_metadata: 'A condition on the metadata of one of the RRSets.',
} as const

const AFTER =
  'The cursor of the page: page.next of the page before, with the same path, sort and filters. It takes the place of offset.'
const limitOf = ({ fallback, max }: PageLimits): Schema =>
  inQuery('limit', `The greatest number of objects in the page; above ${max} it is ${max}.`, {
    schema: { type: 'integer', ...INT64, default: fallback },
  })

/** The parameters of each part of a row. */
const PARTS: { readonly [K in keyof QueryRow]-?: (part: NonNullable<QueryRow[K]>) => readonly Schema[] } = {
  page: (limits) => [
    inQuery('offset', 'How many objects precede the page.', {
      schema: { type: 'integer', ...INT64, default: 0 },
    }),
    limitOf(limits),
    inQuery('after', AFTER, { schema: { type: 'string' } }),
  ],
  cursor: (limits) => [
    limitOf(limits),
    inQuery('after', 'page.next of the page before; without it the first page.', {
      schema: { type: 'string' },
    }),
  ],
  view: (views) => [
    inQuery('view', 'How much of each name is shown.', {
      schema: { type: 'string', enum: views, default: views[0] },
    }),
  ],
  sort: (keys) => [
    inQuery(
      'sort',
      'The order, such as sort[name]=asc. The first key decides, then the next.',
      deepObject(Object.fromEntries(keys.map((key) => [key, { type: 'string', enum: ['asc', 'desc'] }]))),
    ),
  ],
  filter: (keys) => [
    inQuery(
      'filter',
      'Shows only what matches every key, such as filter[dns_type]=A. A key is repeated for several alternatives.',
      deepObject(
        Object.fromEntries(keys.map((key) => [key, FILTER_SCHEMAS[FILTERS[key].kind](FILTERS[key])])),
      ),
    ),
  ],
  trail: () => [
    inQuery(
      'filter',
      'Shows only what matches every key, such as filter[zone_name]=example.test.',
      deepObject(
        Object.fromEntries(
          Object.entries(TRAIL_FILTERS).map(([key, { kind, description }]) => [
            key,
            kind === 'time' ? time(description) : string(description),
          ]),
        ),
      ),
    ),
  ],
  expand: (expansions) => [
    inQuery('expand[]', 'What is shown with each name.', {
      style: 'form',
      explode: true,
      schema: list({ type: 'string', enum: expansions }, undefined, { maxItems: EXPANSIONS.length }),
    }),
  ],
  expressions: (names) =>
    names.map((name) =>
      inQuery(name, EXPRESSION_OF[name], {
        content: { 'application/json': { schema: ref('FilterExpression') } },
      }),
    ),
  dryRun: () => [
    inQuery('dry_run', 'true: the response says what would change, and nothing is changed.', {
      schema: { type: 'boolean', default: false },
    }),
  ],
  confirmName: () => [
    inQuery('confirm', 'The name of the account, so that none is deleted by mistake.', {
      schema: { type: 'string' },
    }),
  ],
  confirm: () => [
    inQuery(
      'confirm',
      'For a zone with names of other accounts: their number, which the 409 without it shows.',
      {
        schema: { type: 'integer', minimum: 1 },
      },
    ),
  ],
}

const queryParametersOf = (row: QueryRow): readonly Schema[] =>
  Object.entries(row).flatMap(([part, value]) => PARTS[part as keyof QueryRow](value as never))

/** The parameters of the paths. */
// biome-ignore format: a table
const IN_PATH: Readonly<Record<string, Schema>> = {
  zone_name:         string('The name of the zone.'),
  name:              string('The name, relative to the zone; @ is the apex.'),
  dns_type:          ref('DnsType', 'The DNS type of the RRSet.'),
  label:             string('The label of the Rdata.', { pattern: '^[A-Za-z0-9_-]{1,63}$' }),
  ddns_key_username: string('The username of the DDNS key.'),
  account_name:      string('The name of the account.'),
  plan_name:         string('The name of the plan.'),
  subject:           string('The username of a DDNS key, the name of an account, a hostname, or an address.'),
  key_name:          string('The name of the TSIG key.'),
  id:                wholeNumber('The id of the API key.', { minimum: 1 }),
}

/** RFC 9110 §13.1.1: the tag of the name or of the RRSet in the path. */
const IF_MATCH: Schema = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the name or of the RRSet in the path, or * for any: the change is made only if the data is still the same.',
  schema: { type: 'string' },
}

/** RFC 9110 §13.1.2. */
const ifNoneMatch = (description: string): Schema => ({
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})
const IF_CHANGED = ifNoneMatch(
  'An ETag of an earlier response: the data is sent only if it has changed since.',
)
const IF_NEW = ifNoneMatch(
  '*: the change is made only if what the path names, the RRSet or the name, is not there yet.',
)

/** All parameters of an operation: of the path, the query and the header. */
export function parametersOf({
  method,
  path,
  query = {},
  isTagged,
}: Pick<Route, 'method' | 'path' | 'query'> & { readonly isTagged: boolean }): readonly Schema[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return [
    ...names.map((name) => {
      const { description, ...schema } = IN_PATH[name] ?? {}
      return { name, in: 'path', required: true, description, schema }
    }),
    ...queryParametersOf(query),
    ...(method === 'GET' ? [] : PARTS.dryRun(true)),
    ...(names.includes('name') && method !== 'GET' ? [IF_MATCH, IF_NEW] : []),
    ...(isTagged ? [IF_CHANGED] : []),
  ]
}
