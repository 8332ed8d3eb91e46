import type { Operate } from '../api/request/context.ts'
import { type AdminContext, saysMissing } from './operation.ts'
import { ADMIN_OPERATIONS } from './operations.ts'

/** The operations of `holdfast admin`, for an operator at the website. */
export const operatorFor =
  (parts: Omit<AdminContext, 'w' | 'now'>): Operate =>
  async (w, { operation, args, now }) => {
    const done = await ADMIN_OPERATIONS[operation]?.run({ ...parts, w, now }, args)
    if (done === undefined) throw new Error(`${operation} is not an operation`)
    if (!done.ok) return { fault: done.error, isMissing: saysMissing(done.error) }
    const { data, mail } = done.value
    return { data, ...(mail !== undefined && { mail }) }
  }
