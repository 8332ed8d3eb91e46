import type { InTurn } from '../../../src/service/api/request/context.ts'

/** Each request runs when it comes. */
export const AT_ONCE: InTurn = async (_turn, work) => ({ value: await work() })
