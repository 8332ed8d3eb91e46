import { join } from 'node:path'

/**
 * The environment of a program whose timers never fire if they are longer than this, in milliseconds: it does in time what it
 * does at all, and no clock of a busy machine judges it.
 */
export const shortTimers = (max: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'short-timers.mjs')}`,
  HOLDFAST_TEST_MAX_TIMER: String(max),
})
