import { type Html, html } from '../../../../shared/html/html.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../../context.ts'
import {
  button,
  card,
  dataTable,
  errorsOf,
  errorSummary,
  field,
  foreign,
  form,
  type FormErrors,
  NO_ERRORS,
  pageQuery,
  pager,
  pathOf,
} from '../../parts.ts'
import type { Words } from '../../words/words.ts'
import { operatorRefused, PLANS_LIMIT } from './operator.ts'

const LIMIT = '100'
const PLANS = '/console/operator/plans'

type Limits = Words['operator']['limits']
type Features = Words['operator']['features']
/** The plans, and a form for a new one. */
export const plansPage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  plansShown(context, NO_ERRORS)

async function plansShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, ask, query, form: sent } = context
  const t = words.operator
  const list = await ask('listPlans', { query: { limit: LIMIT, ...pageQuery(query) } })
  if (isRefused(list)) return operatorRefused(words, list)
  const rows = list.data.map((plan) => [
    html`<a href="${pathOf`/console/operator/plans/${plan.name}`}">${foreign(plan.name)}</a>`,
    String(plan.max_names),
    String(plan.max_keys),
    String(plan.accounts),
  ])
  const columns = [t.plan, t.limits.max_names, t.limits.max_keys, t.accountsOf].map((label) => ({ label }))
  return {
    title: t.plans,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}<section>${dataTable(t.plans, columns, rows)}${pager(
      words,
      context,
      list,
    )}</section>${card(
      t.newPlan,
      form(PLANS, [
        field('plan', t.planName, { value: sent.get('plan') ?? '', errors }),
        button(t.newPlan, 'quiet'),
      ]),
    )}`,
  }
}

/** One plan as a form. */
export const planPage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  planShown(context, NO_ERRORS)

async function planShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, ask, params, form: sent } = context
  const t = words.operator
  const list = await ask('listPlans', { query: { limit: PLANS_LIMIT } })
  if (isRefused(list)) return operatorRefused(words, list)
  const plan = list.data.find(({ name }) => name === params['plan'])
  if (plan === undefined) return { title: words.noPage, status: 404, main: html`<p>${words.noPageWhy}</p>` }
  const limits = (Object.keys(t.limits) as (keyof Limits)[]).map((name) =>
    field(name, t.limits[name], {
      value: sent.get(name) ?? String(plan[name] ?? ''),
      isOptional: name === 'fixed_ttl' || name === 'types',
      errors,
    }),
  )
  const features = (Object.keys(t.features) as (keyof Features)[]).map((name) =>
    checkbox(name, t.features[name], errors === NO_ERRORS ? plan[name] : sent.get(name) === 'yes'),
  )
  return {
    title: plan.name,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(
      t.plan,
      form(pathOf`/console/operator/plans/${plan.name}`, [...limits, ...features, button(t.savePlan)]),
    )}`,
  }
}

const checkbox = (name: string, label: string, isOn: boolean): Html =>
  html`<p class="choice"><input type="checkbox" id="${name}" name="${name}" value="yes"${
    isOn ? html` checked` : ''
  }><label for="${name}">${label}</label></p>`

export async function createPlanAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, words } = context
  const plan = (sent.get('plan') ?? '').trim()
  const made = await ask('setPlan', { params: { plan_name: plan }, body: {} })
  return isRefused(made)
    ? plansShown(
        context,
        errorsOf(made, words, () => 'plan'),
      )
    : { see: pathOf`/console/operator/plans/${plan}` }
}

export async function changePlanAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, params, words } = context
  const t = words.operator
  const limits = Object.keys(t.limits).map((name) => [name, valueIn(name, sent.get(name) ?? '')] as const)
  const features = Object.keys(t.features).map((name) => [name, sent.get(name) === 'yes'] as const)
  const changed = await ask('setPlan', {
    params: { plan_name: params['plan'] ?? '' },
    body: Object.fromEntries([...limits, ...features]),
  })
  return isRefused(changed) ? planShown(context, errorsOf(changed, words)) : { see: PLANS, isSaved: true }
}

/** What is empty has no limit. */
function valueIn(name: string, given: string): unknown {
  const text = given.trim()
  if (name === 'types') return text === '' ? null : text.split(/[\s,]+/)
  if (text === '') return null
  return /^\d+$/.test(text) ? Number(text) : text
}
