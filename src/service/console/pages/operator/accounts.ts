import { type Html, html } from '../../../../shared/html/html.ts'
import {
  type ApiAnswer,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ShownPage,
} from '../../context.ts'
import {
  action,
  button,
  card,
  choiceField,
  dataTable,
  errorsOf,
  errorSummary,
  facts,
  field,
  foreign,
  form,
  type FormErrors,
  hidden,
  moment,
  NO_ERRORS,
  pageQuery,
  pager,
  pathOf,
  state,
  warningList,
} from '../../parts.ts'
import type { Words } from '../../words/words.ts'
import { newLinkPage, operatorRefused, PLANS_LIMIT } from './operator.ts'
import type { Named } from '../../../api/openapi/schemas.ts'

const LIMIT = '100'

const pathOfAccount = (name: string): string => pathOf`/console/operator/accounts/${name}`

/** All accounts, with what they use. */
export async function operatorAccountsPage(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, ask, query } = context
  const t = words.operator
  const search = query.get('search') ?? ''
  const list = await ask('listOperatorAccounts', {
    query: { limit: LIMIT, ...(search !== '' && { 'filter[search]': search }), ...pageQuery(query) },
  })
  if (isRefused(list)) return operatorRefused(words, list)
  const rows = list.data.map((one) => [
    html`<a href="${pathOfAccount(one.name)}">${foreign(one.name)}</a>`,
    foreign(one.plan),
    words.account.ofMax(one.names, one.max_names),
    String(one.zones),
    accountState(words, one),
  ])
  const columns = [t.account, t.plan, t.names, t.zones, t.state].map((label, at) => ({
    label,
    isFixed: at > 1,
  }))
  return {
    title: t.accounts,
    main: html`<section><form class="row" role="search" action="/console/operator/accounts">${field(
      'search',
      words.names.search,
      { type: 'search', value: search, isOptional: true },
    )}${button(words.names.find, 'quiet')}</form>${warningList(list.warnings)}${
      rows.length === 0 ? html`<p>${t.none}</p>` : dataTable(t.accounts, columns, rows)
    }${pager(words, context, list)}</section>`,
  }
}

const accountState = ({ operator: t }: Words, one: Named<'OperatorAccount'>): Html =>
  html`${one.is_suspended ? state('bad', '✗', t.suspended) : state('ok', '✓', t.works)}${
    one.is_operator ? html` <span class="soft">${t.isOperator}</span>` : ''
  }`

/** One account, and what an operator does with it. */
export const operatorAccountPage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  accountShown(context, NO_ERRORS)

async function accountShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, ask, params } = context
  const t = words.operator
  const found = await ask('getOperatorAccount', {
    params: { account_name: params['account'] ?? '' },
  })
  if (isRefused(found)) return operatorRefused(words, found)
  const plans = await ask('listPlans', {
    query: { limit: PLANS_LIMIT },
  })
  if (isRefused(plans)) return operatorRefused(words, plans)
  const one = found.data
  return {
    title: one.name,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(t.account, accountFacts(words, one))}${card(
      t.setPlan,
      form(pathOfAccount(one.name), [
        choiceField('plan', t.plan, {
          choices: plans.data.map(({ name: value }) => ({ value, label: value })),
          chosen: one.plan,
        }),
        button(t.setPlan, 'quiet'),
      ]),
    )}${card(t.more, actionsFor(words, one))}`,
  }
}

function accountFacts(words: Words, one: Named<'OperatorAccountDetail'>): Html {
  const t = words.operator
  return facts([
    [t.state, accountState(words, one)],
    [t.plan, foreign(one.plan)],
    [t.names, words.account.ofMax(one.names, one.max_names)],
    [t.values, words.account.ofMax(one.rdata, one.max_rdata)],
    [t.zones, html`${String(one.zones)} <bdi>${one.zone_names.join(', ')}</bdi>`],
    [t.keys, html`${String(one.keys)} <bdi>${one.key_usernames.join(', ')}</bdi>`],
    [t.apiKeys, String(one.api_keys)],
    [t.factor, one.has_factor ? t.yes : t.no],
    [t.created, moment(one.created_at)],
  ])
}

/** A form that changes one field of the account. */
const change = (here: string, [name, value]: readonly [string, string], label: Html): Html =>
  form(here, [hidden(name, value), label])

function actionsFor({ operator: t }: Words, one: Named<'OperatorAccountDetail'>): readonly Html[] {
  const here = pathOfAccount(one.name)
  return [
    one.is_suspended
      ? change(here, ['suspended', 'no'], button(t.resume, 'quiet'))
      : html`<p class="soft">${t.suspendWhat}</p>${change(here, ['suspended', 'yes'], button(t.suspend, 'danger'))}`,
    form(`${here}/reset-link`, [
      button(t.resetLink, 'quiet'),
      html`<p class="choice"><input type="checkbox" id="send" name="send" value="yes">
<label for="send">${t.sendReset}</label></p>`,
    ]),
    one.has_factor ? action(`${here}/forget-factors`, t.forgetFactors, 'danger') : html``,
    one.is_operator
      ? change(here, ['operator', 'no'], button(t.endOperator, 'danger'))
      : change(here, ['operator', 'yes'], button(t.makeOperator, 'danger')),
  ]
}

const SWITCHES = ['suspended', 'operator'] as const

export async function changeAccountAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { form: sent, params, ask } = context
  const plan = sent.get('plan')
  const body = {
    ...(plan !== null && { plan }),
    ...Object.fromEntries(
      SWITCHES.flatMap((name) => (sent.has(name) ? [[name, sent.get(name) === 'yes'] as const] : [])),
    ),
  }
  return afterwards(
    context,
    await ask('changeOperatorAccount', { params: { account_name: params['account'] ?? '' }, body }),
  )
}

export async function resetLinkAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { form: sent, params, ask, words } = context
  const made = await ask('createResetLink', {
    params: { account_name: params['account'] ?? '' },
    body: { send: sent.get('send') === 'yes' },
  })
  return isRefused(made) ? accountShown(context, errorsOf(made, words)) : newLinkPage(context, made)
}

export const forgetFactorsAction = async (context: ConsoleContext): Promise<ConsoleResult> =>
  afterwards(
    context,
    await context.ask('forgetSecondFactors', { params: { account_name: context.params['account'] ?? '' } }),
  )

const afterwards = async (context: ConsoleContext, answer: ApiAnswer<unknown>): Promise<ConsoleResult> =>
  isRefused(answer)
    ? accountShown(context, errorsOf(answer, context.words))
    : { see: pathOfAccount(context.params['account'] ?? ''), isSaved: true }
