import { type Html, html } from '../../../shared/html/html.ts'
import {
  type Ask,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ListedRow,
  type ShownPage,
} from '../context.ts'
import {
  button,
  card,
  changesSoon,
  choiceField,
  dataTable,
  errorsOf,
  errorSummary,
  failedPage,
  field,
  fieldError,
  foreign,
  form,
  type FormErrors,
  hostname,
  moment,
  NO_ERRORS,
  pageQuery,
  pager,
  pathOf,
  state,
  STATE_MARKS,
  stateLabel,
} from '../parts.ts'
import { NAME_PUBLICATIONS, type NamePublication } from '../../model/publication.ts'
import type { Words } from '../words/words.ts'
import { bulkForm, keysToAttach, pickTable } from './bulk/bulk-plan.ts'
import { unicodeName } from '../../model/dns-name.ts'
import { usableZoneOf, usableZones } from './find-zone.ts'
import { addressesOf, isRefusedReply, wholeName } from './shown.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const NAMES_LIMIT = 100
/** Of the names that need a person, above the list. */
const MAX_WORST = 5

/** States that the owner can fix at the name. */
const BAD: readonly NamePublication[] = ['stuck', 'blocked']

const pathOfName = ({ zone_name: zone, name }: Pick<Named<'Name'>, 'zone_name' | 'name'>): string =>
  pathOf`/console/names/${zone}/${name}`

/** The view `detail` of the listing has everything of a name. */
const detailed = (rows: readonly ListedRow<'listNames'>[]) => rows as readonly Named<'Name'>[]

/** The names of the account: those that need a person first, then all, or those that are searched for. */
export async function namesPage(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, query, ask, cached, session } = context
  const t = words.names
  const [search, wanted, order] = [query.get('search') ?? '', wantedState(query), orderIn(query)]
  const isChoosing = query.get('choose') === 'yes' && !session.caller.isReadOnly
  const isFiltered = search !== '' || wanted !== undefined
  const list = await ask('listNames', {
    query: {
      view: 'detail',
      limit: String(NAMES_LIMIT),
      [`sort[${order}]`]: ORDERS[order],
      ...(search !== '' && { 'filter[search]': search }),
      ...(wanted !== undefined && { 'filter[state][]': wanted }),
      ...pageQuery(query),
    },
  })
  if (isRefused(list)) return failedPage(words, list)
  const names = detailed(list.data)
  const { counts, worst: all } = (await cached(async () => overviewOf(ask))) ?? NOT_KNOWN
  if (list.page.total === 0 && !isFiltered) return newNamePage(context)
  const listed = names.filter(isRouterRefused).slice(0, MAX_WORST)
  const worst = isFiltered ? [] : [...all, ...listed]
  const keys = isChoosing ? await keysToAttach(ask) : []
  return {
    title: t.title,
    isPending: names.some((one) => changesSoon(one.publication)),
    main: html`<div id="live">${countLine(words, counts, wanted)}${
      worst.length === 0 ? '' : card(t.needYou, nameTable(words, worst, t.needYou))
    }</div><section><form class="row" role="search" action="/console/names">${field('search', t.search, {
      type: 'search',
      value: search,
      isOptional: true,
    })}${stateField(words, wanted)}${orderField(words, order)}${button(t.find, 'quiet')}${
      session.caller.isReadOnly
        ? ''
        : html`
<a class="button" href="/console/names/new">${t.makeOne}</a>`
    }${
      session.caller.isReadOnly || isChoosing
        ? ''
        : html` <a class="button quiet" href="${choosingPath(query)}">${words.bulk.title}</a>`
    }</form>${
      list.data.length === 0
        ? html`<p>${t.nothing}</p>`
        : isChoosing
          ? bulkForm(words, pickTable(words, names), { keys, back: context.here })
          : html`<div id="rows">${nameTable(words, names, t.title)}</div>`
    }${pager(words, context, list)}</section>`,
  }
}

/** Worse than that the name is published; a blocked name says why itself. */
const isRouterRefused = ({ last_update: last, publication }: Named<'Name'>): boolean =>
  !BAD.includes(publication) && publication !== 'offline' && isRefusedReply(last?.reply ?? 'good')

/** The same list, with a box at each name. */
function choosingPath(query: URLSearchParams): string {
  const kept = [...query].filter(([name, value]) => name !== 'choose' && value !== '')
  return `/console/names?${new URLSearchParams([...kept, ['choose', 'yes']]).toString()}`
}

const stateField = ({ names: t, states }: Words, wanted: NamePublication | undefined): Html =>
  choiceField('state', t.state, {
    choices: [
      { value: '', label: t.every },
      ...NAME_PUBLICATIONS.map((one) => ({ value: one, label: states[one].word })),
    ],
    chosen: wanted ?? '',
  })

/** The orders of the list, and their directions: the newest first. */
const ORDERS = { name_labels_reversed: 'asc', updated_at: 'desc', last_update_at: 'desc' } as const
type Order = keyof typeof ORDERS
const ALL_ORDERS = Object.keys(ORDERS) as readonly Order[]

const orderField = ({ names: t }: Words, chosen: Order): Html =>
  choiceField('order', t.order, {
    choices: ALL_ORDERS.map((value) => ({ value, label: t.orders[value] })),
    chosen,
  })

const orderIn = (query: URLSearchParams): Order =>
  ALL_ORDERS.find((one) => one === query.get('order')) ?? 'name_labels_reversed'

const wantedState = (query: URLSearchParams): NamePublication | undefined =>
  NAME_PUBLICATIONS.find((one) => one === query.get('state'))

type Counts = readonly (readonly [state: NamePublication, count: number])[]

/** What all names of an account say together, at a glance. */
interface NamesOverview {
  readonly counts: Counts
  /** Those that need a person. */
  readonly worst: readonly Named<'Name'>[]
}
const NOT_KNOWN: NamesOverview = { counts: [], worst: [] }

async function overviewOf(ask: Ask): Promise<NamesOverview> {
  const counts = await countsOf(ask)
  const needsPerson = counts.some(([one, n]) => BAD.includes(one) && n > 0)
  return { counts, worst: needsPerson ? await worstOf(ask) : [] }
}

const countsOf = async (ask: Ask): Promise<Counts> =>
  Promise.all(
    NAME_PUBLICATIONS.map(async (one) => {
      const { page } = await ask('listNames', {
        query: { limit: '0', view: 'name_only', 'filter[state][]': one },
      })
      return [one, page.total] as const
    }),
  )

const countLine = (words: Words, counts: Counts, wanted: NamePublication | undefined): Html =>
  html`<ul class="counts">${counts.flatMap(([one, count]) => {
    const [tone, mark] = STATE_MARKS[one]
    if (count === 0) return []
    const here = one === wanted ? html` aria-current="true"` : ''
    return html`<li><a class="${tone}" href="/console/names?state=${one}"${here}>
<span aria-hidden="true">${mark}</span> ${words.states[one].count(count)}</a></li>`
  })}</ul>`

async function worstOf(ask: Ask): Promise<NamesOverview['worst']> {
  const all = await Promise.all(
    BAD.map(async (one) => {
      const { data } = await ask('listNames', {
        query: { view: 'detail', limit: String(MAX_WORST), 'filter[state][]': one },
      })
      return detailed(data)
    }),
  )
  return all.flat()
}

const nameTable = (words: Words, names: readonly Named<'Name'>[], caption: string): Html => {
  const t = words.names
  const rows = names.map((name) => [
    html`<a href="${pathOfName(name)}">${hostname(wholeName(name))}</a>`,
    name.offline
      ? '–'
      : foreign(addressesOf(name).join(', ') || (name.rrsets.length === 0 ? t.noAddress : '–')),
    name.last_update ? moment(name.last_update.at) : t.never,
    isRouterRefused(name) ? state('bad', '✗', words.keys.refused) : stateLabel(name.publication, words),
  ])
  const columns = [
    { label: t.name },
    { label: t.addresses, isPlain: true },
    { label: t.updated, isFixed: true },
    { label: t.state, isFixed: true, isPlain: true },
  ]
  return dataTable(caption, columns, rows)
}

export const newNamePage = async (context: ConsoleContext): Promise<ShownPage> => nameForm(context, NO_ERRORS)

async function nameForm(
  { words, ask, form: sent, query }: ConsoleContext,
  errors: FormErrors,
): Promise<ShownPage> {
  const t = words.newName
  const found = await usableZones(ask)
  if ('refused' in found) return failedPage(words, found.refused)
  const { zones } = found
  if (zones.length === 0)
    return {
      title: t.title,
      main: card(
        t.noZone,
        html`<p>${t.noZoneWhy}</p><p><a href="/console/zones">${words.zones.makeOne}</a></p>`,
      ),
    }
  const [first = { name: '' }] = zones
  return {
    title: t.title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(
      t.what,
      form('/console/names/new', [
        field('hostname', t.hostname, {
          value: sent.get('hostname') ?? query.get('hostname') ?? '',
          hint: t.hostnameHint(first.name),
          hasFocus: true,
          errors,
        }),
        choiceField('zone', t.zone, {
          choices: zones.map(({ name }) => ({ value: name, label: unicodeName(name) })),
          chosen: sent.get('zone') ?? '',
        }),
        field('addresses', t.addresses, {
          value: sent.get('addresses') ?? query.get('addresses') ?? '',
          hint: t.addressesHint,
          isOptional: true,
          errors,
        }),
        button(t.make),
      ]),
    )}`,
  }
}

/** Makes a name, with the addresses that the form has. */
export async function createNameAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent, ask } = context
  const host = wholeHostname(sent)
  const addresses = (sent.get('addresses') ?? '').split(/[\s,]+/).filter((one) => one !== '')
  const zone = await usableZoneOf(ask, host)
  if (zone === undefined) return nameForm(context, fieldError('hostname', words.newName.notInZone(host)))
  const name = host === zone ? '@' : host.slice(0, -zone.length - 1)
  const rrsets = [
    ...rrsetOf(
      'A',
      addresses.filter((one) => !one.includes(':')),
    ),
    ...rrsetOf(
      'AAAA',
      addresses.filter((one) => one.includes(':')),
    ),
  ]
  const made = await ask('createName', {
    params: { zone_name: zone },
    body: { name, ...(rrsets.length > 0 && { rrsets }) },
  })
  const fieldOf = (pointer: string) => (pointer.startsWith('/rrsets') ? 'addresses' : 'hostname')
  if (isRefused(made)) return nameForm(context, errorsOf(made, words, fieldOf))
  return { see: pathOf`/console/names/${zone}/${name}` }
}

/** One label is a name in the zone that is chosen; more of them are a whole name. */
function wholeHostname(sent: URLSearchParams): string {
  const given = (sent.get('hostname') ?? '').trim().toLowerCase().replace(/\.$/, '')
  const zone = sent.get('zone') ?? ''
  return given === '' || given.includes('.') || zone === '' ? given : `${given}.${zone}`
}

const rrsetOf = (type: string, values: readonly string[]) =>
  values.length === 0 ? [] : [{ dns_type: type, rdata: values.map((value) => ({ value })) }]
