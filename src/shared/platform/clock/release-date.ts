import { type Instant, instant } from '../../base/time.ts'

/** The release day of this version, as in the change log: an earlier clock is wrong. */
export const RELEASED: Instant = instant(Date.UTC(2026, 10, 21))
