import { ACCOUNT_EVENT_ROWS } from './account/events.ts'
import { STATES } from './states.ts'
import type { Selects } from '../select.ts'
import { ACCOUNTS } from './account/accounts.ts'
import { BULK } from './bulk.ts'
import { DIRTY, POINTERS } from './dirty.ts'
import { KEYS } from './keys.ts'
import { LISTING } from './listing.ts'
import { READING } from './reading.ts'
import { ONE_TIME_CODES } from './account/one-time-codes.ts'
import { OVERVIEW } from './overview.ts'
import { RECORD_CHANGES, RECORDS } from './records.ts'
import { POLICY } from './policy.ts'
import { PUBLISHED } from './published.ts'
import { SANCTIONS } from './account/sanctions.ts'
import { SECOND_FACTORS } from './account/second-factors.ts'
import { SERIALS } from './serials.ts'
import { SESSIONS } from './account/sessions.ts'
import { TRAIL } from './account/trail.ts'
import { TSIG_KEYS } from './account/tsig-keys.ts'
import { WRITING } from './writing.ts'
import { ZONES } from './zones.ts'
import { AT_NAME, AT_NAMES, AT_OUTLINE, NAMES, SUMMARIES } from './name-rows.ts'

/** The statements of both databases that return rows. A test compares this list with the files. */
export const SHARED_SELECTS: Readonly<Record<string, Selects>> = {
  ACCOUNT_EVENT_ROWS,
  ACCOUNTS,
  AT_NAME,
  AT_NAMES,
  AT_OUTLINE,
  BULK,
  DIRTY,
  KEYS,
  LISTING,
  NAMES,
  ONE_TIME_CODES,
  OVERVIEW,
  POINTERS,
  POLICY,
  PUBLISHED,
  READING,
  RECORDS,
  RECORD_CHANGES,
  SANCTIONS,
  SECOND_FACTORS,
  SERIALS,
  SESSIONS,
  STATES,
  SUMMARIES,
  TRAIL,
  TSIG_KEYS,
  WRITING,
  ZONES,
}
