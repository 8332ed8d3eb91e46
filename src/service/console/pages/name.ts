import { type Html, html } from '../../../shared/html/html.ts'
import {
  type ApiAnswer,
  type Ask,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ShownPage,
} from '../context.ts'
import {
  button,
  card,
  changesSoon,
  dataTable,
  errorsOf,
  errorSummary,
  facts,
  failedPage,
  foreign,
  form,
  type FormErrors,
  hidden,
  moment,
  NO_ERRORS,
  pathOf,
  state,
  stateLabel,
} from '../parts.ts'
import { unicodeName } from '../../model/dns-name.ts'
import type { Words } from '../words/words.ts'
import { BULK_PAGE } from './bulk/bulk-plan.ts'
import { offlineForm, offlineOf, offlineShown, offlineWanted, onlineForm } from './offline.ts'
import { digestOf, recordsForm, rowsOf, undoneRows } from './record-rows.ts'
import { addressesOf, isRefusedReply, wholeName } from './shown.ts'
import { trailTable } from './trail.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const MAX_ENTRIES = 10
/** In characters: more than a text of the trail has. */
const MAX_BEFORE = 2000

/** One name: whether all is well with it, its records, and what happened to it. */
export const namePage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  nameShown(context, NO_ERRORS)

/** The same, with what was wrong in one of its forms. */
export async function nameShown(
  context: ConsoleContext,
  errors: FormErrors,
  edited?: Html,
): Promise<ShownPage> {
  const { words, params, ask, session, query } = context
  const t = words.name
  const undo = query.get('undo')
  const { zone = '', name: label = '' } = params
  const at = { zone_name: zone, name: label }
  const found = await ask('getName', { params: at })
  if (isRefused(found)) return failedPage(words, found)
  const name = found.data
  const [whole, known] = [wholeName(name), name.publication]
  const here = pathOf`/console/names/${zone}/${label}`
  const servers = await serversOf(ask, zone)
  const trail = await ask('listTrail', {
    query: { limit: String(MAX_ENTRIES), 'filter[zone_name]': zone, 'filter[name]': label },
  })
  const isEditable = !session.caller.isReadOnly && known !== 'blocked'
  const stored = rowsOf(name.rrsets)
  const before = (query.get('before') ?? '').slice(0, MAX_BEFORE)
  const rows = undo === null || !isEditable ? stored : undoneRows(stored, undo, before)
  const key = name.update_group ?? ''
  const update = key === '' ? undefined : await ask('getKey', { params: { ddns_key_username: key } })
  const isKeyBlocked = update !== undefined && !isRefused(update) && update.data.block !== null
  const offline = await offlineOf(ask, at)
  const now = stateCard(words, { name, offline, isKeyBlocked, canMakeKey: session.hasFullAccess })
  const was = digestOf(name.rrsets)
  const records = recordsForm(words, { here, rows, was, isEditable, isUndo: undo !== null })
  return {
    title: unicodeName(whole),
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    isPending: changesSoon(known),
    main: html`${errorSummary(errors, words)}<div id="live">${now}${serverCard(words, servers)}</div>${edited ?? records}${
      isRefused(trail) || trail.data.length === 0
        ? ''
        : card(
            t.trail,
            html`${trailTable(words, trail.data, session.caller.isReadOnly)}
<p><a href="/console/trail?zone=${zone}&amp;name=${label}">${t.wholeTrail}</a></p>`,
          )
    }${isEditable ? moreCard(context, { here, name, offline, errors }) : ''}`,
  }
}

function stateCard(
  words: Words,
  {
    name,
    offline,
    isKeyBlocked,
    canMakeKey,
  }: {
    readonly name: Named<'Name'>
    readonly offline: Named<'OfflineSettings'>
    readonly isKeyBlocked: boolean
    readonly canMakeKey: boolean
  },
): Html {
  const t = words.name
  const last = name.last_update
  const key = name.update_group
  const shown = name.offline
    ? offlineShown(words, offline)
    : addressesOf(name).map((one) => html`<p class="address">${one}</p>`)
  return card(
    t.now,
    html`${shown}<p>${stateLabel(name.publication, words)} ${words.states[name.publication].meaning}</p>${
      isKeyBlocked ? refusedNote(words, key ?? '', words.name.isKeyBlocked) : ''
    }${last && isRefusedReply(last.reply) ? refusedNote(words, last.key) : ''}${facts([
      [
        t.lastUpdate,
        last
          ? html`${moment(last.at)}, ${t.from} ${last.address}, ${t.reply} <code>${foreign(last.reply)}</code>`
          : t.noUpdate,
      ],
      ...(last ? ([[t.program, html`${foreign(last.user_agent)}`]] as const) : []),
      [
        t.key,
        key === null
          ? html`${t.noKey} ${
              canMakeKey ? html`<a href="/console/keys/new?hostname=${wholeName(name)}">${t.makeKey}</a>` : ''
            }`
          : html`<a href="${pathOf`/console/keys/ddns/${key}`}">${key}</a>`,
      ],
      [t.changed, moment(name.updated_at)],
      [t.published, moment(name.published_at, t.notPublished)],
    ])}`,
  )
}

/** The name stays as it was: what the router sends is not taken. */
const refusedNote = ({ name: t }: Words, key: string, what = t.isRefused): Html =>
  html`<p>${state('bad', '✗', what)} <a href="${pathOf`/console/keys/ddns/${key}`}">${t.whyRefused}</a></p>`

/** What each secondary has; none where the service answers alone. */
async function serversOf(ask: Ask, zone: string): Promise<readonly Named<'PublishedServer'>[]> {
  const { data } = await ask('getPublication', {
    params: { zone_name: zone },
  })
  return data?.nameservers ?? []
}

export function serverCard(words: Words, servers: readonly Named<'PublishedServer'>[]): Html {
  const t = words.servers
  if (servers.length === 0) return html``
  const rows = servers.map(({ server, serial, behind, checked_at: at }) => [
    foreign(server),
    serial === null ? t.unknown : String(serial),
    behind === null ? t.unknown : behind ? state('wait', '…', t.behind) : state('ok', '✓', t.current),
    moment(at, t.unknown),
  ])
  const columns = [
    { label: t.server },
    { label: t.serial, isFixed: true },
    { label: words.names.state, isFixed: true },
    { label: t.seen, isFixed: true },
  ]
  return card(t.title, dataTable(t.title, columns, rows))
}

interface MoreView {
  readonly here: string
  readonly name: Named<'Name'>
  readonly offline: Named<'OfflineSettings'>
  readonly errors: FormErrors
}

const moreCard = (context: ConsoleContext, { here, name, offline, errors }: MoreView): Html =>
  card(context.words.name.more, [
    name.offline ? onlineForm(context.words, here) : html``,
    offlineForm(context, { here, offline, errors, isOffline: name.offline }),
    name.name === '@'
      ? html``
      : form(BULK_PAGE, [
          hidden('act', 'delete'),
          hidden('pick', `${name.zone_name}/${name.name}`),
          button(context.words.name.remove(wholeName(name)), 'danger'),
        ]),
  ])

/** With another action, the settings come first: an offline name needs them. */
export async function offlineAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { params, form: sent, ask, words } = context
  const { zone = '', name = '' } = params
  const at = { zone_name: zone, name }
  const wanted = offlineWanted(sent, await offlineOf(ask, at), wholeName(at))
  const again = (answer: ApiAnswer<unknown>) =>
    nameShown(
      context,
      errorsOf(answer, words, () => 'value'),
    )
  if (wanted?.isStored === false) {
    const stored = await ask('setOffline', { params: at, body: wanted.settings })
    if (isRefused(stored)) return again(stored)
  }
  const changed = await ask('changeName', { params: at, body: { offline: wanted !== undefined } })
  return isRefused(changed) ? again(changed) : { see: pathOf`/console/names/${zone}/${name}`, isSaved: true }
}
