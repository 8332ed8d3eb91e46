import { ACCOUNT_OPERATIONS } from './accounts.ts'
import { API_KEY_OPERATIONS } from './api-keys.ts'
import { BLOCK_OPERATIONS } from './blocks.ts'
import { INVITATION_LISTS, INVITATION_OPERATIONS } from './invitations.ts'
import { LIST_OPERATIONS } from './lists.ts'
import { LOAD_OPERATIONS } from './load.ts'
import type { Operations } from './operation.ts'
import { PLAN_OPERATIONS } from './plans.ts'
import { PUBLISHING_OPERATIONS } from './publishing.ts'
import { ZONE_OPERATIONS } from './zones.ts'

/** The operations of `holdfast admin` inside a store. Changes apply from the next request on. */
export const ADMIN_OPERATIONS: Operations = {
  ...LIST_OPERATIONS,
  ...PLAN_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...INVITATION_OPERATIONS,
  ...INVITATION_LISTS,
  ...API_KEY_OPERATIONS,
  ...ZONE_OPERATIONS,
  ...BLOCK_OPERATIONS,
  ...PUBLISHING_OPERATIONS,
  ...LOAD_OPERATIONS,
}

/** Whether the operation changes the store. */
export const isChange = (name: string): boolean =>
  !Object.hasOwn(
    { ...LIST_OPERATIONS, ...INVITATION_LISTS, ...PUBLISHING_OPERATIONS, ...LOAD_OPERATIONS },
    name,
  )
