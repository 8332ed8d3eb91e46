import { ACCOUNT_ROUTES } from './contract/account.ts'
import { OPERATOR_ROUTES } from './contract/operator.ts'
import { RECORD_ROUTES } from './contract/records.ts'
import { ZONE_ROUTES } from './contract/zones.ts'
import type { Route } from './route.ts'

/** Every operation of the API, in the order of the specification. */
export const ROUTES = {
  ...ACCOUNT_ROUTES,
  ...OPERATOR_ROUTES,
  ...ZONE_ROUTES,
  ...RECORD_ROUTES,
} as const satisfies Readonly<Record<string, Route>>
