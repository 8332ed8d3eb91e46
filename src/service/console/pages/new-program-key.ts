import { html } from '../../../shared/html/html.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../context.ts'
import {
  button,
  card,
  copyable,
  errorsOf,
  errorSummary,
  facts,
  field,
  fieldError,
  form,
  type FormErrors,
  moment,
  NO_ERRORS,
  warningList,
} from '../parts.ts'
import type { ProgramKeyKind } from './program-keys.ts'
import { SCOPE_FIELDS, scopeSentence, scopesIn } from './scopes.ts'
import type { ShownProgramKey } from './shown.ts'

const CREATE = { api: 'createApiKey', tsig: 'createTsigKey' } as const

function keyForm({ words, form: sent }: ConsoleContext, kind: ProgramKeyKind, errors: FormErrors): ShownPage {
  const t = words.programKeys
  const limit = (name: keyof typeof SCOPE_FIELDS) =>
    field(name, t.limits[name].label, {
      value: sent.get(name) ?? '',
      hint: t.limits[name].hint,
      isOptional: true,
      errors,
    })
  return {
    title: t[kind].makeOne,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(
      t[kind].what,
      form(`/console/keys/new-${kind}-key`, [
        field('description', t.description, {
          value: sent.get('description') ?? '',
          hint: t.descriptionHint,
          errors,
        }),
        html`<fieldset><legend>${t.may}</legend><p class="soft">${t.mayHint}</p>
<div class="choice"><input type="checkbox" id="read" name="read" value="yes"${
          sent.get('read') === 'yes' ? html` checked` : ''
        }><label for="read">${words.scopes.read}</label></div></fieldset>`,
        limit('zones'),
        limit('names'),
        limit('types'),
        field('days', t.days, {
          type: 'number',
          value: sent.get('days') ?? '',
          hint: t.daysHint,
          isOptional: true,
          errors,
        }),
        button(t.make),
      ]),
    )}`,
  }
}

const DAY_MS = 86_400_000
const MAX_DAYS = 36_500

/** RFC 3339; undefined for a key that does not end, and a fault for what is no number of days. */
function expiryIn(sent: URLSearchParams, { words, now }: ConsoleContext): string | undefined | FormErrors {
  const text = (sent.get('days') ?? '').trim()
  if (text === '') return undefined
  const days = Number(text)
  return /^\d+$/.test(text) && days >= 1 && days <= MAX_DAYS
    ? new Date(now + days * DAY_MS).toISOString()
    : fieldError('days', words.programKeys.daysWrong(MAX_DAYS))
}

const createOf =
  (kind: ProgramKeyKind) =>
  async (context: ConsoleContext): Promise<ConsoleResult> => {
    const { ask, form: sent, words } = context
    const t = words.programKeys
    const scopes = scopesIn(sent)
    const expires = expiryIn(sent, context)
    if (typeof expires === 'object') return keyForm(context, kind, expires)
    const description = (sent.get('description') ?? '').trim()
    if (description === '') return keyForm(context, kind, fieldError('description', words.needed))
    const made = await ask(CREATE[kind], {
      body: {
        description: sent.get('description') ?? '',
        scopes,
        ...(expires !== undefined && { expires_at: expires }),
      },
    })
    const fieldOf = (pointer: string) => {
      const [, at] = /^\/scopes\/(\d+)/.exec(pointer) ?? []
      const word = scopes[Number(at)]?.split(':')[0]
      const found = Object.entries(SCOPE_FIELDS).find(([, one]) => one === word)?.[0]
      return pointer === '/description' ? 'description' : pointer === '/expires_at' ? 'days' : found
    }
    if (isRefused(made)) return keyForm(context, kind, errorsOf(made, words, fieldOf))
    const data: ShownProgramKey = made.data
    return {
      title: t[kind].made,
      main: html`${warningList(made.warnings)}${card(words.newKey.secret, [
        html`<p>${t.once}</p>`,
        facts([
          ...(data.name === undefined ? [] : ([[t.name, copyable(data.name)]] as const)),
          ...(data.algorithm === undefined ? [] : ([[t.algorithm, copyable(data.algorithm)]] as const)),
          [t[kind].secret, copyable(data.key ?? data.secret ?? '')],
          [t.expires, moment(data.expires_at, t.endless)],
          [
            t.may,
            data.scopes.length === 0
              ? words.scopes.all
              : html`<ul>${data.scopes.map((one) => html`<li>${scopeSentence(words, one)} <code>${one}</code></li>`)}</ul>`,
          ],
        ]),
        html`<p><a href="/console/keys">${t.toKeys}</a></p>`,
      ])}`,
    }
  }

export const newApiKeyPage = async (context: ConsoleContext): Promise<ShownPage> =>
  keyForm(context, 'api', NO_ERRORS)
export const newTsigKeyPage = async (context: ConsoleContext): Promise<ShownPage> =>
  keyForm(context, 'tsig', NO_ERRORS)
export const createApiKeyAction = createOf('api')
export const createTsigKeyAction = createOf('tsig')
