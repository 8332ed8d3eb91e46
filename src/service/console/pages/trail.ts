import { after, formatInstant, hours, parseInstant } from '../../../shared/base/time.ts'
import { type Html, html } from '../../../shared/html/html.ts'
import { type ApiAnswer, type Ask, type ConsoleContext, type ConsoleResult, isRefused } from '../context.ts'
import {
  button,
  dataTable,
  errorsOf,
  errorSummary,
  failedPage,
  field,
  foreign,
  hostname,
  moment,
  NO_ERRORS,
  pageQuery,
  pager,
  pathOf,
} from '../parts.ts'
import { usableZoneOf } from './find-zone.ts'
import type { Words } from '../words/words.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const ENTRIES_LIMIT = '100'
/** Of a file: the newest entries. */
const MAX_FILE_ENTRIES = 10_000
const FILE_PAGE = '500'

/** The filters of the page, by the filters of the operation. */
const FILTERS = { zone: 'zone_name', name: 'name', actor: 'actor', from: 'from', to: 'to' } as const

const filterQuery = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(FILTERS).flatMap(([field, filter]) => {
      const value = query.get(field)?.trim() ?? ''
      if (value === '') return []
      return [[`filter[${filter}]`, field === 'to' ? endOf(value) : startOf(value)] as const]
    }),
  )

const DAY = /^\d{4}-\d\d-\d\d$/
/** What a field of days can show; a time of the API it cannot. */
const isDay = (value: string | null): boolean => value === null || value === '' || DAY.test(value)
const startOf = (value: string): string => (DAY.test(value) ? `${value}T00:00:00Z` : value)
/** The day is in it. */
const endOf = (value: string): string => {
  const start = parseInstant(startOf(value))
  return start === undefined || startOf(value) === value ? value : formatInstant(after(start, hours(24)))
}

/** Who changed what. */
export async function trailPage(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, query, ask } = context
  const t = words.trail
  const list = await ask('listTrail', {
    query: { limit: ENTRIES_LIMIT, ...filterQuery(query), ...pageQuery(query) },
  })
  const [errors, entries] = isRefused(list) ? [errorsOf(list, words), []] : [NO_ERRORS, list.data]
  const kept = new URLSearchParams(
    [...query].filter(([name, value]) => Object.hasOwn(FILTERS, name) && value !== ''),
  )
  const file = (form: string): string =>
    `/console/trail/file?${new URLSearchParams([...kept, ['form', form]]).toString()}`
  return {
    title: t.title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}<section><form class="row" role="search" action="/console/trail">${Object.keys(
      FILTERS,
    ).map((name) =>
      field(name, t.filters[name as keyof typeof FILTERS], {
        ...((name === 'from' || name === 'to') && isDay(query.get(name)) && { type: 'date' }),
        value: query.get(name) ?? '',
        isOptional: true,
      }),
    )}${button(words.names.find, 'quiet')}</form>${
      entries.length > 0
        ? trailTable(words, entries, context.session.caller.isReadOnly)
        : errors === NO_ERRORS
          ? html`<p>${t.nothing}</p>`
          : ''
    }${pager(words, context, list)}
<p><a href="${file('csv')}">${t.csv}</a> <a href="${file('json')}">${t.json}</a> <span class="soft">${t.newest(
      MAX_FILE_ENTRIES,
    )}</span></p></section>`,
  }
}

/** With a link that puts a value back, where the entry has one and is of one name. */
export function trailTable(words: Words, entries: readonly Named<'TrailEntry'>[], isReadOnly: boolean): Html {
  const t = words.trail
  const rows = entries.map((entry, nth) => [
    moment(entry.at),
    html`${foreign(words.actor(entry.actor))}${
      entry.peer === '' ? '' : html` <span class="soft">${t.from} ${entry.peer}</span>`
    }`,
    html`${subjectOf(entry)} ${entry.dns_type ?? ''} <span class="soft">${operationWord(
      words,
      entry.operation,
    )}</span>`,
    entry.before === null ? '' : html`<del><code><bdi>${entry.before}</bdi></code></del>`,
    entry.after === null ? '' : html`<ins><code><bdi>${entry.after}</bdi></code></ins>`,
    isReadOnly ? '' : undoLinks(words, entries, nth),
  ])
  const columns = [
    { label: t.at, isFixed: true },
    { label: t.who },
    { label: t.what },
    { label: words.records.before },
    { label: words.records.after },
    { label: t.undo, isPlain: true },
  ]
  return dataTable(t.title, columns, rows)
}

/** An operation of holdfast admin has its own name. */
const operationWord = ({ trail: { operations } }: Words, name: string): string =>
  Object.hasOwn(operations, name) ? operations[name as keyof typeof operations] : name

const FIND = '/console/find'

const subjectOf = ({ subject, dns_type: type }: Named<'TrailEntry'>): Html =>
  type === null
    ? foreign(subject)
    : html`<a href="${FIND}?${new URLSearchParams({ name: subject }).toString()}">${hostname(subject)}</a>`

/** A long text of the trail is cut. */
const canUndo = ({ dns_type: type, before }: Named<'TrailEntry'>): boolean =>
  type !== null && before?.endsWith('…') !== true

const isOfSameRequest = (one: Named<'TrailEntry'>, other: Named<'TrailEntry'> | undefined): boolean =>
  other !== undefined && one.at === other.at && one.actor === other.actor && one.operation === other.operation

/** Opens the records with the value before the change, which is reviewed like any other change; or all of one request. */
function undoLinks(words: Words, entries: readonly Named<'TrailEntry'>[], nth: number): Html {
  const entry = entries[nth]
  if (entry === undefined || !canUndo(entry)) return html``
  const { subject, dns_type: type, before, at, operation } = entry
  const query = new URLSearchParams({
    name: subject,
    undo: type ?? '',
    ...(before !== null && { before }),
  })
  const isFirst = !isOfSameRequest(entry, entries[nth - 1])
  const isOfMany = isFirst && isOfSameRequest(entry, entries[nth + 1])
  const all = new URLSearchParams({ at: at ?? '', operation })
  return html`<a href="${FIND}?${query.toString()}#records">${words.trail.undo}</a>${
    isOfMany ? html` <a href="/console/trail/undo?${all.toString()}">${words.trail.undoAll}</a>` : ''
  }`
}

/** The page of a name that the trail names; of one that is gone, the review of what comes back. */
export async function namedPage({ ask, query }: ConsoleContext): Promise<ConsoleResult> {
  const name = query.get('name') ?? ''
  const zone = await usableZoneOf(ask, name)
  if (zone === undefined) return { see: '/console/names' }
  const label = name === zone ? '@' : name.slice(0, -zone.length - 1)
  const rest = new URLSearchParams([...query].filter(([one]) => one !== 'name')).toString()
  const found = await ask('getName', { params: { zone_name: zone, name: label } })
  if (isRefused(found))
    return {
      see: query.has('undo')
        ? `/console/trail/undo?${query.toString()}`
        : `/console/names/new?${new URLSearchParams({ hostname: name }).toString()}`,
    }
  return { see: `${pathOf`/console/names/${zone}/${label}`}${rest === '' ? '' : `?${rest}#records`}` }
}

/** The entries of a page as a file. */
export async function trailFile({ ask, query, words }: ConsoleContext): Promise<ConsoleResult> {
  const found = await allEntries(ask, filterQuery(query))
  if ('refused' in found) return failedPage(words, found.refused)
  return query.get('form') === 'json'
    ? { file: 'trail.json', type: 'application/json', text: `${JSON.stringify(found.entries, null, 1)}\n` }
    : { file: 'trail.csv', type: 'text/csv; charset=utf-8', text: csvOf(found.entries) }
}

async function allEntries(
  ask: Ask,
  filter: Readonly<Record<string, string>>,
): Promise<{ readonly entries: readonly Named<'TrailEntry'>[] } | { readonly refused: ApiAnswer<unknown> }> {
  const entries: Named<'TrailEntry'>[] = []
  let after: string | undefined
  while (entries.length < MAX_FILE_ENTRIES) {
    const page = await ask('listTrail', {
      query: { limit: FILE_PAGE, ...filter, after },
    })
    if (isRefused(page)) return { refused: page }
    entries.push(...page.data)
    if (page.page.next === null) break
    after = page.page.next
  }
  return { entries }
}

const COLUMNS = ['at', 'actor', 'peer', 'operation', 'subject', 'dns_type', 'before', 'after'] as const

/** RFC 4180. Spreadsheets run what begins like a formula, so such a text gets a quote before it. */
const csvOf = (entries: readonly Named<'TrailEntry'>[]): string =>
  [COLUMNS, ...entries.map((entry) => COLUMNS.map((name) => entry[name] ?? ''))]
    .map((row) =>
      row.map((value) => `"${value.replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"`).join(','),
    )
    .join('\r\n')
    .concat('\r\n')
