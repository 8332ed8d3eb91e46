import { html } from '../../../shared/html/html.ts'
import { after, formatInstant, parseInstant, seconds } from '../../../shared/base/time.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../context.ts'
import { undoReview } from './bulk/bulk-undo.ts'
import type { BulkCall } from './bulk/bulk-plan.ts'
import { usableZoneOf } from './find-zone.ts'
import { failedPage } from '../parts.ts'
import { undoneRows } from './record-rows.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const MAX_OF_REQUEST = '500'

type Undone = Pick<Named<'TrailEntry'>, 'subject' | 'dns_type' | 'before'>

/** What one entry, or all entries of one request, had before it, to put it back after a look. */
export async function trailUndoPage(context: ConsoleContext): Promise<ConsoleResult> {
  const { query } = context
  const [subject, type] = [query.get('name'), query.get('undo')]
  if (subject !== null && type !== null)
    return undoPage(context, [{ subject, dns_type: type, before: query.get('before') }])
  const found = await entriesOfRequest(context)
  if (found === undefined) return { see: '/console/trail' }
  return 'refused' in found ? failedPage(context.words, found.refused) : undoPage(context, found.entries)
}

async function entriesOfRequest({ ask, query }: ConsoleContext) {
  const at = parseInstant(query.get('at') ?? '')
  const operation = query.get('operation') ?? ''
  if (at === undefined) return undefined
  const list = await ask('listTrail', {
    query: {
      limit: MAX_OF_REQUEST,
      'filter[from]': formatInstant(at),
      'filter[to]': formatInstant(after(at, seconds(1))),
      'filter[operation]': operation,
    },
  })
  if (isRefused(list)) return { refused: list }
  return { entries: list.data.filter((one) => one.at === formatInstant(at) && one.dns_type !== null) }
}

/** Of long values the trail has the beginning alone. */
const isCut = ({ before }: Undone): boolean => before?.endsWith('…') === true

async function undoPage(context: ConsoleContext, entries: readonly Undone[]): Promise<ShownPage> {
  const { words } = context
  const page = await undoReview(context, await callsFor(context, entries))
  const cut = entries.filter(isCut).map(({ subject, dns_type: type }) => `${subject} ${type ?? ''}`)
  const note =
    cut.length === 0 ? '' : html`<div class="note wait"><p>${words.trail.cut(cut.join(', '))}</p></div>`
  return {
    ...page,
    main: html`${note}${page.main}`,
  }
}

/** One request for each zone. */
async function callsFor({ ask }: ConsoleContext, entries: readonly Undone[]): Promise<readonly BulkCall[]> {
  const zones = new Map<string, { readonly change: object; readonly name: string }[]>()
  const known = new Map<string, boolean>()
  for (const { subject, dns_type: type, before } of entries) {
    const zone = await usableZoneOf(ask, subject, known)
    if (zone === undefined || type === null || isCut({ subject, dns_type: type, before })) continue
    const name = subject === zone ? '@' : subject.slice(0, -zone.length - 1)
    const rows = undoneRows([], type, before ?? '')
    const ttl = rows[0]?.ttl ?? ''
    const rdata = rows.map(({ value }) => ({ value }))
    const change = { name, dns_type: type, ...(ttl !== '' && { ttl: Number(ttl) }), rdata }
    zones.set(zone, [...(zones.get(zone) ?? []), { change, name: subject }])
  }
  return [...zones].map(([zone, all]) => ({
    operation: 'changeRRSets',
    call: { params: { zone_name: zone }, body: all.map(({ change }) => change) },
    names: all.map(({ name }) => name),
  }))
}
