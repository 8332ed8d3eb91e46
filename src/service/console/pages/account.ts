import { type Html, html } from '../../../shared/html/html.ts'
import {
  type ApiAnswer,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ShownPage,
} from '../context.ts'
import {
  action,
  button,
  card,
  cutNote,
  dataTable,
  errorsOf,
  errorSummary,
  facts,
  failedPage,
  field,
  fieldError,
  foreign,
  form,
  type FormErrors,
  moment,
  NO_ERRORS,
  state,
} from '../parts.ts'
import type { Words } from '../words/words.ts'
import { factorCard } from './factors.ts'
import type { Named } from '../../api/openapi/schemas.ts'

export const accountPage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  accountShown(context, NO_ERRORS)

async function accountShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, ask, session, form: sent } = context
  const t = words.account
  const found = await ask('getAccount')
  if (isRefused(found)) return failedPage(words, found)
  const factors = await ask('listSecondFactors')
  const history = await ask('getAccountHistory')
  const sessions = await ask('listSessions', { query: { limit: '100' } })
  return {
    title: t.title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${planCard(words, found.data)}${
      session.caller.apiKeyId === undefined
        ? [
            passwordCard(words, errors),
            emailCard(words, { account: found.data, sent: sent.get('email') ?? undefined, errors }),
          ]
        : card(t.password, html`<p>${t.byKey}</p>`)
    }${
      isRefused(factors) || session.caller.apiKeyId !== undefined
        ? ''
        : factorCard(words, factors.data, session.lacksFactor)
    }${
      isRefused(sessions) ? '' : sessionCard(words, sessions, session.id)
    }${isRefused(history) ? '' : historyCards(words, history.data)}${
      session.caller.apiKeyId === undefined ? wholeCard(words, errors) : ''
    }`,
  }
}

function planCard(words: Words, { name, plan, usage, created_at: at }: Named<'Account'>): Html {
  const t = words.account
  return card(
    t.plan(plan.name),
    facts([
      [t.name, foreign(name)],
      [t.names, t.ofMax(usage.names, plan.max_names)],
      [t.rdata, t.ofMax(usage.rdata, plan.max_rdata)],
      [t.keys, t.ofMax(usage.ddns_keys, plan.max_ddns_keys)],
      [t.zones, String(usage.zones)],
      [t.minTtl, t.seconds(plan.min_ttl)],
      [t.created, moment(at)],
    ]),
  )
}

const passwordCard = (words: Words, errors: FormErrors): Html => {
  const t = words.account
  return card(
    t.password,
    form('/console/account/password', [
      html`<p class="soft">${t.passwordWhat}</p>`,
      field('old_password', t.oldPassword, { type: 'password', fill: 'current-password', errors }),
      field('new_password', t.newPassword, {
        type: 'password',
        fill: 'new-password',
        hint: t.passwordHint,
        errors,
      }),
      field('again', t.again, { type: 'password', fill: 'new-password', errors }),
      button(t.change, 'quiet'),
    ]),
  )
}

interface EmailView {
  readonly account: Named<'Account'>
  readonly sent: string | undefined
  readonly errors: FormErrors
}

const emailCard = (words: Words, { account, sent, errors }: EmailView): Html => {
  const t = words.account
  const { email, email_confirmed: isConfirmed } = account
  const confirmed = isConfirmed ? state('ok', '✓', t.isConfirmed) : state('wait', '…', t.isUnconfirmed)
  return card(
    t.email,
    html`${email === null ? '' : html`<p>${confirmed}</p>`}${form('/console/account/email', [
      field('email', t.address, {
        type: 'email',
        fill: 'email',
        value: sent ?? email ?? '',
        hint: t.emailWhat,
        isOptional: true,
        errors,
      }),
      button(t.emailSave, 'quiet'),
    ])}`,
  )
}

export async function changeEmailAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, words } = context
  const email = (sent.get('email') ?? '').trim()
  const changed = await ask('changeAccount', { body: { email: email === '' ? null : email } })
  const wrong = errorsOf(changed, words, () => 'email')
  return isRefused(changed) ? accountShown(context, wrong) : { see: '/console/account', isSaved: true }
}

function sessionCard(words: Words, sessions: ApiAnswer<readonly Named<'Session'>[]>, own: number): Html {
  const t = words.account
  const rows = sessions.data.map((one) => [
    foreign(one.user_agent || t.unknownProgram),
    one.peer,
    moment(one.created_at),
    moment(one.seen_at),
    one.id === own ? t.thisOne : action(`/console/account/sessions/${one.id}`, t.end),
  ])
  const columns = [
    { label: t.program },
    { label: t.address, isFixed: true },
    { label: t.begun, isFixed: true },
    { label: t.seen, isFixed: true },
    { label: t.end, isFixed: true, isPlain: true },
  ]
  return card(t.sessions, [dataTable(t.sessions, columns, rows), cutNote(words, sessions)])
}

/** Rows on the page; the export has all. */
const MAX_HISTORY = 20

function historyCards(words: Words, { sign_ins: signIns, events }: Named<'AccountHistory'>): Html {
  const t = words.account
  const signInRows = signIns
    .slice(0, MAX_HISTORY)
    .map((one) => [
      moment(one.at),
      `${one.peer} (${one.network})`,
      foreign(one.credential),
      foreign(one.user_agent || t.unknownProgram),
    ])
  const eventRows = events
    .slice(0, MAX_HISTORY)
    .map(({ at, kind, subject }) => [moment(at), t.events[kind], foreign(subject)])
  const at = { label: t.at, isFixed: true }
  const signInColumns = [at, { label: t.address }, { label: t.credential }, { label: t.program }]
  const eventColumns = [at, { label: t.event }, { label: t.concerns }]
  return html`${signInRows.length === 0 ? '' : card(t.signIns, dataTable(t.signIns, signInColumns, signInRows))}${
    eventRows.length === 0 ? '' : card(t.history, dataTable(t.history, eventColumns, eventRows))
  }`
}

const wholeCard = (words: Words, errors: FormErrors): Html => {
  const t = words.account
  return card(t.whole, [
    action('/console/account/export', t.download),
    html`<p class="soft">${t.removeWhat}</p>`,
    form('/console/account/delete', [field('confirm', t.confirm, { errors }), button(t.remove, 'danger')]),
  ])
}

export async function exportAccountAction({ ask, words, session }: ConsoleContext): Promise<ConsoleResult> {
  const found = await ask('exportAccount')
  if (isRefused(found)) return failedPage(words, found)
  const text = `${JSON.stringify(found.data, null, 1)}\n`
  return { file: `${session.caller.account.name}.json`, type: 'application/json', text }
}

export async function deleteAccountAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, words } = context
  const deleted = await ask('deleteAccount', { query: { confirm: sent.get('confirm') ?? '' } })
  return isRefused(deleted)
    ? accountShown(
        context,
        errorsOf(deleted, words, () => 'confirm'),
      )
    : { see: '/console/sign-in' }
}

/** All sessions end with it, this one too. */
export async function changePasswordAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, words } = context
  const next = sent.get('new_password') ?? ''
  if (next !== sent.get('again')) return accountShown(context, fieldError('again', words.account.notSame))
  const changed = await ask('changePassword', {
    body: { old_password: sent.get('old_password') ?? '', new_password: next },
  })
  const wrong = errorsOf(changed, words, (pointer) => pointer.slice(1))
  return isRefused(changed) ? accountShown(context, wrong) : { see: '/console/sign-in', isSaved: true }
}

export async function endSessionAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, params, words } = context
  const ended = await ask('deleteSession', { params: { id: params['id'] ?? '' } })
  return isRefused(ended) ? accountShown(context, errorsOf(ended, words)) : { see: '/console/account' }
}
