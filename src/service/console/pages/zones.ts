import { type Html, html } from '../../../shared/html/html.ts'
import { REQUEST_FAULTS } from '../../api/request/faults.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../context.ts'
import {
  button,
  card,
  changesSoon,
  dataTable,
  errorsAt,
  errorsOf,
  errorSummary,
  facts,
  failedPage,
  field,
  foreign,
  form,
  type FormErrors,
  hidden,
  hostname,
  moment,
  NO_ERRORS,
  pageQuery,
  pager,
  pathOf,
  state,
  stateLabel,
} from '../parts.ts'
import { unicodeName } from '../../model/dns-name.ts'
import type { Words } from '../words/words.ts'
import { delegationCard, proofCard } from './delegation.ts'
import { serverCard } from './name.ts'
import { sharedZones } from './find-zone.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const ZONES_LIMIT = '50'

/** The zones of the account, and shared ones. */
export const zonesPage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  zoneList(context, NO_ERRORS)

async function zoneList(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, query, ask, form: sent, session } = context
  const t = words.zones
  const list = await ask('listZones', {
    query: { limit: ZONES_LIMIT, ...pageQuery(query) },
  })
  if (isRefused(list)) return failedPage(words, list)
  const shared = query.has('after') ? [] : await sharedZones(ask)
  const own = new Set(list.data.map(({ name }) => name))
  const all = [...list.data, ...shared.filter(({ name }) => !own.has(name))]
  const rows = all.map((zone) => [
    html`<a href="${pathOf`/console/zones/${zone.name}`}">${hostname(zone.name)}</a>`,
    zone.description === '' ? '' : foreign(zone.description),
    zone.is_own ? t.own : t.shared,
    String(zone.serial),
    stateLabel(zone.publication, words),
  ])
  const columns = [
    { label: t.zone },
    { label: t.note },
    { label: t.kind, isFixed: true },
    { label: t.serial, isFixed: true },
    { label: words.names.state, isFixed: true, isPlain: true },
  ]
  return {
    title: t.title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}<section>${
      rows.length === 0 ? html`<p>${t.none}</p>` : dataTable(t.title, columns, rows)
    }${pager(words, context, list)}</section>${session.hasFullAccess ? makeZoneCard(words, sent, errors) : ''}`,
  }
}

const makeZoneCard = ({ zones: t }: Words, sent: URLSearchParams, errors: FormErrors): Html =>
  card(
    t.makeOne,
    form('/console/zones', [
      field('zone', t.name, { value: sent.get('zone') ?? '', hint: t.nameHint, errors }),
      button(t.make),
    ]),
  )

export async function createZoneAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, words } = context
  const zone = (sent.get('zone') ?? '').trim().replace(/\.$/, '')
  const made = await ask('createZone', { body: { zone_name: zone } })
  return isRefused(made)
    ? zoneList(
        context,
        errorsOf(made, words, () => 'zone'),
      )
    : { see: pathOf`/console/zones/${zone}` }
}

/** One zone: how far it is published, what it is for, and what else can be done with it. */
export const zonePage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  zoneShown(context, NO_ERRORS)

async function zoneShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, params, ask, query, session } = context
  const t = words.zone
  const { zone: name = '' } = params
  const found = await ask('getZone', { params: { zone_name: name } })
  if (isRefused(found)) return failedPage(words, found)
  const zone = found.data
  const published = await ask('getPublication', { params: { zone_name: name } })
  const names = await ask('listZoneNames', { params: { zone_name: name }, query: { limit: '0' } })
  const here = pathOf`/console/zones/${zone.name}`
  const isPending = changesSoon(zone.publication)
  return {
    title: unicodeName(zone.name),
    isPending,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}<div id="live">${card(
      t.now,
      facts([
        [t.serial, String(zone.serial)],
        [t.names, html`<a href="/console/names?search=${zone.name}">${String(names.page.total)}</a>`],
        [t.published, isRefused(published) ? '' : publishedLine(words, published.data)],
        [
          t.nameservers,
          html`<bdi>${zone.nameservers.join(', ')}</bdi> <span class="soft">${
            zone.is_own ? t.atRegistrar : ''
          }</span>`,
        ],
      ]),
    )}${isRefused(published) ? '' : serverCard(words, published.data.nameservers)}</div>${proofCard(words, zone)}${card(
      t.more,
      linkList(words, here, { isOwn: zone.is_own, isReadOnly: !session.hasFullAccess }),
    )}${
      query.has('check')
        ? delegationCard(words, await ask('getDelegation', { params: { zone_name: name } }))
        : ''
    }${!session.hasFullAccess || !zone.is_own ? '' : noteForms(context, { zone, here, errors, names: names.page.total })}`,
  }
}

const linkList = (
  { zone: t, delegation }: Words,
  here: string,
  { isOwn, isReadOnly }: { readonly isOwn: boolean; readonly isReadOnly: boolean },
): Html =>
  html`<ul class="links"><li><a href="${here.replace('/zones/', '/names/')}/%40">${t.apex}</a></li>
<li><a href="${here}?check=yes#delegation">${delegation.check}</a></li>${
    isOwn ? html`<li><a href="${here}/export">${t.export}</a></li>` : ''
  }${isReadOnly || !isOwn ? '' : html`<li><a href="${here}/import">${t.import}</a></li>`}</ul>`

const publishedLine = (
  words: Words,
  { publication, pending, published_at: at }: Named<'Publication'>,
): Html => {
  if (publication === 'pending') return state('wait', '…', words.zone.pending(pending))
  const label = stateLabel(publication, words)
  return publication === 'published'
    ? html`${label} ${moment(at)}`
    : html`${label} ${words.zone.why[publication]}`
}

interface NoteView {
  readonly zone: Named<'Zone'>
  readonly here: string
  readonly errors: FormErrors
  readonly names: number
}

const noteForms = ({ words, form: sent }: ConsoleContext, { zone, here, errors, names }: NoteView): Html => {
  const t = words.zone
  return html`${card(
    t.note,
    form(here, [
      field('description', t.description, {
        value: sent.get('description') ?? zone.description,
        isOptional: true,
        errors,
      }),
      hidden('shown', sent.get('shown') ?? String(zone.default_ttl)),
      field('default_ttl', t.defaultTtl, {
        type: 'number',
        value: sent.get('default_ttl') ?? String(zone.default_ttl),
        isOptional: true,
        errors,
      }),
      button(words.save, 'quiet'),
    ]),
  )}${card(
    t.remove,
    form(`${here}/delete`, [
      html`<p>${t.removeWhat(names)}</p>`,
      field('count', t.removeCount, { value: sent.get('count') ?? '', errors }),
      errorsAt(errors, 'others').length > 0 || sent.has('others')
        ? field('others', t.removeOthers, { errors })
        : html``,
      button(t.remove, 'danger'),
    ]),
  )}`
}

export async function changeZoneAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, params, words } = context
  const ttl = sent.get('default_ttl') ?? ''
  const changed = await ask('changeZone', {
    params: { zone_name: params['zone'] ?? '' },
    body: {
      description: sent.get('description') ?? '',
      ...(ttl !== '' && ttl !== sent.get('shown') && { default_ttl: Number(ttl) }),
    },
  })
  return isRefused(changed)
    ? zoneShown(
        context,
        errorsOf(changed, words, (pointer) => pointer.slice(1)),
      )
    : { see: pathOf`/console/zones/${params['zone'] ?? ''}`, isSaved: true }
}

/** The person types the number of names, so that one wrong press does not delete a zone. */
export async function zoneDeletion(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, params, words } = context
  const at = { zone_name: params['zone'] ?? '' }
  const names = await ask('listZoneNames', { params: at, query: { limit: '0' } })
  if (isRefused(names)) return failedPage(words, names)
  if (sent.get('count')?.trim() !== String(names.page.total))
    return zoneShown(context, { all: [{ field: 'count', text: words.zone.countWrong(names.page.total) }] })
  const others = sent.get('others')?.trim()
  const deleted = await ask('deleteZone', { params: at, query: { confirm: others } })
  if (!isRefused(deleted)) return { see: '/console/zones' }
  const isUnconfirmed = deleted.errors.some(
    ({ title }) => title === REQUEST_FAULTS.deletionNotConfirmed.title,
  )
  return zoneShown(context, {
    all: errorsOf(deleted, words).all.map((one) => (isUnconfirmed ? { ...one, field: 'others' } : one)),
  })
}

export async function exportFile({ ask, params, words }: ConsoleContext): Promise<ConsoleResult> {
  const zone = params['zone'] ?? ''
  const found = await ask('exportZone', { params: { zone_name: zone } })
  if (isRefused(found)) return failedPage(words, found)
  return { file: `${zone}.zone`, type: 'text/dns; charset=utf-8', text: `${found.text}\n` }
}
