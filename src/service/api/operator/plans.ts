import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { finish, operatorList } from './operated.ts'

export const listPlans = operatorList<'OperatorPlan'>({ step: 'plan list', key: 'plans' })

type PlanPatch = Named<'PlanPatch'>

/** What `holdfast admin` calls the fields of a plan. */
// biome-ignore format: a table
const SETTINGS: Readonly<Record<keyof PlanPatch, string>> = {
  max_names:           'max-names',
  max_rdata:           'max-rdata',
  max_keys:            'max-keys',
  max_name_metadata:   'max-name-metadata',
  max_rrset_metadata:  'max-rrset-metadata',
  min_ttl:             'min-ttl',
  fixed_ttl:           'fixed-ttl',
  types:               'types',
  has_offline:         'offline',
  has_wildcards:       'wildcards',
  needs_factor:        'second-factor',
}

/** Changes a plan, or makes it; what is not given stays as it is, or as usual. */
export async function setPlan(context: RequestContext<PlanPatch>) {
  const { params, store } = context
  const plan = params['plan_name'] ?? ''
  const exists = (await store.planNamed(plan)) !== undefined
  return finish<'operationRefused'>(context, () => {
    const body = readBody(context)
    if ('malformed' in body) return body
    const settings = Object.entries(body).map(
      ([field, value]) => `${SETTINGS[field as keyof PlanPatch]}=${planText(value)}`,
    )
    return [[exists ? 'plan set' : 'plan add', plan, ...settings]]
  })
}

/** As `holdfast admin` reads it. */
const planText = (value: PlanPatch[keyof PlanPatch]): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? (value?.join(',') ?? 'none') : String(value)
}
