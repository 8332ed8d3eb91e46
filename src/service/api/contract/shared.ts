import { ref } from '../openapi/schema.ts'

/** A change that was made. */
export const SUCCESS = ref('CommandSuccess')
export const ZONE_FILE = ref('ZoneFile')
export const LABELS = ['Created-Labels'] as const
export const TAGGED = ['ETag'] as const
export const OPERATORS = ['operatorNeeded', 'operatorFactorMissing'] as const
export const OF_ONE = [...OPERATORS, 'subjectNotFound'] as const
