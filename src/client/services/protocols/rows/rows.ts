import type { RecordRow } from '../record-rows.ts'
import { RECORD_SETS } from './record-sets.ts'
import { SINGLE_RECORDS } from './single-records.ts'

/** By the name of the preset. */
export const RECORD_ROWS: Readonly<Record<string, RecordRow>> = { ...RECORD_SETS, ...SINGLE_RECORDS }
