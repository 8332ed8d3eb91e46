import { isDnsType } from '../../model/rdata-values.ts'
import {
  badBody,
  isObject,
  type Malformed,
  type RequestContext,
  unknownFieldFaults,
} from '../request/context.ts'
import { finish, operatorList, type OperatorStep } from './operated.ts'

export const listPlans = operatorList<'OperatorPlan'>({ step: 'plan list', key: 'plans' })

/** The greatest one that `holdfast admin` reads. */
const MAX_LIMIT = 999_999_999
const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_LIMIT
const isSwitch = (value: unknown): boolean => typeof value === 'boolean'
const areTypes = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isDnsType)

// biome-ignore format: tables
const [A_COUNT, A_LIMIT, A_SWITCH, TYPES] = [
  ['a whole number', isCount],
  ['a whole number, or null', (value: unknown) => value === null || isCount(value)],
  ['true or false', isSwitch],
  ['a list of DNS types, or null', (value: unknown) => value === null || areTypes(value)],
] as const

/** The fields of a plan: what `holdfast admin` calls them, and what they are. */
// biome-ignore format: a table
const PLAN_FIELDS: Readonly<Record<string, readonly [key: string, what: string, is: (value: unknown) => boolean]>> = {
  max_names:           ['max-names', ...A_COUNT],
  max_rdata:           ['max-rdata', ...A_COUNT],
  max_keys:            ['max-keys', ...A_COUNT],
  max_name_metadata:   ['max-name-metadata', ...A_COUNT],
  max_rrset_metadata:  ['max-rrset-metadata', ...A_COUNT],
  min_ttl:             ['min-ttl', ...A_COUNT],
  fixed_ttl:           ['fixed-ttl', ...A_LIMIT],
  types:               ['types', ...TYPES],
  has_offline:         ['offline', ...A_SWITCH],
  has_wildcards:       ['wildcards', ...A_SWITCH],
  needs_factor:        ['second-factor', ...A_SWITCH],
}

/** Changes a plan, or makes it; what is not given stays as it is, or as usual. */
export async function setPlan(context: RequestContext) {
  const { params, store, body } = context
  const plan = params['plan_name'] ?? ''
  const exists = (await store.planNamed(plan)) !== undefined
  return finish(context, () => planSteps(plan, body, exists))
}

function planSteps(plan: string, body: unknown, exists: boolean): readonly OperatorStep[] | Malformed {
  if (!isObject(body)) return { malformed: [badBody('the body is {"max_names": 100, …}')] }
  const malformed = [
    ...unknownFieldFaults(body, Object.keys(PLAN_FIELDS)),
    ...Object.entries(PLAN_FIELDS).flatMap(([field, [, what, is]]) =>
      body[field] === undefined || is(body[field]) ? [] : [badBody(`${field} is ${what}`, `/${field}`)],
    ),
  ]
  if (malformed.length > 0) return { malformed }
  const settings = Object.entries(body).map(
    ([field, value]) => `${PLAN_FIELDS[field]?.[0] ?? field}=${planText(value)}`,
  )
  return [[exists ? 'plan set' : 'plan add', plan, ...settings]]
}

/** As `holdfast admin` reads it. */
const planText = (value: unknown): string => {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(',') : JSON.stringify(value)
}
