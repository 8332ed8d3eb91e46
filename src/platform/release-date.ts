import { type Instant, instant } from '../base/time.ts'

/** The day of this version, as in the change log: a clock that stands before it is wrong. */
export const RELEASED: Instant = instant(Date.UTC(2026, 10, 21))
