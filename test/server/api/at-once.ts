import type { InTurn } from '../../../src/server/api/handle.ts'

/** Each request runs when it comes. */
export const AT_ONCE: InTurn = async (_turn, work) => ({ value: await work() })
