import { renderSVG } from 'uqr'
import { type Html, html } from '../../../shared/html/html.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../context.ts'
import {
  action,
  button,
  card,
  copyable,
  dataTable,
  errorsOf,
  errorSummary,
  facts,
  failedPage,
  field,
  foreign,
  form,
  type FormErrors,
  hidden,
  moment,
  NO_ERRORS,
  passkeyForm,
} from '../parts.ts'
import type { Words } from '../words/words.ts'
import type { Named } from '../../api/openapi/schemas.ts'

/** The card of the account page. */
export function factorCard(
  words: Words,
  { factors, recovery_codes: left }: Named<'SecondFactors'>,
  isNeeded: boolean,
): Html {
  const t = words.factors
  const rows = factors.map((one) => [
    html`${foreign(one.description)} <span class="soft">${one.kind === 'totp' ? t.app : words.passkeys.one}</span>`,
    one.confirmed ? t.works : t.unconfirmed,
    moment(one.last_used_at, words.names.never),
    action(`/console/account/factors/${one.id}/delete`, words.programKeys.remove, 'danger'),
  ])
  const columns = [
    { label: t.title },
    { label: words.names.state, isFixed: true },
    { label: words.programKeys.used, isFixed: true },
    { label: words.programKeys.remove, isFixed: true, isPlain: true },
  ]
  const isOn = factors.some(({ confirmed }) => confirmed)
  return card(t.title, [
    isNeeded ? html`<p class="wait">${t.must}</p>` : html``,
    html`<p class="soft">${isOn ? t.isOn : t.what} <a href="/console/keys/new">${t.toKeys}</a></p>`,
    rows.length === 0 ? html`` : dataTable(t.title, columns, rows),
    isOn ? html`<p>${t.codesLeft(left)}</p>${action('/console/account/recovery-codes', t.newCodes)}` : html``,
    form('/console/account/factors', [
      field('description', t.description, { hint: t.descriptionHint, isOptional: true }),
      html`<p class="row">${button(t.add, 'quiet')}<button class="quiet" formaction="/console/account/passkeys">${
        words.passkeys.add
      }</button></p>`,
    ]),
  ])
}

/** The secret, once, as a picture and as text, and the field for the first code. */
export async function createTotpAction({ words, ask, form: sent }: ConsoleContext): Promise<ConsoleResult> {
  const made = await ask('createTotp', { body: { description: sent.get('description') ?? '' } })
  return isRefused(made) ? failedPage(words, made) : totpPage(words, made.data, NO_ERRORS)
}

function totpPage(
  words: Words,
  { id, secret = '', uri = '' }: Pick<Named<'SecondFactor'>, 'id' | 'secret' | 'uri'>,
  errors: FormErrors,
): ShownPage {
  const t = words.factors
  return {
    title: t.add,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(t.scan, [
      pictureOf(words, uri),
      facts([[t.secret, copyable(secret)]]),
      form(`/console/account/factors/${String(id)}/confirm`, [
        hidden('secret', secret),
        hidden('uri', uri),
        field('code', t.firstCode, { hint: t.firstCodeHint, fill: 'one-time-code', errors }),
        button(t.confirm),
      ]),
    ])}`,
  }
}

/** What comes back from a form may be anything; the version of a QR code that a phone reads has less than this. */
const MAX_PICTURE = 500

const pictureOf = ({ factors: t }: Words, uri: string): Html =>
  uri.length === 0 || uri.length > MAX_PICTURE
    ? html``
    : html`<p><img class="code" width="200" height="200" alt="${t.picture}"
 src="data:image/svg+xml,${encodeURIComponent(renderSVG(uri, { border: 2 }))}"></p>`

export async function confirmTotpAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, ask, params, form: sent } = context
  const id = params['id'] ?? ''
  const confirmed = await ask('confirmSecondFactor', {
    params: { id },
    body: { code: sent.get('code') ?? '' },
  })
  const view = { id: Number(id), secret: sent.get('secret') ?? '', uri: sent.get('uri') ?? '' }
  if (isRefused(confirmed))
    return totpPage(
      words,
      view,
      errorsOf(confirmed, words, () => 'code'),
    )
  const codes = confirmed.data.recovery_codes
  return codes.length === 0 ? { see: '/console/account' } : codesPage(words, codes)
}

/** The form that the script sends with what the browser made. */
export async function newPasskeyPage({ words, ask, form: sent }: ConsoleContext): Promise<ConsoleResult> {
  const t = words.passkeys
  const made = await ask('createPasskeyOptions')
  if (isRefused(made)) return failedPage(words, made)
  const options = JSON.stringify(made.data.options)
  const to = '/console/account/passkeys/new'
  const content = html`${hidden('description', sent.get('description') ?? '')}${button(t.make)}`
  return {
    title: t.add,
    main: card(t.what, [
      passkeyForm({ to, kind: 'create', options, field: 'credential', failed: t.failed }, content),
      html`<noscript><p>${t.noScript}</p></noscript>`,
    ]),
  }
}

export async function createPasskeyAction({
  words,
  ask,
  form: sent,
}: ConsoleContext): Promise<ConsoleResult> {
  const made = await ask('createPasskey', {
    body: {
      credential: credentialIn(sent.get('credential') ?? ''),
      description: sent.get('description') ?? '',
    },
  })
  if (isRefused(made)) return failedPage(words, made)
  const codes = made.data.recovery_codes ?? []
  return codes.length === 0 ? { see: '/console/account' } : codesPage(words, codes)
}

/** Anything else is no object, which the operation refuses. */
function credentialIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** On paper, for the day on which the phone is gone. */
const codesPage = (words: Words, codes: readonly string[]): ShownPage => {
  const t = words.factors
  return {
    title: t.codes,
    main: card(t.codesOnce, [
      html`<pre>${copyable(codes.join('\n'))}</pre>`,
      html`<p><a href="/console/account">${t.toAccount}</a></p>`,
    ]),
  }
}

export async function recoveryCodesAction({ words, ask }: ConsoleContext): Promise<ConsoleResult> {
  const made = await ask('createRecoveryCodes')
  return isRefused(made) ? failedPage(words, made) : codesPage(words, made.data.recovery_codes)
}

export async function factorDeletion({ words, ask, params }: ConsoleContext): Promise<ConsoleResult> {
  const deleted = await ask('deleteSecondFactor', { params: { id: params['id'] ?? '' } })
  return isRefused(deleted) ? failedPage(words, deleted) : { see: '/console/account' }
}
