import { type Html, html } from '../../../shared/html/html.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../context.ts'
import {
  action,
  button,
  card,
  dataTable,
  errorsOf,
  errorSummary,
  failedPage,
  field,
  form,
  type FormErrors,
  hidden,
  moment,
  NO_ERRORS,
  pageQuery,
  pager,
  pathOf,
  state,
} from '../parts.ts'
import type { Words } from '../words/words.ts'
import { secretPage } from './new-key.ts'
import { programKeyCards } from './program-keys.ts'
import { updateCard } from './key-state.ts'
import { hostnamesOf, isOfValues, isRefusedReply, wholeNamesOf } from './shown.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const KEYS_LIMIT = '100'
const MAX_HOSTNAMES_SHOWN = 3

/** The keys of routers, and those of other programs. */
export async function keysPage(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, query, ask, session } = context
  const t = words.keys
  const list = await ask('listKeys', {
    query: { limit: KEYS_LIMIT, ...pageQuery(query) },
  })
  if (isRefused(list)) return failedPage(words, list)
  const rows = list.data.map((key) => [
    html`<a href="${pathOf`/console/keys/ddns/${key.username}`}"><bdi>${key.description || key.username}</bdi></a>${
      key.description === '' ? '' : html` <span class="soft">${key.username}</span>`
    }`,
    html`<bdi>${hostnamesOf(key).slice(0, MAX_HOSTNAMES_SHOWN).join(', ')}</bdi> ${moreHostnames(words, key)}`,
    key.last_update === null ? words.names.never : moment(key.last_update.at),
    blockLabel(words, key),
  ])
  const columns = [
    { label: t.key },
    { label: t.names },
    { label: words.names.updated, isFixed: true },
    { label: words.names.state, isFixed: true },
  ]
  return {
    title: t.title,
    main: html`<div id="live">${card(
      t.ddns,
      html`<p class="soft">${t.ddnsWhat}</p>${rows.length === 0 ? '' : dataTable(t.ddns, columns, rows)}${pager(
        words,
        context,
        list,
      )}${session.hasFullAccess ? html`<p><a class="button" href="/console/keys/new">${t.makeOne}</a></p>` : ''}`,
    )}</div>${await programKeyCards(context)}`,
  }
}

const moreHostnames = (words: Words, key: Named<'Key'>): string => {
  const more = hostnamesOf(key).length - MAX_HOSTNAMES_SHOWN
  return more > 0 ? words.more(more) : ''
}

const blockLabel = (words: Words, { block, last_update: last }: Named<'Key'>): Html => {
  const t = words.keys
  if (block !== null) return state('bad', '✗', t.blocked)
  if (last !== null && isRefusedReply(last.reply)) return state('bad', '✗', t.refused)
  return last === null ? state('wait', '…', t.waiting) : state('ok', '✓', t.works)
}

/** One DDNS key: whether its router gets through, and if not, why. */
export const keyPage = async (context: ConsoleContext): Promise<ConsoleResult> => keyShown(context, NO_ERRORS)

async function keyShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, params, ask, session } = context
  const found = await ask('getKey', { params: { ddns_key_username: params['key'] ?? '' } })
  if (isRefused(found)) return failedPage(words, found)
  const key = found.data
  const here = pathOf`/console/keys/ddns/${key.username}`
  return {
    title: key.description || key.username,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    isPending: key.last_update === null,
    main: html`${errorSummary(errors, words)}<div id="live">${updateCard(words, key)}</div>${
      session.hasFullAccess ? changeCard(context, { here, key, errors }) : ''
    }`,
  }
}

/** A click on one of these cuts the router off, so it takes two steps. */
const changeCard = (
  { words, form: sent }: ConsoleContext,
  { here, key, errors }: { readonly here: string; readonly key: Named<'Key'>; readonly errors: FormErrors },
): Html => {
  const t = words.key
  return html`${card(
    t.edit,
    form(here, [
      field('description', words.newKey.description, {
        value: sent.get('description') ?? key.description,
        errors,
      }),
      hidden('shown', sent.get('shown') ?? wholeNamesOf(key).join(' ')),
      field('hostnames', words.newKey.hostnames, {
        value: sent.get('hostnames') ?? wholeNamesOf(key).join(' '),
        hint: isOfValues(key) ? t.ofValues : words.newKey.hostnamesHint,
        isOptional: true,
        errors,
      }),
      button(words.save, 'quiet'),
    ]),
  )}${card(t.change, [
    html`<details><summary>${t.ask(t.renew)}</summary><p class="soft">${t.renewWhat}</p>${action(
      `${here}/renew`,
      t.renew,
      'danger',
    )}</details><details><summary>${t.ask(t.remove)}</summary><p class="soft">${t.removeWhat}</p>${action(
      `${here}/delete`,
      t.remove,
      'danger',
    )}</details>`,
  ])}`
}

const wordsIn = (text: string | null): readonly string[] =>
  (text ?? '').split(/[\s,]+/).filter((one) => one !== '')

export async function changeKeyAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, params, ask, form: sent } = context
  const username = params['key'] ?? ''
  const at = { ddns_key_username: username }
  const found = await ask('getKey', { params: at })
  if (isRefused(found)) return failedPage(words, found)
  const hostnames = wordsIn(sent.get('hostnames'))
  // Names that stay are not sent: they may be locked, and a description may be changed even so.
  const shown = sent.has('shown') ? wordsIn(sent.get('shown')) : wholeNamesOf(found.data)
  const isOther = sent.has('hostnames') && hostnames.toSorted().join() !== shown.toSorted().join()
  // What others have attached since the page was opened stays.
  const since = wholeNamesOf(found.data).filter((one) => !shown.includes(one))
  const changed = await ask('changeKey', {
    params: at,
    body: {
      description: sent.get('description') ?? '',
      ...(isOther && { hostnames: [...new Set([...hostnames, ...since])] }),
    },
  })
  return isRefused(changed)
    ? keyShown(
        context,
        errorsOf(changed, words, (pointer) => pointer.split('/')[1]),
      )
    : { see: pathOf`/console/keys/ddns/${username}`, isSaved: true }
}

export async function renewKeyAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, params, ask } = context
  const at = { ddns_key_username: params['key'] ?? '' }
  // Read before: a password that could not be shown would be lost.
  const found = await ask('getKey', { params: at })
  if (isRefused(found)) return failedPage(words, found)
  const renewed = await ask('changeKey', {
    params: at,
    body: { regenerate_password: true },
  })
  if (isRefused(renewed)) return keyShown(context, errorsOf(renewed, words))
  return secretPage(context, found.data, renewed.data.password ?? '')
}

export async function keyDeletion(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, params, ask } = context
  const deleted = await ask('deleteKey', { params: { ddns_key_username: params['key'] ?? '' } })
  return isRefused(deleted) ? keyShown(context, errorsOf(deleted, words)) : { see: '/console/keys' }
}
