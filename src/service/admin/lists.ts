import { err, ok, type Result } from '../../shared/base/result.ts'
import { canonicalName } from '../model/dns-name.ts'
import type { Overview, OverviewFilter, OverviewQuery, OverviewRow } from '../store/overview.ts'
import {
  accountIdOf,
  type AdminContext,
  type Args,
  type OperationResult,
  type Operations,
  zoneOf,
} from './operation.ts'
import { withPublication } from './publishing.ts'
import { formatFields, formatTable } from './table.ts'

/** One kind of thing that can be listed and shown. */
interface Listed {
  readonly of: Overview
  /** The filters of the list, as FILTER=VALUE. */
  readonly filters: readonly (keyof OverviewFilter)[]
  /** What a person calls several of them. */
  readonly plural: string
  /** The lists that belong to one of them, by the filter that selects them. */
  readonly details?: readonly (readonly [of: Overview, by: keyof OverviewFilter])[]
}

// biome-ignore format: a table
const LISTED: Readonly<Record<string, Listed>> = {
  plan:      { of: 'plans',    filters: [],                  plural: 'plans' },
  account:   { of: 'accounts', filters: ['search'],          plural: 'accounts with their usage', details: [['zones', 'account'], ['keys', 'account'], ['apiKeys', 'account']] },
  zone:      { of: 'zones',    filters: ['account'],         plural: 'zones with their rules', details: [['names', 'zone']] },
  name:      { of: 'names',    filters: ['zone', 'account'], plural: 'names' },
  key:       { of: 'keys',     filters: ['account'],         plural: 'DDNS keys with their last use', details: [['clients', 'name']] },
  'api-key': { of: 'apiKeys',  filters: ['account'],         plural: 'API keys with their numbers' },
}

/** Lists without anything to show one by one. */
// biome-ignore format: a table
const LIST_ONLY: Readonly<Record<string, Listed>> = {
  block:   { of: 'blocks',   filters: [],          plural: 'blocks, after abuse or by the operator' },
  lockout: { of: 'lockouts', filters: [],          plural: 'networks that are locked out after failed logins' },
  client:  { of: 'clients',  filters: ['account'], plural: 'update clients with their last request' },
  trail:   { of: 'trail',    filters: ['account', 'name'], plural: 'last thousand changes: who, from where, what' },
}

const asParameter = (filter: string): string => `[${filter}=${filter === 'search' ? 'TEXT' : 'NAME'}]`

export const LIST_OPERATIONS: Operations = Object.fromEntries([
  ...Object.entries({ ...LISTED, ...LIST_ONLY }).map(([subject, listed]) => [
    `${subject} list`,
    {
      parameters: listed.filters.map(asParameter).join(' '),
      summary: `list the ${listed.plural}`,
      run: async (context: AdminContext, args: Args) => listRows(context, listed, args),
    },
  ]),
  ...Object.entries(LISTED).map(([subject, listed]) => [
    `${subject} show`,
    {
      parameters: subject === 'api-key' ? 'ID' : 'NAME',
      summary: `show one ${subject}${listed.details === undefined ? '' : ', with what belongs to it'}`,
      run: async (context: AdminContext, args: Args) => showOne(context, { subject, listed }, args),
    },
  ]),
  [
    'zone names',
    {
      parameters: '',
      summary: 'print the names of all zones, one on a line, for scripts',
      run: async ({ w, now }: AdminContext) => {
        const rows = await w.overview('zones', { filter: {}, now })
        const lines = rows.map(({ name }) => String(name))
        return ok({ lines, data: { zones: lines } })
      },
    },
  ],
])

const rowsOf = async (w: AdminContext['w'], of: Overview, query: OverviewQuery) =>
  withPublication(w, await w.overview(of, query))

async function listRows(
  { w, now }: AdminContext,
  { of, filters }: Listed,
  args: Args,
): Promise<Result<OperationResult, string>> {
  const filter: Partial<Record<keyof OverviewFilter, string>> = {}
  for (const arg of args) {
    const [key = '', value = ''] = arg.split(/=(.*)/s)
    const known = filters.find((one) => one === key)
    if (known === undefined || value === '') return err(`${arg} is not ${expected(filters)}`)
    const found = await existing(w, known, value)
    if (!found.ok) return found
    filter[known] = known === 'account' || known === 'search' ? value : canonicalName(value)
  }
  const { rows, isCut } = firstOf(await rowsOf(w, of, { filter, now, limit: MAX_SHOWN + 1 }))
  return ok({
    lines: [...formatTable(rows), ...(isCut ? [cutNote(filters)] : [])],
    data: { [of]: rows, ...(isCut && { onlyFirst: MAX_SHOWN }) },
  })
}

/** In one list; the numbers of names and clients have no bound. */
export const MAX_SHOWN = 10_000

/** The rows that are shown, and whether there are more. */
const firstOf = (rows: readonly OverviewRow[]) => ({
  rows: rows.slice(0, MAX_SHOWN),
  isCut: rows.length > MAX_SHOWN,
})

/** A list that is cut off must not look whole. */
const cutNote = (filters: readonly string[]): string =>
  `only the first ${MAX_SHOWN} are shown${filters.length === 0 ? '' : `; use a filter: ${expected(filters)}`}`

/** A list of something that does not exist is not an empty list. */
const existing = async (
  w: AdminContext['w'],
  filter: keyof OverviewFilter,
  value: string,
): Promise<Result<unknown, string>> => {
  if (filter === 'account') return accountIdOf(w, value)
  return filter === 'zone' ? zoneOf(w, value) : ok(undefined)
}

const expected = (filters: readonly string[]): string =>
  filters.length === 0
    ? 'understood; this list takes no arguments'
    : filters.map((one) => asParameter(one).slice(1, -1)).join(' or ')

async function showOne(
  { w, now }: AdminContext,
  { subject, listed }: { readonly subject: string; readonly listed: Listed },
  [name = '']: Args,
): Promise<Result<OperationResult, string>> {
  const key = subject === 'zone' || subject === 'name' ? canonicalName(name) : name
  const [row] = key === '' ? [] : await rowsOf(w, listed.of, { filter: { name: key }, now })
  if (row === undefined) return err(`there is no ${subject} ${name}; see holdfast admin ${subject} list`)
  const details: [Overview, ReturnType<typeof firstOf>][] = []
  for (const [of, by] of listed.details ?? []) {
    const query = { filter: { [by]: key }, now, limit: MAX_SHOWN + 1 }
    details.push([of, firstOf(await rowsOf(w, of, query))])
  }
  return ok({
    lines: [
      ...formatFields(row),
      ...details.flatMap(([of, { rows, isCut }]) =>
        rows.length === 0 ? [] : ['', `${of}:`, ...formatTable(rows), ...(isCut ? [cutNote([])] : [])],
      ),
    ],
    data: {
      [subject]: row,
      ...Object.fromEntries(details.map(([of, { rows }]) => [of, rows])),
      ...(details.some(([, { isCut }]) => isCut) && { onlyFirst: MAX_SHOWN }),
    },
  })
}
