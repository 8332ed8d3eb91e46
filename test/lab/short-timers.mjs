import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { promisify } from 'node:util'

/** Preloaded into a program: a timer that is longer than HOLDFAST_TEST_MAX_TIMER (in milliseconds) never fires. */
const NEVER = 2 ** 31 - 1
const bounded = (span) => (span > Number(process.env.HOLDFAST_TEST_MAX_TIMER) ? NEVER : span)

const plain = globalThis.setTimeout
const promised = promises.setTimeout
promises.setTimeout = (span, ...rest) => promised(bounded(span), ...rest)
globalThis.setTimeout = (act, span, ...rest) => plain(act, bounded(span), ...rest)
Object.defineProperty(globalThis.setTimeout, promisify.custom, { value: promises.setTimeout })
timers.setTimeout = globalThis.setTimeout
syncBuiltinESMExports()
