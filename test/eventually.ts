import { expect } from 'vitest'

/** In milliseconds. It ends a test that waits in vain, and no test judges by it: the machine may be busy. */
export const PATIENCE = 60_000

/** `expect.poll`, until the value is as expected, however busy the machine is. */
export const eventually = <T>(read: () => T, interval = 50, timeout = PATIENCE) =>
  expect.poll(read, { timeout, interval })
